"""Nearest places of a datastore after each token of a text: the token that followed there, darker with its weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from viz.figures.drawing.word_cells import LEFT, WordCells, draw_word_cells, word_of
from viz.text import tokens
from viz.text.language import _

COLUMN = 76  # pixels of a column at least
MOST = 8  # neighbours of a row at most


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """What is shown of the neighbours after one token."""

    token: str
    came: str | None  # the token that the text has next; None after its last
    before: Sequence[str]  # [neighbour] The words that were read up to that place, the nearest first
    followed: Sequence[str]  # [neighbour]
    weights: Sequence[float]  # [neighbour]


def neighbour_map(rows: Sequence[NeighbourRow], *, width: float = 900) -> go.Figure:
    """Show the nearest places, a row a token of the text: framed is a value that is the text's next token."""
    count = max(2, min(MOST, int((width - LEFT) // COLUMN)))
    cells = WordCells(
        title=_("Nearest places of the memory"),
        meaning=_("weight of the place among all neighbours"),
        hover=_(
            "After “{token}”: “… {before}” was followed by {word}, weight {weight}",
            token="%{y}",
            before="%{customdata[0]}",
            word="<b>%{customdata[1]}</b>",
            weight="<b>%{z:.4f}</b>",
        ),
        largest=max(0.01, *(max(each.weights[:count]) for each in rows)),
        rows=[word_of(each.token) for each in rows],
        columns=[str(number + 1) for number in range(count)],
        shares=[each.weights[:count] for each in rows],
        words=[[word_of(word) for word in each.followed[:count]] for each in rows],
        told=[
            [
                [tokens.escape(before), tokens.escape(tokens.visible(word))]
                for before, word in zip(each.before[:count], each.followed[:count], strict=True)
            ]
            for each in rows
        ],
        framed=[
            (place, number)
            for place, each in enumerate(rows)
            for number, word in enumerate(each.followed[:count])
            if word == each.came
        ],
        axes=(_("after the token"), _("place of the memory, the nearest first")),
    )
    return draw_word_cells(cells, width=width)
