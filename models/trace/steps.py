"""What a model held for likely: at a step of its decoder, or at a position of what it read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Step:
    """What a decoder did at one step.

    Parameters
    ----------
    text : str
        The token that the step wrote (or was forced to write).
    id : int
        Its vocabulary index.
    log_probability : float
        Natural logarithm of the probability that the model gave it; not a number where that is not known.
    alternatives : tuple of (str, float)
        The likeliest tokens with their probabilities, best first; the written one may be among them.
    """

    text: str
    id: int
    log_probability: float
    alternatives: tuple[tuple[str, float], ...] = ()

    @property
    def probability(self) -> float:
        """The probability that the model gave the written token."""
        return float(np.exp(self.log_probability))


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a language model holds for likely at one position of the text that it reads.

    Parameters
    ----------
    position : int
        Of the token from which a causal model predicts the next one, or of the masked token.
    alternatives : tuple of (str, float)
        The likeliest tokens with their probabilities, best first.
    log_probability : float or None
        Natural logarithm of the probability of the token that does follow; None at the end and for a masked token.
    """

    position: int
    alternatives: tuple[tuple[str, float], ...]
    log_probability: float | None = None
