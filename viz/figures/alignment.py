"""Which word reads which: attention maps side by side, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from models.sites import Site
from models.trace import AttentionTrace, Reading, TokenSequence
from viz import tokens
from viz.language import _
from viz.panels import TICK, Box, Grid, PanelSize, arrange
from viz.theme import NOTE_SIZE, TITLE_SIZE, template, weight_axis
from viz.views import Head, Unit, View, choose_view, notes_of

LEGEND_HEIGHT = 72  # pixels of the colour bar with its title and numbers
LEGEND_WIDTH = 420
NUMBERS_HEIGHT = 26  # pixels of the numbers under it
MOST_GAPPED_CELLS = 48  # in a row: a line between cells would leave nothing of narrower ones
NARROW = 600  # pixels: labels of a figure as narrow as a phone are cut earlier
LONGEST_NARROW_LABEL = 14
SHORT_AREA = 190  # pixels: beside fewer the title of the rows takes two lines


def alignment_heatmap(
    traces: AttentionTrace | Sequence[AttentionTrace],
    *,
    unit: Unit = "word",
    site: Site | str | None = None,
    head: Head | None = None,
    reading: Reading | None = None,
    columns: int | None = None,
    width: float = 1320,
) -> go.Figure:
    """Show which key each query reads: one heatmap a trace, in one figure on one scale from 0 to 1.

    Rows are queries, from the top down; columns are keys. A cell's colour is the attention weight, whatever
    else the figure holds; hovering gives its exact value and both tokens. Each panel says what it shows and
    what was done to it: merged, edited, cut.

    Parameters
    ----------
    traces : AttentionTrace or sequence of AttentionTrace
        At least one.
    unit : {"word", "piece"}, optional
        Words (pieces summed over a key word, averaged over a query word), or the pieces that the model reads.
    site, head, reading : optional
        Which map; left out, the one that each trace names as its alignment.
    columns : int, optional
        Panels in a row; left out, as many as `width` has room for.
    width : float, optional
        Pixels at which the figure will be shown: labels and gaps are laid out for it.

    Returns
    -------
    plotly.graph_objects.Figure
        Its height follows its rows.

    Raises
    ------
    KeyError
        If `site` was not captured.
    ValueError
        If there is no trace, or a choice is not one that there is.

    Examples
    --------
    >>> from models.trace import AttentionMap, AttentionTrace, Provenance, Step
    >>> source, target = TokenSequence.from_words(("cats", "</s>")), TokenSequence.from_words(("chats", "</s>"))
    >>> cross = AttentionMap(Site("decoder", 0, "cross"), np.array([[[0.9, 0.1], [0.2, 0.8]]]), target, source)
    >>> trace = AttentionTrace(
    ...     source,
    ...     target,
    ...     TokenSequence.from_words(("<s>", "chats")),
    ...     (cross,),
    ...     tuple(Step(text, -1, 0.0) for text in target.texts),
    ...     "cats",
    ...     "chats",
    ...     Provenance("demo", "Demo", 2015, "", "", "demo-en-fr", "", (), "greedy"),
    ... )
    >>> figure = alignment_heatmap(trace)
    >>> figure.layout.yaxis.ticktext
    ('chats', '&lt;/s&gt;')
    """
    several = (traces,) if isinstance(traces, AttentionTrace) else tuple(traces)
    if not several:
        message = "alignment_heatmap shows at least one trace; got none"
        raise ValueError(message)
    views = [choose_view(trace, unit=unit, site=site, head=head, reading=reading) for trace in several]
    longest = LONGEST_NARROW_LABEL if width < NARROW else tokens.LONGEST_LABEL
    grid = arrange([_size(view, longest) for view in views], width=width, columns=columns, legend=LEGEND_HEIGHT)
    layout = _layout(grid, stacked=len(views) > grid.columns)
    heatmaps: list[go.Heatmap] = []
    for number, (view, box) in enumerate(zip(views, grid.boxes, strict=True), start=1):
        suffix = "" if number == 1 else str(number)
        layout[f"xaxis{suffix}"] = _key_axis(view, grid, box, anchor=f"y{suffix}", longest=longest)
        layout[f"yaxis{suffix}"] = _query_axis(view, grid, box, anchor=f"x{suffix}", longest=longest)
        layout["annotations"].append(_heading(view, grid, box))
        heatmaps.append(_heatmap(view, suffix, longest))
    return go.Figure(heatmaps, layout)


def _size(view: View, longest: int) -> PanelSize:
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    labels = tuple(tokens.widest((text,), longest) for text in keys)
    return PanelSize(len(queries), len(keys), tokens.widest(queries, longest), labels, "\u00a0· ".join(notes_of(view)))


def _layout(grid: Grid, *, stacked: bool) -> dict[str, Any]:
    colours = weight_axis(_("attention weight: share of the reading given to this word"))
    lower = grid.height - LEGEND_HEIGHT if stacked else 0
    place = {"x": 0.0, "xanchor": "left", "y": (lower + NUMBERS_HEIGHT) / grid.height, "yanchor": "bottom"}
    colours["colorbar"] |= {"len": min(LEGEND_WIDTH, grid.width - 20), "xpad": 8, "ypad": 0, **place}
    return {
        "template": template(),
        "width": grid.width,
        "height": grid.height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False},
        "coloraxis": colours,
        "annotations": [],
    }


def _heatmap(view: View, suffix: str, longest: int) -> go.Heatmap:
    gap = 1 if max(view.weights.shape) <= MOST_GAPPED_CELLS else 0
    whole = _whole_texts(view, longest)
    hover = view.cell(weight="<b>%{z:.4f}</b>", query="<b>%{y}</b>", key="<b>%{x}</b>")
    return go.Heatmap(
        z=view.weights,
        customdata=whole,
        coloraxis="coloraxis",
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        xgap=gap,
        ygap=gap,
        name=tokens.escape(view.title),
        hovertemplate=f"{hover if whole is None else '%{customdata}'}<extra></extra>",
    )


def _whole_texts(view: View, longest: int) -> NDArray[np.object_] | None:
    """Give the hover text of each cell, if a label on an axis does not show its whole token; else None."""
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    if not any(tokens.is_cut(text, longest) for text in (*queries, *keys)):
        return None
    texts = [
        [_cell_text(view, weight, query, key) for weight, key in zip(row, keys, strict=True)]
        for row, query in zip(view.weights, queries, strict=True)
    ]
    return np.array(texts, dtype=object)


def _cell_text(view: View, weight: float, query: str, key: str) -> str:
    parts = {"weight": f"{weight:.4f}", "query": tokens.full_label(query), "key": tokens.full_label(key)}
    return view.cell(**{name: f"<b>{text}</b>" for name, text in parts.items()})


def _axis(
    sequence: TokenSequence, longest: int, *, domain: tuple[float, float], title: str, anchor: str
) -> dict[str, Any]:
    """Give an axis of integer positions: Plotly would merge equal labels into one row."""
    count = len(sequence)
    return {
        "type": "linear",
        "domain": domain,
        "anchor": anchor,
        "tickmode": "array",
        "tickvals": np.arange(count),
        "ticktext": [tokens.label(text, longest) for text in sequence.texts],
        "ticks": "outside",
        "ticklen": TICK,
        "tickcolor": "rgba(0,0,0,0)",
        "title": {"text": title, "font": {"size": NOTE_SIZE + 1}, "standoff": 6},
        "fixedrange": True,
        "automargin": False,
        "ticklabeloverflow": "allow",
    }


def _key_axis(view: View, grid: Grid, box: Box, *, anchor: str, longest: int) -> dict[str, Any]:
    keys = view.shown.key_tokens
    axis = _axis(keys, longest, domain=grid.x_domain(box), title=view.key_title, anchor=anchor)
    font = {"size": grid.column_font}
    return axis | {"side": "top", "range": [-0.5, len(keys) - 0.5], "tickangle": grid.angle, "tickfont": font}


def _query_axis(view: View, grid: Grid, box: Box, *, anchor: str, longest: int) -> dict[str, Any]:
    queries = view.shown.query_tokens
    title = view.query_title if box.bottom - box.top >= SHORT_AREA else view.query_title.replace(": ", ":<br>", 1)
    axis = _axis(queries, longest, domain=grid.y_domain(box), title=title, anchor=anchor)
    return axis | {"range": [len(queries) - 0.5, -0.5]}


def _heading(view: View, grid: Grid, box: Box) -> dict[str, Any]:
    note = "<br>".join(map(tokens.escape, box.note))
    small = f'<br><span style="font-size:{NOTE_SIZE}px">{note}</span>' if note else ""
    return {
        "text": f"<b>{tokens.escape(view.title)}</b>{small}",
        "x": box.head_left / grid.width,
        "y": 1 - box.head_top / grid.height,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "top",
        "align": "left",
        "showarrow": False,
        "font": {"size": TITLE_SIZE},
    }
