"""Data of the grid in which a reader aligns the words of a sentence and its translation."""

from __future__ import annotations

from collections.abc import Sequence

from viz.canvas.payload import pack
from viz.text.language import _, mark
from viz.text.tokens import isolated, visible

_WORDS = {
    "grid": mark("Words aligned by hand: a row a word of the translation, a column a word of the sentence"),
    "cell": mark("“{target}” and “{source}”: {state}"),
    "none": mark("not aligned"),
    "sure": mark("sure"),
    "possible": mark("possible"),
    "count": mark("sure: {sure}, possible: {possible}"),
    "undo": mark("Undo"),
    "clear": mark("Clear"),
    "keys": mark(
        "Click a cell: full is sure, an outline possible, a third click empties it. Or click a word of the sentence "
        "and a word of the translation. With the keyboard: arrow keys, Enter."
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
