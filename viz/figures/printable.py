"""Data of browser pictures for print: numbers and words, no drawing library."""

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
from viz.views.view import UNKNOWN, Subject


@dataclass(frozen=True, slots=True)
class PrintedWalk:
    """The picture of a walk: one a mechanism."""

    pictures: Sequence[Mapping[str, Any]]  # as `viz.walk.order.keep_step` gives them
    formulas: Sequence[Sequence[str]]  # the lines of each mechanism's formula, in LaTeX
    step: str  # the key of the step that is explained


@dataclass(frozen=True, slots=True, eq=False)
class PrintedHeads:
    """All heads at a glance."""

    title: str
    notes: Sequence[str]  # what holds for all; which tokens rows and columns are
    axes: Sequence[str]  # what holds for all; which tokens rows and columns are
    heads: Sequence[HeadPlace]  # in the order in which they stand
    cells: NDArray[np.float32]  # [head, row, column] The weights
    labels: Sequence[str]  # A word or two on each; empty for none
    in_layers: bool  # whether a row of maps is a layer
    picked: Mapping[HeadPlace, str]  # the colour of the frame of each that is picked
    colour: Colour
    meaning: str  # what a colour means
    subject: Subject = UNKNOWN


@dataclass(frozen=True, slots=True)
class WordLinks:
    """Words over words, joined by lines: a drawing of what goes from one line to the other."""

    title: str  # what it shows; what its lines are; the same for those who do not see it
    note: str  # what it shows; what its lines are; the same for those who do not see it
    label: str  # what it shows; what its lines are; the same for those who do not see it
    read: Sequence[str]  # the words above and below
    written: Sequence[str]  # the words above and below
    links: Sequence[tuple[int, int, float]] = ()  # word above, word below, weight
    vector: str = ""  # what is written on the one vector that all lines go through; empty where there is none
    subject: Subject = UNKNOWN


@dataclass(frozen=True, slots=True)
class PrintedLinks:
    """Drawings of words and lines, side by side."""

    drawings: Sequence[WordLinks]  # at least one


@dataclass(frozen=True, slots=True)
class PrintedStrips:
    """Vectors and matrices below each other."""

    title: str  # what they are the numbers of
    strips: Sequence[Strip]  # at least one


def is_printable(figure: go.Figure) -> bool:
    """Return whether `viz.figures.publication` draws a Plotly figure: maps, and charts on one pair of axes."""
    if isinstance(figure, PanelFigure):
        return True
    kinds = [each.type for each in figure.data]
    return set(kinds) <= {"scatter", "heatmap"} and all(
        each.type == "scatter" or each.coloraxis == "coloraxis" for each in figure.data
    )


Printed = PrintedWalk | PrintedHeads | PrintedLinks | PrintedStrips
