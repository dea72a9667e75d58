"""Walk through a word for print: words, bars of scores and weights, lines, likely words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser

from viz.figures.drawing.theme import WINDOW_COLOUR
from viz.figures.printable import PrintedWalk
from viz.figures.publication.layout import GAP, LABEL, LEADING, NOTE, PAD, TITLE, Width, labels_of, letters_of
from viz.figures.publication.sheet import FAINT, INK, LINE, Sheet
from viz.figures.publication.text import POINTS, lines_of, width_of

_SCORE, _BELOW, _SHARE, _LIT, _PALE = "#7e6fae", "#c8751b", "#2280aa", "#b34700", "#c9cdd4"
_BARS, _FAN, _NODE = 46.0, 48.0, 15.0  # points of a row's bars, of the lines to the context, of its box
_WIDEST, _THICKEST, _LEAST = 40.0, 7.0, 0.005
_NUMBER = 5.5  # points of a number's letters
_CURVE = 1.2


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the columns stand: the left edge of the first, and their width."""

    left: float
    wide: float
    count: int

    def middle(self, column: float) -> float:
        return self.left + (column + 0.5) * self.wide


def draw_walk(shown: PrintedWalk, width: Width, *, titles: bool) -> Figure:
    """Return the pictures of a walk, one mechanism below the other."""
    sheet = Sheet(width)
    letters = letters_of(len(shown.pictures))
    for picture, formulas, letter in zip(shown.pictures, shown.formulas, letters, strict=True):
        step = picture["steps"][picture["at"][shown.step]]
        if titles:
            sheet.paragraph(f"{picture['title']} \u00b7 {step['title']}", TITLE, bold=True)
            sheet.paragraph(step["says"], LABEL)
            for formula in formulas:
                _formula(sheet, formula)
        sheet.bottom += PAD
        columns = _words(sheet, picture)
        for number, row in enumerate(picture["rows"]):
            is_last = number == len(picture["rows"]) - 1
            _bars(sheet, row, columns, picture.get("chosen"), picture["window"] if is_last else None)
        _context(sheet, picture, columns)
        _below(sheet, picture, step["fall"], picture["ending"])
        sheet.letter(letter, sheet.width / 2)
        sheet.bottom += 2 * GAP
    return sheet.done()


def _formula(sheet: Sheet, latex: str) -> None:
    """Write a line of a formula, its terms unmarked, as small as it must be; one that cannot be set is left out."""
    text = f"${_settable(latex)}$"
    try:
        box = MathTextParser("path").parse(text, dpi=POINTS)
    except ValueError:
        return
    size = 10.0 * min(0.9, sheet.width / max(box.width, 1.0))
    sheet.bottom += PAD
    sheet.axes.text(0, sheet.bottom, text, fontsize=size, va="top", color=INK)
    sheet.bottom += box.height * size / 10 + PAD


def _settable(latex: str) -> str:
    """Return a formula as matplotlib sets it: without the marks of terms, without sizes of brackets."""
    latex = re.sub(r"\[\[\w+:", "", latex).replace("]]", "")
    latex = re.sub(r"\\operatorname\{(\w+)\}", r"\\mathrm{\1}", latex)
    return re.sub(r"\\(big|Big|bigg)(?=[()\[\]])", "", latex).replace(r"\min", r"\mathrm{min}\,")


def _words(sheet: Sheet, picture: Mapping[str, Any]) -> _Columns:
    """Write the words that are read, upright where they are too wide; return their columns."""
    texts = labels_of([each["text"] for each in picture["columns"]])
    wide = min(sheet.width / len(texts), _WIDEST)
    columns = _Columns((sheet.width - wide * len(texts)) / 2, wide, len(texts))
    size = min(LABEL, wide / LEADING)
    widest = max(width_of(text, size, bold=True) for text in texts)
    turned = widest + PAD > wide
    below = sheet.bottom + (widest if turned else size * LEADING)
    for column, text in enumerate(texts):
        chosen = column == picture.get("chosen")
        style: dict[str, Any] = {"rotation": 90, "va": "bottom"} if turned and len(text) > 1 else {"va": "bottom"}
        colour = _LIT if chosen else INK
        sheet.write(text, columns.middle(column), below, size, bold=chosen, ha="center", color=colour, **style)
    sheet.bottom = below + PAD
    return columns


