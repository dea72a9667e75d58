"""Data of the canvas of picked heads: exact weights, tokens and positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np

from viz.canvas.payload import JOINT, MOST_PICKED, USUAL, Look, header_of, pack
from viz.captions.heads import overview_note
from viz.captions.maps import common_notes, crossed_note, empty_note, map_title, quantity_note, threshold_note
from viz.figures.drawing.axes import AXIS_TITLE_SIZE, axis_places, cell_gap, heading_size, longest_label, panel_size
from viz.figures.drawing.colour_bar import NUMBERS_HEIGHT, bar_height, bar_width, title_lines, weight_colours
from viz.figures.drawing.grid import GLYPH_WIDTH, LINE_HEIGHT, TICK, Box, Grid, PanelSize, arrange
from viz.figures.drawing.panel import Panel, panel_of
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, TITLE_SIZE, Colour, weight_ticks
from viz.text.language import SEMICOLON, _, listed, mark, parted
from viz.text.tokens import isolated, shorten, visible
from viz.text.tokens import width as text_width
from viz.views.heads import HeadPlace
from viz.views.later import scores_of
from viz.views.view import View

BAR = 12  # pixels of the colour bar's height
FRAME = 4  # pixels by which the frame of a map reaches beyond its cells
TITLE_GLYPH = 0.45  # of a column of a title, as a share of its size
COLONS = ":\uff1a"
RAISED = 0.35  # of a text's size: from the middle of its letters down to their line

MOVING = mark("Arrow keys move between maps, with Shift inside one.")
"""What the keys do where nothing can be chosen of a cell; still to be translated."""

_SCORED = mark("point at a crossed-out cell for the score that it would have")
_WORDS = {"keys": MOVING}
_OFFERING = {
    "keys": mark("Click a word or a cell to ask about it. Arrow keys with Shift move inside a map; Enter asks."),
    "menu": mark("Questions"),
}


def encode_comparison(
    views: Sequence[View],
    places: Sequence[HeadPlace],
    *,
    among: Sequence[HeadPlace],
    look: Look = USUAL,
    offers: Sequence[Mapping[str, Any]] = (),
    crossed: Sequence[View] = (),
) -> bytes:
    """Return all that the canvas of picked heads shows: their maps side by side on one scale from 0 to 1.

    `crossed` are the same heads' scores of later words, as `viz.views.later` gives them: what crossed-out cells say.

    On the page the legend, axes and notes are written below the maps; what is saved has them in the picture.
    """
    view = views[0]
    title = _(
        "{heads}: {title}",
        heads=listed((place.title for place in places), SEMICOLON),
        title=map_title(view.shown.site, view.trace.provenance.edits),
    )
    hidden = (*crossed_note(view.masked), *((_(_SCORED),) if crossed else ()))
    said = JOINT.join((*_common(view), *hidden, *threshold_note([each.weights for each in views], view.threshold)))
    most = max(MOST_PICKED, len(places))
    header = {
        **header_of(view, title, said, look, _OFFERING if offers else _WORDS),
        "note": JOINT.join((_below(view), *hidden)),
        **labels_of(view, look.width),
        **({"offers": list(offers)} if offers else {}),
        **crossed_of(views, crossed),
        "heads": list(places),
        "layouts": _layouts(view, most, among, look.colour, look.width),
        "page": _page_layouts(view, most, among, look.width),
    }
    return pack(header, weights_of(views))


def crossed_of(views: Sequence[View], later: Sequence[View] = ()) -> dict[str, Any]:
    """Return which cells of maps are crossed out, those that the causal mask hides; nothing where it hides none.

    Of each map, row by row: the score that the cell would have where `later` has it, else True; None of the others.
    """
    if all(view.masked is None for view in views):
        return {}
    return {"crossed": [_crossed(view, *later[n : n + 1]) for n, view in enumerate(views)]}


def _crossed(view: View, later: View | None = None) -> list[float | bool | None]:
    masked = np.zeros(view.weights.shape, bool) if view.masked is None else view.masked
    if later is None:
        return [True if each else None for each in masked.flat]
    scores = zip(masked.flat, scores_of(later).flat, strict=True)
    return [round(float(score), 3) if hidden else None for hidden, score in scores]


def labels_of(view: View, width: float) -> dict[str, Any]:
    """Return the labels of rows and columns, and how they are set, in a figure of `width` pixels."""
    queries, keys, longest = view.query_labels, view.key_labels, longest_label(width)
    return {
        "row_labels": [isolated(shorten(visible(text), longest)) for text in queries.texts],
        "column_labels": [isolated(shorten(visible(text), longest)) for text in keys.texts],
        "rows": list(range(len(queries) + 1)),
        "columns": list(range(len(keys) + 1)),
        "gaps": cell_gap(view.weights) > 0,
        "row_font": FONT_SIZE,
        "tick": TICK,
        "raised": RAISED,
    }


def weights_of(views: Sequence[View]) -> bytes:
    """Return the maps of `views`, of one size, as they are packed: float32, little-endian, [map, query, key]."""
    return np.stack([np.asarray(each.weights, dtype="<f4") for each in views]).tobytes()


def _layouts(view: View, most: int, among: Sequence[HeadPlace], colour: Colour, width: float) -> list[dict[str, Any]]:
    """Return the places of 1, 2, ... `most` maps, as `layout_of` gives them."""
    title = max((place.title for place in among), key=len)
    panel = replace(panel_of(view, title=title, notes=_empty(view)), threshold=0.0)
    first = replace(panel, notes=(*_common(view), *panel.notes))  # what holds for all is said under the first
    panels = [first, *[panel] * (most - 1)]
    sizes = [panel_size(each, longest_label(width)) for each in panels]
    counts = range(1, most + 1)
    return [layout_of(panels[:count], sizes[:count], colour, width, meaning=view.meaning) for count in counts]


def _below(view: View) -> str:
    """Say what the axes of every map are, and what holds for all; the caption says what is moved."""
    said = overview_note([replace(view, threshold=0.0)]).split(JOINT)
    return JOINT.join(each for each in said if each not in quantity_note(view))


def _page_layouts(view: View, most: int, among: Sequence[HeadPlace], width: float) -> list[dict[str, Any]]:
    """Return the places of 1, 2, ... `most` maps on a page."""
    title = max((place.title for place in among), key=len)
    panel = replace(panel_of(view, title=title, notes=_empty(view)), threshold=0.0)
    size = panel_size(panel, longest_label(width))
    wide = text_width(title) * TITLE_GLYPH * TITLE_SIZE
    return [page_layout_of([panel] * count, [size] * count, width, title=wide) for count in range(1, most + 1)]


def page_layout_of(
    panels: Sequence[Panel], sizes: Sequence[PanelSize], width: float, *, title: float | None = None
) -> dict[str, Any]:
    """Return the places of the maps of `panels` on a page, which writes the legend below them; `title` as `arrange`."""
    grid = arrange(sizes, width=width - FRAME, axis_title=0, title=title)
    return {
        **_places(panels, grid),
        "texts": [text for panel, box in zip(panels, grid.boxes, strict=True) for text in _corner(panel, box)],
        "bar": {"x": 0, "y": 0, "width": 0, "height": 0},
    }


def _corner(panel: Panel, box: Box) -> list[dict[str, Any]]:
    """Say in a word each what rows and columns are, where both begin, in the lines that the title of the map leaves."""
    size, line = NOTE_SIZE, NOTE_SIZE * LINE_HEIGHT
    titles = (("↓", panel.query_title), ("→", panel.key_title))
    named = [f"{arrow} {parted(title)[0].rstrip(COLONS)}" for arrow, title in titles]
    room = box.top - TICK - box.head_top - TITLE_SIZE * LINE_HEIGHT * (1 + len(box.note))
    lines = named if room >= line * len(named) else [" ".join(named)]
    fits = max(map(text_width, lines)) * GLYPH_WIDTH * size <= box.left - box.head_left - TICK
    if room < line or not fits:
        return []
    first = box.top - TICK - line * (len(lines) - 1)
    return [
        {"text": text, "x": box.head_left, "y": first + line * number, "size": size, "weight": 400}
        for number, text in enumerate(lines)
    ]


def layout_of(
    panels: Sequence[Panel], sizes: Sequence[PanelSize], colour: Colour, width: float, *, meaning: str | None = None
) -> dict[str, Any]:
    """Return the places in pixels of the maps of `panels`, their titles, notes, axis titles and the legend."""
    colours = weight_colours(colour, width=width, meaning=meaning)
    legend, lines = bar_height(colours), list(map(unescape, title_lines(colours)))
    grid = arrange(sizes, width=width - FRAME, legend=legend)
    top = 0.0 if len(grid.boxes) > grid.columns else grid.height - legend
    bar = {"x": 0, "y": top + legend - NUMBERS_HEIGHT - BAR, "width": bar_width(grid.width), "height": BAR}
    return {
        **_places(panels, grid),
        "texts": [
            *(text for panel, box in zip(panels, grid.boxes, strict=True) for text in _axis_texts(panel, grid, box)),
            *_legend_texts(lines, bar, colour),
        ],
        "bar": bar,
    }


def _places(panels: Sequence[Panel], grid: Grid) -> dict[str, Any]:
    """Return the size of a figure, the places of its maps and of their headings, and how its columns are labelled."""
    return {
        "width": grid.width + FRAME,
        "height": grid.height,
        "boxes": [[box.left, box.top, box.right - box.left, box.bottom - box.top] for box in grid.boxes],
        "headings": [_heading(panel.title, grid, box) for panel, box in zip(panels, grid.boxes, strict=True)],
        "columns": grid.columns,
        "angle": grid.angle,
        "column_font": grid.column_font,
    }


def _common(view: View) -> list[str]:
    """Return what holds for all maps, less what is moved: the caption says that once, below the picture."""
    return [note for note in common_notes(view) if note not in quantity_note(view)]


def _empty(view: View) -> tuple[str, ...]:
    """Return the note on cells below the threshold; the browser counts them, as it may draw before it is asked."""
    if not view.threshold:
        return ()
    return (empty_note(view.threshold, "{count}", view.weights.size),)


def _heading(title: str, grid: Grid, box: Box) -> dict[str, Any]:
    size = heading_size(title, grid)
    return {
        "x": box.head_left,
        "y": box.head_top + size,
        "size": size,
        "notes": box.note,
        "note_size": NOTE_SIZE,
        "line": TITLE_SIZE * LINE_HEIGHT,
    }


def _axis_texts(panel: Panel, grid: Grid, box: Box) -> list[dict[str, Any]]:
    """Return the titles of both axes of a map, a line a text."""
    (columns, above), (rows, beside) = axis_places(panel, grid, box)
    line, size = AXIS_TITLE_SIZE * LINE_HEIGHT, AXIS_TITLE_SIZE
    common = {"size": size, "weight": 400, "middle": True}
    first = above[1] - size * (1 - RAISED) / 2 - line * (len(columns) - 1)
    across = [
        {"text": text, "x": above[0], "y": first + line * number, **common} for number, text in enumerate(columns)
    ]
    down = [
        {"text": text, "x": beside[0] + size + line * number, "y": beside[1], "turn": -90, **common}
        for number, text in enumerate(rows)
    ]
    return [*across, *down]


def _legend_texts(lines: Sequence[str], bar: dict[str, Any], colour: Colour) -> list[dict[str, Any]]:
    """Return the title of the colour bar over it, and its numbers under it."""
    line, common = NOTE_SIZE * LINE_HEIGHT, {"size": NOTE_SIZE, "weight": 400}
    lowest = bar["y"] - NOTE_SIZE * RAISED
    title = [
        {"text": text, "x": 0, "y": lowest - line * (len(lines) - 1 - number), **common}
        for number, text in enumerate(lines)
    ]
    below = bar["y"] + BAR + NOTE_SIZE + 3
    ends = {0.0: {}, 1.0: {"end": True}}
    numbers = [
        {"text": text, "x": bar["width"] * at, "y": below, **common, **ends.get(at, {"middle": True})}
        for at, text in weight_ticks(colour)
    ]
    return [*title, *numbers]
