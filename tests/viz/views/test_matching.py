"""Words of two texts matched, and what heads do on them: against sums written out one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.figure_samples import rows
from viz.measures.changes import changes, distances, ranking
from viz.views.matching import Matching, match_words, matched

WORDS = st.lists(st.sampled_from(["the", "cat", "dog", "saw", ".", "</s>"]), max_size=9)
HUNGRY = "The cat drank the milk because it was hungry .".split()
SWEET = "The cat drank the milk because it was sweet .".split()


def test_a_minimal_pair_is_matched_all_but_the_word_that_differs() -> None:
    assert match_words(HUNGRY, SWEET) == tuple((place, place) for place in range(10) if place != 8)
    assert match_words(["a", "b"], ["x", "a", "b"]) == ((0, 1), (1, 2))
    assert match_words([" the"], ["the "]) == ((0, 0),)
    assert match_words(["The"], ["the"]) == ()


@given(WORDS, WORDS)
def test_what_is_matched_is_equal_and_in_order(first: list[str], second: list[str]) -> None:
    pairs = match_words(first, second)
    assert all(first[one] == second[other] for one, other in pairs)
    for side in (0, 1):
        places = [pair[side] for pair in pairs]
        assert places == sorted(set(places))
    assert match_words(first, first) == tuple((place, place) for place in range(len(first)))


@given(st.data())
def test_no_weight_is_lost_or_scaled(data: st.DataObject) -> None:
    weights = rows(2, 5, 6, seed=data.draw(st.integers(0, 99)))
    queries = sorted(data.draw(st.sets(st.integers(0, 4))))
    keys = sorted(data.draw(st.sets(st.integers(0, 5))))
    found = matched(weights, queries, keys)
    assert found.shape == (2, len(queries), len(keys) + 1)
    for head in range(2):
        for row, query in enumerate(queries):
            for column, key in enumerate(keys):
                assert found[head, row, column] == weights[head, query, key]
            rest = sum(float(weights[head, query, key]) for key in range(6) if key not in keys)
            assert found[head, row, -1] == pytest.approx(rest, abs=1e-6)


def reference(first: np.ndarray, second: np.ndarray) -> float:
    """Return the mean total variation distance of two heads, summed cell by cell."""
    total = 0.0
    for query in range(first.shape[0]):
        total += sum(max(float(a) - float(b), 0.0) for a, b in zip(first[query], second[query], strict=True))
    return total / first.shape[0]


def test_change_is_the_share_that_went_elsewhere() -> None:
    matching = Matching(match_words(HUNGRY, SWEET), match_words(HUNGRY, SWEET))
    one, other = matching.first(rows(3, 10, 10, seed=1)), matching.second(rows(3, 10, 10, seed=2))
    np.testing.assert_allclose(
        changes(one, other), [reference(a, b) for a, b in zip(one, other, strict=True)], atol=1e-6
    )
    assert changes(one, one).tolist() == [0, 0, 0]
    apart = np.zeros((1, 1, 3)), np.zeros((1, 1, 3))
    apart[0][..., 0] = apart[1][..., 2] = 1
    assert changes(*apart).tolist() == [1]
    with pytest.raises(ValueError, match="same heads on the same words"):
        changes(one, other[:2])


def test_every_head_of_one_is_held_against_every_head_of_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = rows(4, 6, 7, seed=3), rows(5, 6, 7, seed=4)
    expected = [[reference(a, b) for b in other] for a in one]
    np.testing.assert_allclose(distances(one, other), expected, atol=1e-6)
    monkeypatch.setattr("viz.measures.changes.BLOCK_BYTES", 1)
    np.testing.assert_allclose(distances(one, other), expected, atol=1e-6)


def test_nothing_in_common_is_said() -> None:
    same = match_words(["a"], ["a"])
    assert Matching(same, match_words(["b"], ["c"])).empty
    assert not Matching(same, same).empty
    assert changes(np.zeros((2, 0, 1)), np.zeros((2, 0, 1))).tolist() == [0, 0]
    assert ranking(np.array([0.2, 0.7, 0.2])) == (1, 0, 2)
