"""How much of a text is looked at, and that the work on it grows with its length, not with the square."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import models
from models.errors import InputError
from models.translation import words
from models.translation.pieces import assign_words
from models.translation.words import MOST_CHARACTERS, beginning, check_characters
from tests.support.small_models import translator

LONG = ["." * 30_000, "word " * 6000, "猫" * 30_000, "a" * 30_000, " \n" * 15_000 + "end", "x " * 4_000_000]


def test_thirty_thousand_marks_are_assigned_in_the_blink_of_an_eye() -> None:
    begun = process_time()
    indices, bounds = assign_words(list(range(0, 60_000, 2)), [2] * 30_000)
    assert process_time() - begun < 1  # it took 2.98 s when each piece looked for its word in a list
    assert indices == list(range(30_000))
    assert bounds == [(index, index + 1) for index in range(30_000)]


@given(st.text(alphabet=st.sampled_from("ab 猫.\n'"), max_size=60), st.integers(1, 20))
def test_the_beginning_ends_after_a_word_and_the_rest_is_counted(text: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "MOST_CHARACTERS", most)
        begun, left_out = beginning(text)
    if len(text) <= most:
        assert (begun, left_out) == (text, 0)
        return
    assert len(begun) <= most
    assert text.lstrip().startswith(begun)
    rest = text.lstrip()[len(begun) :]
    assert (left_out > 0) == bool(rest.strip())
    if " " in begun.strip():
        assert rest[:1] in (" ", "\n", "")


@pytest.mark.parametrize("text", LONG, ids=["marks", "words", "Han", "one word", "white space", "eight megabytes"])
@pytest.mark.parametrize("model", [translator("transformer"), "hf:minilm"], ids=["ours", "pretrained"])
def test_a_text_of_any_length_is_cut_at_once_and_said(text: str, model: models.Model | str) -> None:
    own = models.load(model) if isinstance(model, str) else model
    begun = process_time()
    kept, left_out = own.fit(text)
    if len(text.strip()) > MOST_CHARACTERS:
        assert left_out > 0
        with pytest.raises(InputError, match="the limit is 10,000"):
            own.attend(text)
    assert process_time() - begun < 4
    assert len(own.attend(kept).source) > 0


def test_white_space_around_a_text_is_not_counted() -> None:
    check_characters(" " * 20_000 + "a" * MOST_CHARACTERS + "\n" * 20_000)
    with pytest.raises(InputError, match="10,001 characters"):
        check_characters("a" * (MOST_CHARACTERS + 1))
