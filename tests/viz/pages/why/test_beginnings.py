"""Beginnings of a text: each longer than the one before, the last the whole, cut where a clause ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.pages.why.beginnings import FEWEST, FIRST_LENGTH, LONGEST_STEP, MOST, MOST_READ, beginnings


@given(st.lists(st.text(st.characters(categories=("L", "N", "P")), min_size=1), max_size=160))
def test_each_beginning_is_longer_and_the_last_is_all(words: list[str]) -> None:
    found = beginnings(" ".join(words))
    if len(words) < FIRST_LENGTH:
        assert not found
        return
    counts = [count for count, _start in found]
    assert counts == sorted(set(counts))
    assert len(found) <= MOST
    assert len(found) <= FEWEST or sum(counts) <= MOST_READ
    assert counts[0] >= FIRST_LENGTH
    assert found[-1] == (len(words), " ".join(words))
    for count, start in found[:-1]:
        assert start == " ".join(words[:count]).rstrip(",;:.!?") + "."


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("My friend told me that she was ill, but she came to work.", [4, 8, 13]),
        ("The man who was here, the one with a hat, left.", [5, 11]),  # no clause of one word
        ("The old dog slept all day.", [6]),
    ],
)
def test_a_beginning_ends_where_a_clause_does(text: str, counts: list[int]) -> None:
    assert [count for count, _start in beginnings(text)] == counts


def test_a_text_without_clauses_is_cut_all_the_same() -> None:
    counts = [count for count, _start in beginnings(" ".join(["word"] * 44))]
    assert max(after - before for before, after in zip([0, *counts], counts, strict=False)) <= LONGEST_STEP + 1
