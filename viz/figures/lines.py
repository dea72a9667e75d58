"""Attention of a few heads as lines between two columns of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.trace import AttentionTrace
from viz.captions.maps import common_notes, map_title, masked_note
from viz.figures.drawing.grid import GLYPH_WIDTH, LINE_HEIGHT, LOW_ROW_HEIGHT, MANY_ROWS, ROW_HEIGHT
from viz.figures.drawing.headline import LINE, headline, words_at, wrapped
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.theme import FONT_SIZE, HEAD_COLOURS, NOTE_SIZE, TITLE_SIZE
from viz.text import tokens
from viz.text.language import _, _n, broken_title
from viz.views.heads import HeadPlace, pick_views
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit, View

LEAST = 0.05
"""Lines of smaller weights are left out unless another threshold is asked for: a head of 64 tokens has 4,096."""

CLASSES = 6
"""Lines of a head are drawn in so many classes of weight, each one trace with one thickness and one opacity: Plotly
takes its time for each trace, and little for a line of one."""

THICKEST = 6.0  # pixels of a line of weight 1
THINNEST = 0.6
BESIDE = 0.16  # rows between the lines of two heads over the same tokens, so that neither hides the other
FAINTEST = 0.18  # opacity of the class of the smallest weights
MOST_NAMED = 5  # links of a token that its hover text names
LONGEST_LABEL = 20
SHARE_OF_LABELS = 0.36  # of the width of the figure that labels of one side may take


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """The lines of one head: queries, keys and weights, from the smallest weight to the largest."""

    place: HeadPlace
    queries: NDArray[np.int64]
    keys: NDArray[np.int64]
    weights: NDArray[np.float32]


def head_lines(
    trace: AttentionTrace,
    *,
    heads: Sequence[HeadPlace],
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    hiding: Hiding = NOTHING,
    width: float = 900,
) -> go.Figure:
    """Draw a line from each query at the left to each key that it reads at the right, thicker for more weight.

    Each head has a colour. Lines of less than the threshold are left out, and how many they are is said. Hovering
    over a token names what it reads, or what reads it; in a page `viz.widgets.isolation` draws its lines alone.

    Parameters
    ----------
    trace : AttentionTrace
    heads : sequence of HeadPlace
        One to four.
    sites, unit : optional
        As in `head_comparison`.
    hiding : Hiding, optional
        Tokens that are left out, and the threshold; without one, `LEAST`.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        Up to `CLASSES` traces a head, each a run of separate lines, and one trace of markers a side.

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If there are no heads or more than can be told apart.
    """
    if not 1 <= len(heads) <= len(HEAD_COLOURS):
        message = f"lines show 1 to {len(HEAD_COLOURS)} heads; got {len(heads)}"
        raise ValueError(message)
    views = pick_views(trace, sites, unit, heads, hiding)
    view, least = views[0], hiding.threshold or LEAST
    queries, keys = view.query_labels.texts, view.key_labels.texts
    lines = [_lines(place, each.weights, least) for place, each in zip(heads, views, strict=True)]
    traces = [_named(place, colour) for place, colour in zip(heads, HEAD_COLOURS, strict=False)]
    for number, each in enumerate(lines):
        aside = (number - (len(lines) - 1) / 2) * BESIDE
        traces += _draw(each, HEAD_COLOURS[number], aside, least)
    traces += [_tokens(lines, "query", queries, keys, view.masked), _tokens(lines, "key", queries, keys, view.masked)]
    return go.Figure(traces, _layout(view, lines, least, width) | {"meta": asdict(view.subject)})


def _lines(place: HeadPlace, weights: NDArray[np.float32], least: float) -> _Lines:
    queries, keys = np.nonzero(weights >= least)
    order = np.argsort(weights[queries, keys], kind="stable")
    queries, keys = queries[order], keys[order]
    return _Lines(place, queries, keys, weights[queries, keys])


def faded(colour: str, opacity: float) -> str:
    """Return a colour such as ``#1f3374`` with an opacity from 0 to 1."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:.3f})"


