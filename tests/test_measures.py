"""Measures of attention rows, against what can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from viz.measures import Link, row_entropy, row_links, strongest_links

MATRICES = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1, width=32))


def test_entropy_of_known_rows() -> None:
    rows = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.25, 0]])
    np.testing.assert_allclose(row_entropy(rows), [0, 1, 2, 1.5])


def test_entropy_of_rows_that_do_not_sum_to_one_is_that_of_their_shares() -> None:
    np.testing.assert_allclose(row_entropy(np.array([[0.1, 0.1], [0.0, 0.0]])), [1, 0])


def test_entropy_keeps_the_head_axis() -> None:
    assert row_entropy(np.full((3, 5, 8), 0.125)).shape == (3, 5)


@given(MATRICES)
def test_entropy_lies_between_0_and_the_logarithm_of_the_keys(weights: np.ndarray) -> None:
    entropy = row_entropy(weights)
    assert (entropy >= 0).all()
    assert (entropy <= np.log2(weights.shape[1]) + 1e-9).all()


@given(MATRICES, st.randoms(use_true_random=False))
def test_entropy_does_not_depend_on_the_order_of_keys(weights: np.ndarray, random: object) -> None:
    order = list(range(weights.shape[1]))
    random.shuffle(order)  # type: ignore[attr-defined]
    np.testing.assert_allclose(row_entropy(weights[:, order]), row_entropy(weights), atol=1e-12)


@given(MATRICES)
def test_each_row_links_to_its_largest_weight(weights: np.ndarray) -> None:
    links = row_links(weights)
    assert [link.query for link in links] == list(range(len(weights)))
    assert all(weights[link.query, link.key] == weights[link.query].max() for link in links)


@given(MATRICES, st.integers(0, 8))
def test_the_strongest_links_come_first(weights: np.ndarray, count: int) -> None:
    links = strongest_links(weights, count=count)
    values = [link.weight for link in links]
    assert len(links) == min(count, len(weights))
    assert values == sorted(weights.max(axis=1).tolist(), reverse=True)[:count]


def test_the_upper_row_comes_first_among_equals() -> None:
    assert strongest_links(np.eye(2), count=2) == (Link(0, 0, 1.0), Link(1, 1, 1.0))


def test_no_keys_no_links() -> None:
    assert row_links(np.zeros((0, 0))) == ()


def test_links_are_those_of_one_head() -> None:
    with pytest.raises(ValueError, match="one head"):
        row_links(np.zeros((2, 2, 2)))
