"""Numbered labels for readers: words and positions from 1, layers and heads from 0.

Words, pieces and positions count from 1, as people count them; layers, heads and the components of vectors count from
0, as in the field. To Python every one of them is an index from 0: in arguments, in links and in records.
"""

from __future__ import annotations

from collections.abc import Sequence

from models.vocabulary import FIRST_POSITION as FIRST_POSITION
from viz.text.tokens import visible


def position_name(position: int) -> str:
    """Return what a reader calls the word or piece at `position`, an index from 0."""
    return str(position + FIRST_POSITION)


def position_number(place: float) -> float:
    """Return a place between words, such as the centre of a window, as a reader counts it."""
    return place + FIRST_POSITION


def numbered(texts: Sequence[str]) -> list[str]:
    """Return each token with its position: equal words stay apart."""
    return [f"{position_name(place)} {visible(text)}" for place, text in enumerate(texts)]
