"""The hypotheses of a beam search as a tree: a row each, from the subword at which it leaves another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import plotly.graph_objects as go

from viz.figures.drawing.grid import GLYPH_WIDTH
from viz.figures.drawing.lines import headed
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, PICKED_COLOUR, TEXT_COLOUR, template
from viz.text import tokens
from viz.text.language import _
from viz.views.beam_tree import GREEDY, Branch

ROW, ABOVE, BELOW = 46, 84, 64
"""Pixels of a row, and above and below all."""

LEFT, APART = 128, 16
"""Pixels of the names at the left, and between two subwords."""

_GREY, _GREEDY_COLOUR = "#8a8f98", "#0072b2"


def beam_tree(rows: Sequence[Branch], *, chosen: str = "1", width: float = 1320) -> go.Figure:
    """Show hypotheses in their rows, the way of the `chosen` one and that of greedy decoding drawn over the others."""
    places = _places(rows, width)
    end = places[-1] + places[1] / 2
    picked = next(place for place, row in enumerate(rows) if row.code == chosen)
    greedy = next((place for place, row in enumerate(rows) if row.is_greedy), None)
    lines = [_line(*_points([_own(rows, place, places) for place in range(len(rows))]), color=_GREY, width=1.5)]
    picked_line = _line(*_points([_way(rows, picked, places)]), color=PICKED_COLOUR, width=4)
    lines.append(picked_line.update(name=_("the hypothesis whose map is shown"), showlegend=True))
    if greedy is not None:
        line = _line(*_points([_way(rows, greedy, places)]), color=_GREEDY_COLOUR, width=2, dash="dot")
        lines.append(line.update(name=_("greedy decoding"), showlegend=True))
    layout = {
        "template": template(),
        "width": max(width, end + LEFT),
        "height": ABOVE + BELOW + ROW * len(rows),
        "margin": {"l": LEFT, "r": 8, "t": ABOVE, "b": BELOW},
        "title": headed(_("Tree of the beam")),
        "clickmode": "event+select",
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": {
            "range": [-APART, end],
            "tickvals": places[1:],
            "ticktext": [str(number) for number in range(1, len(places))],
            "title": {"text": _("subword, in the order written"), "font": {"size": FONT_SIZE}},
            "fixedrange": True,
        },
        "yaxis": {
            "range": [len(rows) - 0.5, -0.7],
            "tickvals": list(range(len(rows))),
            "ticktext": [_name(row, picked=row.code == chosen) for row in rows],
            "title": {"text": _("rank, mean log-probability"), "font": {"size": NOTE_SIZE}},
            "fixedrange": True,
        },
    }
    return go.Figure([*lines, _nodes(rows, places)], layout)


def _name(row: Branch, *, picked: bool) -> str:
    name = f"{_('greedy') if row.code == GREEDY else row.code} · {row.hypothesis.score:.3f}".replace("-", "\u2212")
    return f"<b>{name}</b>" if picked else name


def _places(rows: Sequence[Branch], width: float) -> list[float]:
    """Return how far to the right the beginning and each subword stand, in pixels."""
    count = max(map(len, rows))
    widest = [
        max(tokens.width(_label(row, place)) for row in rows if place < len(row)) * GLYPH_WIDTH * FONT_SIZE + APART
        for place in range(count)
    ]
    spare = max(0.0, (width - LEFT - 2 * APART - sum(widest)) / count)
    ends = list(accumulate((each + spare for each in widest), initial=0.0))
    return [0.0, *((one + other) / 2 for one, other in pairwise(ends))]


def _label(row: Branch, place: int) -> str:
    text = row.hypothesis.texts[place]
    return tokens.visible(text.strip() or text)


def _own(rows: Sequence[Branch], place: int, places: Sequence[float]) -> list[tuple[float, int]]:
    """Return the corners of the line of a row, from the token that it goes on from."""
    row = rows[place]
    return [(places[row.first], row.parent), *((places[at + 1], place) for at in range(row.first, len(row)))]


def _way(rows: Sequence[Branch], place: int, places: Sequence[float]) -> list[tuple[float, int]]:
    """Return the corners of the line of a whole hypothesis, from the beginning."""
    row = rows[place]
    before = _way(rows, row.parent, places)[: row.first + 1] if row.first else [(0.0, 0)]
    return [*before, *_own(rows, place, places)[1:]]


def _points(ways: Sequence[Sequence[tuple[float, int]]]) -> tuple[list[float | None], list[float | None]]:
    """Return the corners of lines as Plotly takes them, nothing between two lines."""
    return (
        [x for way in ways for x in (*(x for x, _y in way), None)],
        [y for way in ways for y in (*(y for _x, y in way), None)],
    )


def _line(x: list[float | None], y: list[float | None], **line: Any) -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _nodes(rows: Sequence[Branch], places: Sequence[float]) -> go.Scatter:
    """Return every subword as a point that can be clicked, its row's code with it."""
    own = [(place, row, at) for place, row in enumerate(rows) for at in range(row.first, len(row))]
    said = []
    for _place, row, at in own:
        worth = row.hypothesis.log_probabilities
        said.append(
            _(
                "<b>{word}</b>: log-probability {own}<br>sum up to here {sum}",
                word=tokens.escape(_label(row, at)),
                own=f"{worth[at]:.3f}",
                sum=f"{sum(worth[: at + 1]):.3f}",
            )
        )
    shown = {"marker": {"opacity": 1}, "textfont": {"color": TEXT_COLOUR}}
    return go.Scatter(
        x=[places[at + 1] for _place, _row, at in own],
        y=[place for place, _row, _at in own],
        mode="markers+text",
        text=[tokens.escape(_label(row, at)) for _place, row, at in own],
        textposition="top center",
        textfont={"size": FONT_SIZE},
        marker={"size": 9, "color": _GREY},
        customdata=[[row.code] for _place, row, _at in own],
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
        selected=shown,
        unselected=shown,
        showlegend=False,
    )
