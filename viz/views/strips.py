"""Vectors and matrices to be drawn as strips: numbers, names, shapes and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _

StripKind = Literal["weights", "signed", "mask"]
"""How numbers become colours: weights from 0 to 1; signed, white at 0; a mask, 1 where a word may be read."""


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """Numbers of a model, or of the lab, as they are shown."""

    name: str  # what they are, in words
    symbol: str  # what the formula calls them, in plain text
    values: NDArray[np.floating[Any]]  # [row, column]
    kind: StripKind = "signed"
    rows: tuple[str, ...] = ()  # what labels them: tokens; left out for the components of a vector
    columns: tuple[str, ...] = ()  # what labels them: tokens; left out for the components of a vector
    # the shape in the model, where more than `values` belongs to it, such as the matrix of which a row is shown
    whole: tuple[int, ...] = ()
    # the row and the column of the chosen pair; None for all of them
    marked: tuple[int | None, int | None] = (None, None)
    made: bool = False  # whether this step makes them; else they are given to it
    most: float = 0.0  # the end of the colour scale of signed numbers that several strips share; 0: their own largest

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.ndim != 2 or not values.size:
            message = f"{self.name}: got numbers of shape {values.shape}; expected rows and columns, at least one each"
            raise ValueError(message)
        for labels, count in ((self.rows, values.shape[0]), (self.columns, values.shape[1])):
            if labels and len(labels) != count:
                message = f"{self.name}: got {len(labels)} labels for {count}"
                raise ValueError(message)
        object.__setattr__(self, "values", values)

    @property
    def shape(self) -> str:
        """The shape as people write it, such as ``[9 x 256]``."""
        shown = " x ".join(map(str, self.values.shape))
        if not self.whole or self.whole == self.values.shape:
            return f"[{shown}]"
        return "[" + _("{shown} of {whole}", shown=shown, whole=" x ".join(map(str, self.whole))) + "]"

    @property
    def limit(self) -> float:
        """The end of the colour scale: 1 but for signed numbers, whose largest it is."""
        if self.kind != "signed":
            return 1.0
        if self.most:
            return self.most
        finite = np.abs(self.values[np.isfinite(self.values)])
        return float(finite.max(initial=0.0)) or 1.0
