"""Links read off a map: against an independent rendering of grow-diag, and what must hold of any map."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from models.experiments.links import grown_links, strongest_sources

Pairs = set[tuple[int, int]]

MAPS = arrays(
    np.float64,
    some.tuples(some.integers(1, 7), some.integers(1, 7)),
    elements=some.floats(0, 1, width=16),
)


def grow_diag(forwards: Pairs, backwards: Pairs) -> Pairs:
    """Grow on sets of pairs, as the published pseudo-code has it, no arrays: straight neighbours come first."""
    straight_first = sorted(itertools.product((-1, 0, 1), repeat=2), key=lambda step: abs(step[0]) + abs(step[1]))
    alignment = forwards & backwards
    while True:
        before = len(alignment)
        for target, source in sorted(alignment):
            for down, right in straight_first:
                new = (target + down, source + right)
                free = all(new[0] != each[0] for each in alignment) or all(new[1] != each[1] for each in alignment)
                if new in forwards | backwards and free:
                    alignment.add(new)
        if len(alignment) == before:
            return alignment


def maxima(weights: np.ndarray) -> tuple[Pairs, Pairs]:
    rows = {(row, max(range(weights.shape[1]), key=lambda column: weights[row, column])) for row in range(len(weights))}
    columns = {
        (max(range(len(weights)), key=lambda row: weights[row, column]), column) for column in range(weights.shape[1])
    }
    return rows, columns


@given(weights=MAPS)
def test_links_lie_between_what_both_directions_say_and_what_either_says(weights: np.ndarray) -> None:
    rows, columns = maxima(weights)
    found = {(target, source) for source, target in grown_links(weights)}
    assert rows & columns <= found <= rows | columns
    assert {(target, source) for source, target in strongest_sources(weights)} == rows


@given(weights=MAPS)
def test_no_link_of_the_union_is_left_that_could_still_join(weights: np.ndarray) -> None:
    rows, columns = maxima(weights)
    found = {(target, source) for source, target in grown_links(weights)}
    for target, source in (rows | columns) - found:
        free = all(target != each[0] for each in found) or all(source != each[1] for each in found)
        touches = any(max(abs(target - each[0]), abs(source - each[1])) == 1 for each in found)
        assert not (free and touches)


@pytest.mark.parametrize("seed", range(40))
def test_it_grows_as_the_published_pseudo_code_does(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.dirichlet(np.full(random.integers(2, 9), 0.3), size=random.integers(2, 9))
    expected = grow_diag(*maxima(weights))
    found = {(target, source) for source, target in grown_links(weights)}
    assert found == expected


def test_a_word_written_as_two_gets_both_links() -> None:
    # I do-not sleep, je ne dors pas: "not" is strongest at "pas", and the row of "ne" reads "not".
    weights = np.array([[0.9, 0.1, 0.0], [0.1, 0.7, 0.2], [0.0, 0.1, 0.9], [0.0, 0.8, 0.2]])
    assert grown_links(weights) == {(0, 0), (1, 1), (2, 2), (1, 3)}


def test_an_empty_map_has_no_link() -> None:
    assert grown_links(np.zeros((0, 3))) == frozenset()
