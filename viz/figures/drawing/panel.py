"""One map of a figure of heads, as the drawing of short and of long texts takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz.views.view import View


@dataclass(frozen=True, slots=True)
class Panel:
    """One map of a figure.

    Parameters
    ----------
    title : str
        Plain text.
    notes : tuple of str
        Plain text in small print under the title.
    view : View
        What labels the axes.
    values : float32 array, [query, key]
        What the colours show and the hover text names.
    signed : bool
        Whether a value may be below 0.
    extras : tuple of float32 array, [query, key]
        Further numbers of each cell.
    closing : str
        What follows in the hover text, as a Plotly template; ``%{customdata[1]}`` is the first of `extras`.
    """

    title: str
    notes: tuple[str, ...]
    view: View
    values: NDArray[np.float32]
    signed: bool = False
    extras: tuple[NDArray[np.float32], ...] = ()
    closing: str = ""
