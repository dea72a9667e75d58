"""A hypothesis of beam search: tokens and what each was worth. No torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from models.trace import AttentionTrace
from models.vocabulary import END

WIDEST = 64
"""Hypotheses of a beam."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A translation that beam search kept.

    Parameters
    ----------
    ids : tuple of int
        Its tokens, ``</s>`` among them if it ended.
    texts : tuple of str
        What each token reads.
    log_probabilities : tuple of float
        Of each token after those before it, in nats.
    text : str
        The whole translation.

    Examples
    --------
    >>> one = Hypothesis((9, 2), (" Oui", "</s>"), (-0.2, -0.1), "Oui")
    >>> round(one.log_probability, 3), round(one.score, 3), one.ended
    (-0.3, -0.15, True)
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    log_probabilities: tuple[float, ...]
    text: str

    @property
    def log_probability(self) -> float:
        """The sum over its tokens, in nats."""
        return math.fsum(self.log_probabilities)

    @property
    def score(self) -> float:
        """What hypotheses are ranked by: the mean log-probability a token, ``</s>`` counted (length normalisation)."""
        return self.log_probability / len(self.ids)

    @property
    def ended(self) -> bool:
        """Whether it wrote ``</s>``; else the limit of tokens cut it off."""
        return self.ids[-1:] == (END,)

    @classmethod
    def of(cls, trace: AttentionTrace) -> Self:
        """Return what a model wrote in a run, such as its greedy translation.

        Parameters
        ----------
        trace : AttentionTrace
        """
        worth = tuple(step.log_probability for step in trace.steps)
        return cls(trace.target.ids, trace.target.texts, worth, trace.output_text)

    def to_plain(self) -> list[Any]:
        """Return it as JSON has it; `from_plain` reads it back."""
        return [list(self.ids), list(self.texts), list(self.log_probabilities), self.text]

    @classmethod
    def from_plain(cls, told: Sequence[Any]) -> Self:
        """Return what `to_plain` wrote.

        Parameters
        ----------
        told : sequence
        """
        ids, texts, worth, text = told
        return cls(tuple(map(int, ids)), tuple(map(str, texts)), tuple(map(float, worth)), str(text))
