"""What a model held for likely: at a step of its decoder, or at a position of what it read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Step:
    """What a decoder did at one step."""

    text: str  # the token that the step wrote (or was forced to write)
    id: int  # its vocabulary index
    # natural logarithm of the probability that the model gave it; not a number where that is not known
    log_probability: float
    # the likeliest tokens with their probabilities, best first; the written one may be among them
    alternatives: tuple[tuple[str, float], ...] = ()

    @property
    def probability(self) -> float:
        """The probability that the model gave the written token."""
        return float(np.exp(self.log_probability))


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a language model holds for likely at one position of the text that it reads."""

    position: int  # of the token from which a causal model predicts the next one, or of the masked token
    alternatives: tuple[tuple[str, float], ...]  # the likeliest tokens with their probabilities, best first
    # natural logarithm of the probability of the token that does follow; None at the end and for a masked token
    log_probability: float | None = None
    ids: tuple[int, ...] = ()  # vocabulary indices of `alternatives`, behind the last token of a causal model
