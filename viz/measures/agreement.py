"""Agreement of a reader's expected row with the model's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two rows have in common, and where they are furthest apart."""

    # the sum over the words of the smaller of both weights: 1 for equal rows, 0 where no word has weight in both
    share: float
    gap: int  # the word whose weights differ most
    difference: float  # there, the model's weight less the expected one


def expected_row(heights: Sequence[float]) -> NDArray[np.float64]:
    """Return drawn heights as shares that sum to 1; all 0 if nothing is drawn."""
    drawn = np.clip(np.asarray(heights, dtype=np.float64), 0, None)
    total = float(drawn.sum())
    return drawn / total if total > 0 else drawn


def agreement(expected: NDArray[np.floating], row: NDArray[np.floating]) -> Agreement:
    """Return how far `row` is what was expected."""
    apart = np.asarray(row, dtype=np.float64) - expected
    gap = int(np.abs(apart).argmax())
    return Agreement(float(np.minimum(expected, row).sum()), gap, float(apart[gap]))
