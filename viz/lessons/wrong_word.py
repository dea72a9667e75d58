"""How far the error of one wrong word runs: a quantity that lessons state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from models.measures.wrong_word import with_word, words_until_same
from models.writing import Writing

if TYPE_CHECKING:
    from models.model import Model


def error_runs(model: Model, sentence: str, word: str, instead: str) -> Mapping[str, float]:
    """Return how many words the error of `instead` in the place of `word` runs, under its name; -1 for all of them."""
    before = model.attend(sentence)
    place = before.target.word_texts.index(word)
    given = model.attend(before.source_text, with_word(before, place, instead)).target
    after = model.attend(before.source_text, write=Writing(0, begin=given.ids[:-1]))
    until = words_until_same(before, after, place, len(given.word_texts) - 1)
    return {instead: -1 if until is None else until}
