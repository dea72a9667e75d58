"""Data of the Surgery's canvas: one map as trained and one edited, and the edits that each word and cell offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viz.canvas.comparison import crossed_of, labels_of, layout_of, page_layout_of, weights_of
from viz.canvas.payload import JOINT, USUAL, Look, header_of, pack
from viz.captions.maps import axes_note, crossed_note, notes_of
from viz.figures.drawing.axes import longest_label, panel_size
from viz.figures.drawing.grid import GLYPH_WIDTH, LINE_HEIGHT
from viz.figures.drawing.panel import panel_of
from viz.figures.drawing.theme import NOTE_SIZE
from viz.text.language import _, mark
from viz.text.tokens import wrap
from viz.views.view import View

_WORDS = {
    "keys": mark("Click a word or a cell to edit it. Arrow keys with Shift move inside a map; Enter offers the edits."),
    "menu": mark("Edits"),
}


def encode_edited(
    before: View,
    after: View | None,
    *,
    offers: Sequence[Mapping[str, Any]],
    look: Look = USUAL,
) -> bytes:
    """Return all that the canvas of the Surgery shows: a map as trained and as edited, on one scale from 0 to 1.

    Where two stand side by side, the edited one has its place before anything is edited: nothing moves at the first
    edit.
    """
    views = [before, before if after is None else after]
    titles = [_("as trained"), _("edited") if after else _("edited: nothing yet")]
    if after is None and _columns(views, titles, look) < len(views):
        views, titles = views[:1], titles[:1]
    return encode_alike(views, titles, words=_WORDS, offers=offers, look=look)


def _columns(views: Sequence[View], titles: Sequence[str], look: Look) -> int:
    """Return how many maps stand side by side."""
    columns: int = _layouts(views, titles, look)[0]["columns"]
    return columns


def _layouts(views: Sequence[View], titles: Sequence[str], look: Look) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return where the maps are in a picture that is saved, and on the page."""
    panels = [panel_of(view, title=title, notes=()) for view, title in zip(views, titles, strict=True)]
    sizes = [panel_size(panel, longest_label(look.width)) for panel in panels]
    saved = layout_of(panels, sizes, look.colour, look.width, meaning=views[0].meaning)
    return saved, page_layout_of(panels, sizes, look.width)


def encode_alike(
    views: Sequence[View],
    titles: Sequence[str],
    *,
    words: Mapping[str, str],
    offers: Sequence[Mapping[str, Any]] = (),
    look: Look = USUAL,
) -> bytes:
    """Return maps of the same rows and columns side by side, on one scale from 0 to 1, with linked hover."""
    before, (layout, page) = views[0], _layouts(views, titles, look)
    notes = list(dict.fromkeys(note for view in views for note in (*notes_of(view), *crossed_note(view.masked))))
    _close(layout, notes)
    title = _("{titles}: {map}", titles="; ".join(titles), map=before.title)
    header = {
        **header_of(before, title, " · ".join(notes), look, words),
        **labels_of(before, look.width),
        **crossed_of(views),
        "heads": [(0, number) for number in range(len(views))],
        "titles": list(titles),
        "offers": list(offers),
        "note": JOINT.join((*axes_note(before.query_title, before.key_title), *notes)),
        "layouts": [layout] * len(views),
        "page": [page] * len(views),
    }
    return pack(header, weights_of(views))


def _close(layout: dict[str, Any], notes: Sequence[str]) -> None:
    """Write `notes` under the maps: what was edited, merged and given."""
    lines = wrap(" · ".join(notes), int(layout["width"] / (NOTE_SIZE * GLYPH_WIDTH)))
    first, line = layout["height"] + NOTE_SIZE, NOTE_SIZE * LINE_HEIGHT
    layout["texts"] += [
        {"text": text, "x": 0, "y": first + line * number, "size": NOTE_SIZE, "weight": 400}
        for number, text in enumerate(lines)
    ]
    layout["height"] += line * len(lines)