def _bars(
    sheet: Sheet, row: Mapping[str, Any], columns: _Columns, chosen: int | None, window: Mapping[str, Any] | None
) -> None:
    """Draw a row of bars with their numbers; what the mask hides has a cross."""
    sheet.paragraph(row["title"], NOTE)
    values = row["values"]
    numbers = [each for each in values if each is not None] or [0.0]
    is_score = row["part"] == "score"
    high, low = max(0.0 if is_score else 1.0, *numbers), min(0.0, *numbers)
    unit = _BARS / ((high - low) or 1.0)
    zero = sheet.bottom + _NUMBER * LEADING + high * unit
    end = columns.left + columns.wide * columns.count
    if window:
        _window(sheet, window, columns, (sheet.bottom, zero))
    sheet.line([(columns.left, zero), (end, zero)], LINE, linewidth=0.4)
    wide, largest = columns.wide * 0.62, int(np.argmax([-np.inf if each is None else each for each in values]))
    roomy = max(width_of(_short(each), _NUMBER) for each in numbers) + 1 <= columns.wide
    for column, value in enumerate(values):
        x = columns.middle(column)
        if value is None:
            sheet.write("\u00d7", x, zero - _NUMBER, _NUMBER, ha="center", color=FAINT)
            continue
        colour = _SHARE if not is_score else _SCORE if value >= 0 else _BELOW
        crossed = bool(row.get("crossed")) and row["crossed"][column]
        sheet.rectangle(
            x - wide / 2, zero - max(value, 0) * unit, wide, abs(value) * unit, FAINT if crossed else colour
        )
        if crossed:
            sheet.write("\u00d7", x, zero - value * unit / 2 + _NUMBER / 2, _NUMBER, ha="center", color=INK)
        if roomy or column in (chosen, largest):
            y = zero - value * unit - _NUMBER * 0.7 if value >= 0 else zero - value * unit + _NUMBER * 0.7
            sheet.write(_short(value), x, y, _NUMBER, ha="center")
    sheet.bottom = zero - low * unit + (_NUMBER * LEADING if low < 0 else 0) + PAD


def _window(sheet: Sheet, window: Mapping[str, Any], columns: _Columns, rows: tuple[float, float]) -> None:
    """Draw where local attention looks: its edges, its centre, its Gaussian."""
    left, right, centre = (columns.left + window[name] * columns.wide for name in ("from", "to", "centre"))
    top, bottom = rows
    sheet.frame(left, top, right - left, bottom - top, edgecolor=WINDOW_COLOUR, linewidth=0.6, linestyle="--")
    sheet.line([(centre, top), (centre, bottom)], WINDOW_COLOUR, linewidth=0.6, linestyle=":")
    if window.get("curve"):
        points = [(columns.left + at * columns.wide, bottom - share * _BARS) for at, share in window["curve"]]
        sheet.line(points, WINDOW_COLOUR, linewidth=_CURVE)


def _context(sheet: Sheet, picture: Mapping[str, Any], columns: _Columns) -> None:
    """Draw a line from each word to the context, as thick as its weight; without attention all run into one vector."""
    shares = picture["rows"][-1]["values"] if picture["rows"] else [0.15] * columns.count
    text = picture["context"] if picture["rows"] else picture["vector"]
    middle, start = columns.left + columns.wide * columns.count / 2, sheet.bottom
    for column, share in enumerate(shares):
        if share is not None and share >= _LEAST:
            thick = 0.4 + _THICKEST * share
            sheet.link((columns.middle(column), start), (middle, start + _FAN), _SHARE, thick, alpha=0.35 + 0.6 * share)
    wide = width_of(text, LABEL, bold=True) + 6 * PAD
    sheet.box(middle - wide / 2, start + _FAN, wide, _NODE, facecolor="#ffffff", zorder=3)
    sheet.write(text, middle, start + _FAN + _NODE / 2, LABEL, bold=True, ha="center", zorder=4)
    sheet.bottom = start + _FAN + _NODE + GAP


