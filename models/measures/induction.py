"""How far a head is an induction head: it attends to what came after an earlier occurrence of its own token.

Olsson et al. 2022, In-context Learning and Induction Heads. numpy only.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.texts import induction_cells


def induction_scores(weights: NDArray[Any], names: Sequence[Hashable]) -> tuple[NDArray[np.float64], float]:
    """Return the mean weight of each head in those cells, and that of a row which spreads its weight evenly.

    Rows of tokens that occur for the first time are left out. Shapes: `weights` [head, query, key]; returns [head].
    """
    cells = induction_cells(names)
    rows = cells.any(axis=1)
    if not rows.any():
        return np.zeros(len(weights)), 0.0
    even = cells.sum(axis=1) / np.arange(1, 1 + len(names))
    return (weights * cells).sum(axis=-1)[:, rows].mean(axis=1, dtype=np.float64), float(even[rows].mean())
