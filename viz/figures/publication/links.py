"""Drawings of words and lines for print: line width by weight, or all through one vector."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from viz.figures.drawing.theme import HEAD_COLOURS
from viz.figures.printable import PrintedLinks, WordLinks
from viz.figures.publication.layout import (
    GAP,
    LABEL,
    LEADING,
    NOTE,
    PAD,
    SMALLEST_LABEL,
    TITLE,
    Width,
    labels_of,
    letters_of,
)
from viz.figures.publication.sheet import Sheet
from viz.figures.publication.text import lines_of, width_of
from viz.text.tokens import runs_rightward

_DEEP = 90.0  # points between the words above and those below
_BLANK = 5.0  # between words
_THICKEST = 4.5
_COLOUR = HEAD_COLOURS[0]


def draw_links(shown: PrintedLinks, width: Width, *, titles: bool) -> Figure:
    """Return the drawings side by side, or one below the other in a column."""
    sheet = Sheet(width)
    across = 1 if width == "column" else len(shown.drawings)
    slot = (sheet.width - GAP * (across - 1)) / across
    letters = letters_of(len(shown.drawings))
    for first in range(0, len(shown.drawings), across):
        row = shown.drawings[first : first + across]
        top = sheet.bottom
        heads = [_head(each, slot, titles=titles) for each in row]
        below = top + max(sum(size * LEADING for _text, size, _bold in lines) for lines in heads) + PAD
        for number, (each, lines) in enumerate(zip(row, heads, strict=True)):
            left, y = number * (slot + GAP), top
            for text, size, bold in lines:
                sheet.write(text, left, y, size, bold=bold, va="top")
                y += size * LEADING
            _draw(sheet, each, left, slot, below)
        foot = below + _DEEP + 2 * LABEL * LEADING
        for number, letter in enumerate(letters[first : first + across]):
            sheet.bottom = foot
            sheet.letter(letter, number * (slot + GAP) + slot / 2)
        sheet.bottom += GAP
    return sheet.done()


def _head(each: WordLinks, room: float, *, titles: bool) -> list[tuple[str, float, bool]]:
    title = [(line, TITLE, True) for line in lines_of(each.title, TITLE, room, bold=True)] if titles else []
    return [*title, *((line, NOTE, False) for line in lines_of(each.note, NOTE, room))]


def _placed(words: Sequence[str], left: float, room: float) -> tuple[list[tuple[float, str]], float]:
    """Return the middle of each word on a line, and the size of letters with which all fit."""
    shown = labels_of(words)
    wide = [width_of(word, LABEL) + _BLANK for word in shown]
    scale = min(1.0, room / max(sum(wide), 1.0))
    at, places = left + (room - sum(wide) * scale) / 2, []
    for word, each in zip(shown, wide, strict=True):
        places.append((at + each * scale / 2, word))
        at += each * scale
    if not runs_rightward(words):
        places = [(2 * left + room - place, word) for place, word in places]
    return places, LABEL * scale


def _draw(sheet: Sheet, each: WordLinks, left: float, room: float, top: float) -> None:
    start, end = top + LABEL * LEADING, top + LABEL * LEADING + _DEEP
    lines = (_placed(each.read, left, room), _placed(each.written, left, room))
    for (placed, size), y in zip(lines, (top + LABEL * LEADING / 2, end + LABEL * LEADING / 2), strict=True):
        for x, word in placed:
            sheet.write(word, x, y, max(size, SMALLEST_LABEL / 2), ha="center")
    (above, _size), (below, _other) = lines
    for key, query, weight in each.links:
        thick = max(weight * _THICKEST, 0.2)
        sheet.link((above[key][0], start), (below[query][0], end), _COLOUR, thick, alpha=0.25 + 0.75 * weight)
    if each.vector:
        _vector(sheet, each, ([x for x, _word in above], [x for x, _word in below]), (left + room / 2, start, end))


def _vector(
    sheet: Sheet, each: WordLinks, ends: tuple[list[float], list[float]], place: tuple[float, float, float]
) -> None:
    middle, start, end = place
    wide, high, y = width_of(each.vector, LABEL, bold=True) + 4 * PAD, 2 * LABEL, (start + end) / 2
    for x in ends[0]:
        sheet.link((x, start), (middle, y - high / 2), _COLOUR, 0.8, alpha=0.6)
    for x in ends[1]:
        sheet.link((middle, y + high / 2), (x, end), _COLOUR, 0.8, alpha=0.6)
    sheet.box(middle - wide / 2, y - high / 2, wide, high, facecolor=_COLOUR, edgecolor=_COLOUR)
    sheet.write(each.vector, middle, y, LABEL, bold=True, ha="center", color="#ffffff")