def _named(place: HeadPlace, colour: str) -> go.Scatter:
    """Return what names a head in the legend: a line that is nowhere."""
    line = {"color": colour, "width": THICKEST}
    name = tokens.escape(place.title)
    return go.Scatter(x=[None], y=[None], mode="lines", line=line, name=name, legendgroup=place.title, hoverinfo="skip")


def _draw(lines: _Lines, colour: str, aside: float, least: float) -> list[go.Scatter]:
    """Return the traces of one head: for each class of weight one."""
    edges = np.linspace(least, 1, CLASSES + 1)
    classes = np.clip(np.searchsorted(edges, lines.weights, side="right") - 1, 0, CLASSES - 1)
    traces = []
    for number in range(CLASSES):
        which = classes == number
        if which.any():
            middle = float(edges[number] + edges[number + 1]) / 2
            opacity = FAINTEST + (1 - FAINTEST) * middle
            line = {"color": faded(colour, opacity), "width": max(middle * THICKEST, THINNEST)}
            traces.append(_trace(lines, which, aside).update(line=line))
    return traces


def _trace(lines: _Lines, which: NDArray[np.bool_], aside: float) -> go.Scatter:
    """Return lines as one trace, each three points: its query, its key, and a gap; `aside` rows below the tokens."""
    ends = np.full((int(which.sum()), 3), np.nan, dtype=np.float32)  # [line, point]
    ends[:, 0], ends[:, 1] = lines.queries[which] + aside, lines.keys[which] + aside
    return go.Scatter(
        x=np.tile(np.array([0, 1, np.nan], dtype=np.float32), len(ends)),
        y=ends.ravel(),
        mode="lines",
        hoverinfo="skip",
        legendgroup=lines.place.title,
        showlegend=False,
        meta="lines",
    )


def _tokens(
    lines: Sequence[_Lines],
    side: Literal["query", "key"],
    queries: Sequence[str],
    keys: Sequence[str],
    masked: NDArray[np.bool_] | None,
) -> go.Scatter:
    """Return the markers of one column, each with the strongest links of its token in all heads, and what is masked.

    Shapes: `masked` [query, key].
    """
    own, others = (queries, keys) if side == "query" else (keys, queries)
    texts = [_links(lines, side, position, own[position], others) for position in range(len(own))]
    if masked is not None:
        said = (
            _("hidden from it by the causal mask: {count}")
            if side == "query"
            else _("the causal mask hides it from: {count}")
        )
        hidden = masked.sum(axis=1 if side == "query" else 0)
        texts = [
            f"{text}<br>{said.format(count=count)}" if count else text
            for text, count in zip(texts, hidden, strict=True)
        ]
    return go.Scatter(
        x=np.full(len(own), 0 if side == "query" else 1, dtype=np.float32),
        y=np.arange(len(own), dtype=np.float32),
        text=texts,
        mode="markers",
        marker={"size": 9, "color": "#8a8f98"},
        hovertemplate="%{text}<extra></extra>",
        showlegend=False,
        meta=side,
        yaxis="y" if side == "query" else "y2",
    )


def _links(
    lines: Sequence[_Lines], side: Literal["query", "key"], position: int, text: str, others: Sequence[str]
) -> str:
    """Name the strongest links of one token, strongest first."""
    found = []
    for each in lines:
        mine, theirs = (each.queries, each.keys) if side == "query" else (each.keys, each.queries)
        at = np.flatnonzero(mine == position)
        found += [(float(each.weights[line]), int(theirs[line]), each.place) for line in at]
    found.sort(key=lambda link: -link[0])
    named = tokens.full_label(text)
    head = (
        _("“<b>{token}</b>” attends to", token=named)
        if side == "query"
        else _("“<b>{token}</b>” gets attention from", token=named)
    )
    parts = [
        _(
            "“{token}” {weight} ({head})",
            token=tokens.full_label(others[other]),
            weight=f"{weight:.4f}",
            head=place.title,
        )
        for weight, other, place in found[:MOST_NAMED]
    ]
    if len(found) > MOST_NAMED:
        parts.append(_n("and {count} more", "and {count} more", len(found) - MOST_NAMED))
    return "<br>".join((head, *(parts or [_("nothing above the threshold")])))


