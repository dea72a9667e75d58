"""Pictures that the browser draws, as they are handed on to be drawn for print: numbers and words, no library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing.heatmap import PanelFigure
from viz.figures.drawing.theme import Colour
from viz.views.heads import HeadPlace
from viz.views.strips import Strip


@dataclass(frozen=True, slots=True)
class PrintedWalk:
    """The picture of a walk: one a mechanism.

    Parameters
    ----------
    pictures : sequence of mapping
        As `viz.walk.order.keep_step` gives them.
    formulas : sequence of sequence of str
        The lines of each mechanism's formula, in LaTeX.
    step : str
        The key of the step that is explained.
    """

    pictures: Sequence[Mapping[str, Any]]
    formulas: Sequence[Sequence[str]]
    step: str


@dataclass(frozen=True, slots=True, eq=False)
class PrintedHeads:
    """All heads at a glance.

    Parameters
    ----------
    title : str
    notes, axes : sequence of str
        What holds for all; which tokens rows and columns are.
    heads : sequence of HeadPlace
        In the order in which they stand.
    cells : float array, [head, row, column]
        The weights.
    labels : sequence of str
        A word or two on each; empty for none.
    in_layers : bool
        Whether a row of maps is a layer.
    picked : mapping of HeadPlace to str
        The colour of the frame of each that is picked.
    colour : {"linear", "root"}
    meaning : str
        What a colour means.
    """

    title: str
    notes: Sequence[str]
    axes: Sequence[str]
    heads: Sequence[HeadPlace]
    cells: NDArray[np.float32]
    labels: Sequence[str]
    in_layers: bool
    picked: Mapping[HeadPlace, str]
    colour: Colour
    meaning: str


@dataclass(frozen=True, slots=True)
class WordLinks:
    """Words over words, joined by lines: a drawing of what goes from one line to the other.

    Parameters
    ----------
    title, note, label : str
        What it shows; what its lines are; the same for those who do not see it.
    read, written : sequence of str
        The words above and below.
    links : sequence of (int, int, float)
        Word above, word below, weight.
    vector : str
        What is written on the one vector that all lines go through; empty where there is none.
    """

    title: str
    note: str
    label: str
    read: Sequence[str]
    written: Sequence[str]
    links: Sequence[tuple[int, int, float]] = ()
    vector: str = ""


@dataclass(frozen=True, slots=True)
class PrintedLinks:
    """Drawings of words and lines, side by side.

    Parameters
    ----------
    drawings : sequence of WordLinks
        At least one.
    """

    drawings: Sequence[WordLinks]


@dataclass(frozen=True, slots=True)
class PrintedStrips:
    """Vectors and matrices below each other.

    Parameters
    ----------
    title : str
        What they are the numbers of.
    strips : sequence of Strip
        At least one.
    """

    title: str
    strips: Sequence[Strip]


def is_printable(figure: go.Figure) -> bool:
    """Return whether `viz.figures.publication` draws a Plotly figure: maps, and charts on one pair of axes.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    """
    if isinstance(figure, PanelFigure):
        return True
    kinds = [each.type for each in figure.data]
    return set(kinds) <= {"scatter", "heatmap"} and all(
        each.type == "scatter" or each.coloraxis == "coloraxis" for each in figure.data
    )


Printed = PrintedWalk | PrintedHeads | PrintedLinks | PrintedStrips
