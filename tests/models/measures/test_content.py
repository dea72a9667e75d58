"""Content words: counted by hand, whatever the order, the case and the signs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.measures.content import content_words, words_apart


def test_grammar_signs_and_case_do_not_count() -> None:
    assert content_words("Le chat n'a pas bu l'eau de la mer !", "fr") == {"chat", "bu", "eau", "mer"}
    assert content_words("The Cat drank the 2 milks.", "en") == {"cat", "drank", "2", "milks"}
    assert content_words("La mer, la mer", "zz") == {"la", "mer"}
    assert content_words("Il est là", "fr") == {"il", "est", "là"}  # nothing else is left


def test_the_distance_is_one_less_the_shared_part_of_every_two() -> None:
    texts = ("le chat boit", "un chat mange", "chat boit")
    assert words_apart(texts, "fr") == pytest.approx((2 / 3 + 0 + 2 / 3) / 3)
    assert words_apart(("le chat", "la mer"), "fr") == 1
    assert words_apart(("", ""), "fr") == 0
    assert words_apart(("le chat",), "fr") == 0


@given(st.lists(st.text(max_size=20), max_size=4))
def test_it_is_between_0_and_1_and_knows_no_order(texts: list[str]) -> None:
    apart = words_apart(texts, "fr")
    assert 0 <= apart <= 1
    assert words_apart(texts[::-1], "fr") == pytest.approx(apart)
    assert words_apart([texts[0]] * 3, "fr") == 0 if texts else apart == 0
