"""A text longer than a model takes is cut after a word, and it is said how many words are left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import load
from models.translation.texts import MAX_PIECES
from models.translation.translator import Translator
from models.translation.words import normalise, split_words


@pytest.fixture(scope="module")
def model() -> Translator:
    return load("bahdanau-en-fr")


def pieces(model: Translator, text: str) -> int:
    return len(model.tokenizer.encode_batch([text])[0])


def words(text: str) -> list[str]:
    return split_words(normalise(text))


@pytest.mark.parametrize("text", ["", "  ", "The cat  sleeps.", "猫", "</s>"])
def test_a_text_that_fits_is_given_as_it_is(model: Translator, text: str) -> None:
    assert model.fit(text) == (text, 0)


@pytest.mark.parametrize("text", ["cat " * 2000, "猫" * 2000, "don't, " * 1000], ids=["words", "Han", "apostrophes"])
def test_a_long_text_is_cut_after_a_word(model: Translator, text: str) -> None:
    kept, left_out = model.fit(text)
    assert 0 < pieces(model, kept) <= MAX_PIECES
    whole, beginning = words(text), words(kept)
    assert whole[: len(beginning)] == beginning
    assert left_out == len(whole) - len(beginning)
    more = normalise(text)[: len(kept) + len(whole[len(beginning)]) + 1]
    assert pieces(model, more) > MAX_PIECES


@pytest.mark.parametrize("text", ["a" * 10_000, "🔥" * 3000, "\u0301" * 3000], ids=["a", "fire", "accents"])
def test_one_word_too_long_is_cut_inside(model: Translator, text: str) -> None:
    kept, left_out = model.fit(text)
    assert text.startswith(kept)
    assert 0 < pieces(model, kept) <= MAX_PIECES
    assert left_out == 1


@given(st.lists(st.sampled_from(["l'", "qu'", "jusqu'", "un", " ", "'", "é", "猫", ",", "\x00", "🔥"]), max_size=900))
def test_whatever_is_cut_fits(model: Translator, parts: list[str]) -> None:
    text = "".join(parts)
    kept, left_out = model.fit(text)
    assert pieces(model, kept) <= MAX_PIECES
    assert left_out >= 0
    assert bool(left_out) == (pieces(model, text) > MAX_PIECES)
