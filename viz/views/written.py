"""Labels of the tokens that a causal model wrote, and of who says what in a chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from models.trace import TokenSequence
from viz.text.language import _, mark

if TYPE_CHECKING:
    from models.trace.written import Continuation

WRITTEN = "▸"
"""Stands before what a model wrote."""

ROLES = {"user": mark("user"), "assistant": mark("assistant")}


def label_written(
    shown: TokenSequence, read: TokenSequence, written: Continuation | None, *, words: bool, hidden: Sequence[int] = ()
) -> TokenSequence:
    """Return `shown`, the words or pieces of `read` that are not `hidden`, with what the model wrote marked."""
    places = [place for place in range(len(read.word_texts) if words else len(read)) if place not in set(hidden)]
    if written is None or len(places) > len(shown):
        return shown
    first = _place(read, written.first, words=words)
    spoken = {_place(read, start, words=words): role for role, start, end in written.roles if end > start}
    texts = list(shown.texts)
    for row, place in enumerate(places):
        role = ROLES.get(spoken.get(place, ""))
        said = f"{WRITTEN}{texts[row]}" if place >= first else texts[row]
        texts[row] = said if role is None else _("{role}:{text}", role=_(role), text=said)
    return replace(shown, texts=tuple(texts))


def _place(read: TokenSequence, position: int, *, words: bool) -> int:
    """Return which word a piece is of, or the piece itself; behind the last one what comes after it."""
    if position >= len(read):
        return len(read.word_texts) if words else len(read)
    return read.words[position] if words else position