def _below(sheet: Sheet, picture: Mapping[str, Any], fall: Mapping[str, Any] | None, likely: str) -> None:
    """Write who reads at the left, with what its score is made of, and at the right what becomes of the context."""
    top, half = sheet.bottom, (sheet.width - GAP) / 2
    state = picture["state"]
    sheet.paragraph(state["name"], LABEL, bold=True, room=half)
    text = f" \u201c{state['text']}\u201d" if state.get("text") else ""
    sheet.paragraph(f"{state['says']}{text}", LABEL, room=half)
    if fall:
        sheet.bottom += PAD
        _fall(sheet, fall, half)
    left, sheet.bottom = sheet.bottom, top
    for box in picture["boxes"]:
        sheet.paragraph(f"\u2192 {box['text']}", LABEL, left=half + GAP)
    if picture["words"]:
        sheet.paragraph(likely, LABEL, bold=True, left=half + GAP)
        bars = [
            (word["text"], 0.0, word["share"], f"{word['share']:.3f}", word["written"]) for word in picture["words"]
        ]
        _lines(sheet, bars, (half + GAP, half), (0.0, 1.0), (_SHARE, _SHARE))
    sheet.bottom = max(left, sheet.bottom)


def _fall(sheet: Sheet, fall: Mapping[str, Any], room: float) -> None:
    """Draw the parts of a sum, each bar beginning where the one before has ended, and the sum."""
    sheet.paragraph(fall["says"], NOTE, room=room)
    at, bars = 0.0, []
    for text, value in fall["parts"]:
        bars.append((text, at, at + value, _short(value), False))
        at += value
    bars.append((fall["sum"], 0.0, fall["total"], _short(fall["total"]), True))
    ends = [end for bar in bars for end in bar[1:3]]
    _lines(sheet, bars, (0.0, room), (min(ends), max(ends)), (_SCORE, _BELOW))


def _lines(
    sheet: Sheet,
    bars: Sequence[tuple[str, float, float, str, bool]],
    place: tuple[float, float],
    span: tuple[float, float],
    colours: tuple[str, str],
) -> None:
    """Draw a bar a line, between its name and its number, in the one colour or, if it goes back, in the other."""
    left, room = place
    number = max(width_of(each[3], NOTE) for each in bars) + PAD
    name = min(max(width_of(each[0], NOTE, bold=True) for each in bars), room * 0.55)
    wide = room - name - number - 2 * PAD
    unit = wide / ((span[1] - span[0]) or 1.0)
    for text, start, end, said, bold in bars:
        y, start_x = sheet.bottom + NOTE * LEADING / 2, left + name + PAD
        sheet.write(_cut(text, name), left, y, NOTE, bold=bold)
        low, high = sorted((start, end))
        colour = colours[end < start]
        sheet.rectangle(
            start_x + (low - span[0]) * unit, y - NOTE * 0.4, max((high - low) * unit, 0.3), NOTE * 0.8, colour
        )
        sheet.write(said, left + room, y, NOTE, ha="right", bold=bold)
        sheet.bottom += NOTE * LEADING


def _cut(text: str, room: float) -> str:
    """Return the first line of a text that fits, an ellipsis behind what is cut."""
    if width_of(text, NOTE, bold=True) <= room:
        return text
    first = lines_of(text, NOTE, room - NOTE, bold=True)[0]
    while first and width_of(f"{first}\u2026", NOTE, bold=True) > room:
        first = first[:-1]
    return f"{first}\u2026"


def _short(value: float) -> str:
    if value == 0:
        return "0"
    return "\u22480" if abs(value) < 0.005 else f"{value:.2f}".replace("-", "\u2212")
