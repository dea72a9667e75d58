"""Links read off a map: against an independent rendering on sets, and what must hold of any map."""

from __future__ import annotations

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


def grow(forwards: Pairs, backwards: Pairs) -> Pairs:
    """Grow on sets of pairs, one at a time, no arrays."""
    alignment = forwards & backwards
    waiting = sorted(alignment)
    while waiting:
        target, source = waiting.pop()
        corners = {(target + down, source + right) for down in (-1, 1) for right in (-1, 1)}
        joining = corners & (forwards | backwards) - alignment
        alignment |= joining
        waiting += sorted(joining)
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
def test_it_grows_at_corners_until_none_of_the_union_is_left_there(weights: np.ndarray) -> None:
    found = {(target, source) for source, target in grown_links(weights)}
    assert found == grow(*maxima(weights))


@pytest.mark.parametrize("seed", range(40))
def test_maps_of_a_few_strong_weights_too(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.dirichlet(np.full(random.integers(2, 9), 0.3), size=random.integers(2, 9))
    expected = grow(*maxima(weights))
    found = {(target, source) for source, target in grown_links(weights)}
    assert found == expected


def test_a_word_written_as_two_gets_both_links() -> None:
    # I do-not sleep, je ne dors pas: "not" is strongest at "pas", and the row of "ne" reads "not".
    weights = np.array([[0.9, 0.1, 0.0], [0.1, 0.7, 0.2], [0.0, 0.1, 0.9], [0.0, 0.8, 0.2]])
    assert grown_links(weights) == {(0, 0), (1, 1), (2, 2), (1, 3)}


def test_an_empty_map_has_no_link() -> None:
    assert grown_links(np.zeros((0, 3))) == frozenset()