def _layout(view: View, lines: Sequence[_Lines], least: float, width: float) -> dict[str, Any]:
    shown = view.shown
    rows = max(len(shown.query_tokens), len(shown.key_tokens), 1)
    title = wrapped(map_title(shown.site), width, TITLE_SIZE)
    note = wrapped("\u00a0· ".join(_notes(view, lines, least)), width)
    legend = LINE * (1 + len(lines) // max(int(width // 170), 1)) + 10
    titles = LINE * 2 + 8
    top = len(title) * TITLE_SIZE * LINE_HEIGHT + len(note) * LINE + legend + titles
    height = top + rows * (ROW_HEIGHT if rows <= MANY_ROWS else LOW_ROW_HEIGHT) + 8
    return {
        **bare_layout(width, height),
        "hovermode": "closest",
        **_axes(view, width, {"range": [rows - 0.5, -0.5], "domain": [0, 1 - top / height], "fixedrange": True}),
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1 - (top - legend - titles) / height,
            "yanchor": "top",
            "font": {"size": NOTE_SIZE},
            "itemclick": "toggle",
            "bgcolor": "rgba(0,0,0,0)",
        },
        "annotations": [*headline(title, note, height), *_titles(view, 1 - (top - 4) / height)],
    }


def _axes(view: View, width: float, y_span: dict[str, Any]) -> dict[str, Any]:
    """Return the axes: queries labelled at the left, keys at the right, `y_span` is what both columns have alike."""
    queries, keys = view.query_labels.texts, view.key_labels.texts
    longest = max(4, min(LONGEST_LABEL, int(width * SHARE_OF_LABELS / (FONT_SIZE * GLYPH_WIDTH))))
    left, right = (tokens.widest(texts, longest) * GLYPH_WIDTH * FONT_SIZE + 14 for texts in (queries, keys))
    return {
        "xaxis": {
            "range": [-0.01, 1.01],
            "domain": [min(left / width, 0.45), max(1 - right / width, 0.55)],
            "showticklabels": False,
            "fixedrange": True,
        },
        "yaxis": _labels(queries, longest) | y_span,
        "yaxis2": _labels(keys, longest) | y_span | {"overlaying": "y", "side": "right", "matches": "y"},
    }


def _titles(view: View, y: float) -> list[dict[str, Any]]:
    """Return the annotations that say what the two columns are; `y` is that of their lower edge."""
    titles = (tokens.escape(broken_title(text)) for text in (view.query_title, view.key_title))
    return [
        words_at(text.replace("\n", "<br>"), x, y, size=NOTE_SIZE + 1, xanchor=side, yanchor="bottom", align=side)
        for text, x, side in zip(titles, (0, 1), ("left", "right"), strict=True)
    ]


def _labels(texts: Sequence[str], longest: int) -> dict[str, Any]:
    return {
        "tickmode": "array",
        "tickvals": np.arange(len(texts)),
        "ticktext": [tokens.label(text, longest) for text in texts],
        "automargin": False,
        "ticks": "",
    }


def _notes(view: View, lines: Sequence[_Lines], least: float) -> tuple[str, ...]:
    """Say how the lines are read, and how many are left out: plain text."""
    drawn, all_ = sum(len(each.weights) for each in lines), len(lines) * view.shown.weights[0].size
    return (
        _("lines run from the query (left) to the key (right)"),
        _(
            "thicker: more weight; below {least} not drawn: {count} of {all}",
            least=f"{least:g}",
            count=all_ - drawn,
            all=all_,
        ),
        *common_notes(view),
        *masked_note(view.masked),
    )
