"""Title and note above a figure, broken into lines that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viz.figures.drawing.grid import GLYPH_WIDTH, LINE_HEIGHT
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE
from viz.text.tokens import escape, wrap

LINE = NOTE_SIZE * LINE_HEIGHT  # pixels of a line of a note


def wrapped(text: str, width: float, size: int = NOTE_SIZE) -> tuple[str, ...]:
    """Break text of `size` pixels into lines that fit into `width` pixels."""
    return tuple(wrap(text, max(int(width / (size * GLYPH_WIDTH)), 10)))


def words_at(text: str, x: float, y: float, *, size: int, **more: Any) -> dict[str, Any]:
    """Return an annotation without an arrow, hung by its upper left corner."""
    place = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    return {"text": text, "font": {"size": size}, "showarrow": False, **place, **more}


def headline(
    title: Sequence[str], note: Sequence[str], height: float, *, left: float = 0.0, top: float = 1.0
) -> list[dict[str, Any]]:
    """Return the annotations that say what a figure of `height` pixels shows: lines of its title, of its note below."""
    bold, small = ("<br>".join(map(escape, lines)) for lines in (title, note))
    below = top - len(title) * TITLE_SIZE * LINE_HEIGHT / height
    return [
        words_at(f"<b>{bold}</b>", left, top, size=TITLE_SIZE, align="left", borderpad=0),
        words_at(small, left, below, size=NOTE_SIZE, align="left", borderpad=0),
    ]
