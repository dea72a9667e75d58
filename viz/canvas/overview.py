"""Data of the overview canvas: every head as a small map of bytes, with tokens and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.canvas.payload import JOINT, MOST_PICKED, Look, header_of, pack
from viz.canvas.pooling import blocks, pooled
from viz.captions.heads import overview_note
from viz.captions.maps import map_title, masked_note
from viz.figures.drawing.theme import HEAD_COLOURS, Colour
from viz.figures.printable import PrintedHeads
from viz.text.language import _, _n, mark
from viz.text.tokens import isolated, shorten, visible
from viz.views.heads import HeadPlace
from viz.views.view import View

MOST_CELLS = 64
"""Rows or columns of a small picture; of a longer text each cell is the largest of a few."""

LONGEST_TEXT = 360
"""Columns of a text of which a saved picture names the tokens; of a longer one it names the first."""

LEVELS = 255
VERSION = 1
_ROOT = Look(colour="root")

_WORDS = {
    "layer": mark("layer {layer}"),
    "gap": mark("layers {first} to {last}: no weights"),
    "one_gap": mark("layer {first}: no weights"),
    "column": mark("head {head}"),
    "largest": mark("largest of {count}: ≈ {weight}"),
    "picked": mark("picked"),
    "not_picked": mark("not picked"),
    "keys": mark("Arrow keys move between heads, with Shift inside one; Enter or Space picks a head."),
}


def code(weights: NDArray[Any]) -> NDArray[np.uint8]:
    """Return weights from 0 to 1 in a byte each: the square root in 255 steps, which tells small weights apart.

    Decoded, ``(byte / 255) ** 2``, a weight is off by at most 0.004, a weight below 0.01 by at most 0.0004.
    """
    coded: NDArray[np.uint8] = np.rint(np.sqrt(np.clip(weights, 0, 1)) * LEVELS).astype(np.uint8)
    return coded


@dataclass(frozen=True, slots=True, eq=False)
class SmallMaps:
    """Every head as a small picture, and nothing of the trace: to be kept while only picks and order change."""

    places: tuple[HeadPlace, ...]  # by layer and head
    cells: NDArray[np.uint8]  # [head, row, column] As `code` gives it
    rows: NDArray[np.int64]  # where cells begin on each axis, then its length, as `viz.canvas.pooling.blocks` gives it
    # where cells begin on each axis, then its length, as `viz.canvas.pooling.blocks` gives it
    columns: NDArray[np.int64]


def small_maps(views: Iterable[View]) -> SmallMaps:
    """Make small pictures of all heads of `views`, one view a layer; a view is let go before the next is taken."""
    places: list[HeadPlace] = []
    cells: list[NDArray[np.uint8]] = []
    rows = columns = np.zeros(1, dtype=np.int64)
    for view in views:
        shown = view.shown
        rows = blocks(len(shown.query_tokens), MOST_CELLS)
        columns = blocks(len(shown.key_tokens), MOST_CELLS, alone=bool(view.hidden_keys))
        places += [HeadPlace(shown.site.layer, head) for head in range(len(shown.weights))]
        cells += [code(pooled(weights, rows, columns)) for weights in shown.weights]
    return SmallMaps(tuple(places), np.stack(cells), rows, columns)


@dataclass(frozen=True, slots=True)
class Tiles:
    """Which heads an overview shows, which of them are picked, and what is said of each."""

    heads: Sequence[HeadPlace] | None = None  # None: all, a row a layer
    picked: Sequence[HeadPlace] = ()
    labels: Mapping[HeadPlace, str] = field(default_factory=dict)
    remarks: Mapping[HeadPlace, str] = field(default_factory=dict)


EVERY_HEAD = Tiles()


def encode_overview(
    views: Sequence[View],
    tiles: Tiles = EVERY_HEAD,
    look: Look = _ROOT,
    *,
    small: SmallMaps | None = None,
    note: str | None = None,
) -> bytes:
    """Return all that the canvas overview shows."""
    made = small_maps(views) if small is None else small
    shown = list(made.places if tiles.heads is None else tiles.heads)
    _check(shown, made.places)
    numbers = {place: number for number, place in enumerate(made.places)}
    cells = made.cells if tiles.heads is None else made.cells[[numbers[place] for place in shown]]
    title = _title(views[0], shown)
    said = JOINT.join(_notes(views, made, shown, note))
    header = {
        **header_of(views[0], title, said, look, _WORDS),
        "version": VERSION,
        "heads": shown,
        "in_layers": tiles.heads is None,
        "picked": [place for place in tiles.picked if place in numbers],
        "most_picked": MOST_PICKED,
        "remarks": [tiles.remarks.get(place, "") for place in shown],
        "labels": [tiles.labels.get(place, "") for place in shown] if tiles.labels else [],
        "rows": made.rows.tolist(),
        "columns": made.columns.tolist(),
        "texts": _texts(views[0]),
    }
    return pack(header, cells.tobytes())


def printed_heads(view: View, small: SmallMaps, tiles: Tiles, *, colour: Colour, note: str) -> PrintedHeads:
    """Return the overview for print, as `encode_overview` gives it to the browser."""
    shown = list(small.places if tiles.heads is None else tiles.heads)
    numbers = [small.places.index(place) for place in shown]
    return PrintedHeads(
        title=_title(view, shown),
        notes=[JOINT.join(_notes([view], small, shown, note))],
        axes=_texts(view),
        heads=shown,
        cells=np.square(small.cells[numbers] / np.float32(LEVELS)),
        labels=[tiles.labels.get(place, "") for place in shown] if tiles.labels else [],
        in_layers=tiles.heads is None,
        picked=dict(zip(sorted(tiles.picked), cycle(HEAD_COLOURS), strict=False)),
        colour=colour,
        meaning=view.meaning,
        subject=view.subject,
    )


def _title(view: View, shown: Sequence[HeadPlace]) -> str:
    return _n(
        "{count} head: {title}",
        "{count} {title} heads",
        len(shown),
        title=map_title(view.shown.site, view.trace.provenance.edits),
    )


def _notes(views: Sequence[View], made: SmallMaps, shown: Sequence[HeadPlace], note: str | None) -> list[str]:
    """Say what holds for all small maps: plain text."""
    notes = [overview_note(views) if note is None else note]
    left_out = len(made.places) - len(shown)
    if left_out:
        notes.append(
            _n(
                "{left_out} of {count} head left out",
                "{left_out} of {count} heads left out",
                len(made.places),
                left_out=left_out,
            )
        )
    queries, keys = views[0].shown.query_tokens, views[0].shown.key_tokens
    if len(made.rows) <= len(queries) or len(made.columns) <= len(keys):
        notes.append(_("a cell shows the largest weight of a few tokens"))
    notes += masked_note(views[0].masked)
    return [*notes, _("weights here are rounded to 0.004; those of picked heads are exact")]


def _texts(view: View) -> tuple[str, str]:
    """Return the tokens of rows and columns, for those who do not see them."""
    queries, keys = view.query_labels.texts, view.key_labels.texts
    return (
        _("queries, from the top: {tokens}", tokens=_row_of(queries)),
        _("keys, from the left: {tokens}", tokens=_row_of(keys)),
    )


def _row_of(texts: Sequence[str]) -> str:
    """Return tokens in a row of text, the first of them if they are many."""
    return shorten(" ".join(isolated(visible(text)) for text in texts[:LONGEST_TEXT]), LONGEST_TEXT)


def _check(shown: Sequence[HeadPlace], everything: Sequence[HeadPlace]) -> None:
    unknown = sorted(set(shown) - set(everything))
    if unknown or len(set(shown)) < len(shown):
        message = f"each head is shown once, of {len(everything)}; got {unknown or 'one twice'}"
        raise ValueError(message)
