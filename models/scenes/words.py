"""The words of captions by their numbers in the vocabulary of a captioner."""

from __future__ import annotations

from collections.abc import Iterable

from models.scenes.wording import VOCABULARY

SPECIAL_TOKENS = ("<pad>", "<s>", "</s>")
MOST_WORDS = 32
"""Of a caption that a model writes, its end among them."""

WORDS = (*SPECIAL_TOKENS, *VOCABULARY)
_IDS = {word: index for index, word in enumerate(WORDS)}


def ids_of(words: Iterable[str]) -> list[int]:
    """Return the numbers of words; KeyError of one that captions have not."""
    return [_IDS[each] for each in words]
