"""Data of the grid in which a reader aligns the words of a sentence and its translation."""

from __future__ import annotations

from collections.abc import Sequence

from viz.canvas.payload import pack
from viz.text.language import _, mark
from viz.text.tokens import isolated, visible

_WORDS = {
    "grid": mark("Words aligned by hand: rows are words of the translation, columns are words of the sentence"),
    "cell": mark("“{target}” and “{source}”: {state}"),
    "none": mark("not aligned"),
    "sure": mark("sure"),
    "possible": mark("possible"),
    "count": mark("sure: {sure}, possible: {possible}"),
    "undo": mark("Undo"),
    "clear": mark("Clear"),
    "keys": mark(
        "Click a cell: once for sure (filled), twice for possible (outline), three times to clear it. Or click a "
        "source word, then a word of the translation. Keyboard: arrow keys and Enter."
    ),
}


def encode_aligner(
    source: Sequence[str], target: Sequence[str], links: str, *, of: str, languages: tuple[str, str]
) -> bytes:
    """Return all that the grid shows."""
    header = {
        "source": [isolated(visible(each)) for each in source],
        "target": [isolated(visible(each)) for each in target],
        "links": links,
        "of": of,
        "languages": languages,
        "words": {name: _(message) for name, message in _WORDS.items()},
    }
    return pack(header, b"")
