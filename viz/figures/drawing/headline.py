"""What a figure says above its picture: a title and a note, in lines that fit."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from viz.figures.drawing.grid import GLYPH_WIDTH, LINE_HEIGHT
from viz.figures.drawing.theme import NOTE_SIZE, TITLE_SIZE
from viz.text.tokens import escape

LINE = NOTE_SIZE * LINE_HEIGHT  # pixels of a line of a note


def wrapped(text: str, width: float, size: int = NOTE_SIZE) -> tuple[str, ...]:
    """Break text of `size` pixels into lines that fit into `width` pixels.

    Parameters
    ----------
    text : str
        Plain text.
    width : float
        Pixels.
    size : int, optional
        Of the letters, in pixels.

    Returns
    -------
    tuple of str
        The lines.
    """
    return tuple(textwrap.wrap(text, max(int(width / (size * GLYPH_WIDTH)), 10)))


def headline(title: Sequence[str], note: Sequence[str], height: float) -> list[dict[str, Any]]:
    """Return the annotations that say what a figure of `height` pixels shows: lines of its title, of its note below.

    Parameters
    ----------
    title, note : sequence of str
        Lines of plain text.
    height : float
        Pixels.
    """
    place = {"x": 0, "xanchor": "left", "yanchor": "top", "xref": "paper", "yref": "paper"}
    common = {"showarrow": False, "align": "left", "borderpad": 0, **place}
    bold, small = ("<br>".join(map(escape, lines)) for lines in (title, note))
    below = 1 - len(title) * TITLE_SIZE * LINE_HEIGHT / height
    return [
        {"text": f"<b>{bold}</b>", "y": 1, "font": {"size": TITLE_SIZE}, **common},
        {"text": small, "y": below, "font": {"size": NOTE_SIZE}, **common},
    ]
