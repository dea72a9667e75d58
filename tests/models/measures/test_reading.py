"""Measures of attention rows, against what can be worked out by hand."""

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from models.measures.entropy import mean_entropy, row_entropy
from models.measures.shares import unread
from tests.support.figure_samples import rows
from tests.support.measuring import (
    cells_share,
    key_share,
    keys_share,
    mean_distance,
    offset_share,
    relative_entropy,
    repeated_share,
    unread_share,
)
from viz.views.links import Link, row_links, strongest_links

MATRICES = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(0, 1, width=32))


def test_entropy_of_known_rows() -> None:
    rows = np.array([[1.0, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [0.5, 0.25, 0.25, 0]])
    np.testing.assert_allclose(row_entropy(rows), [0, 1, 2, 1.5])


def test_what_a_row_gives_to_no_token_is_one_more_term_of_its_entropy() -> None:
    rows = np.array([[0.25, 0.25], [0.0, 0.0], [0.01, 0.0], [0.25, 0.5]])
    sunk = 0.01 * math.log2(100) - 0.99 * math.log2(0.99)
    np.testing.assert_allclose(row_entropy(rows), [1.5, 0, sunk, 1.5])
    np.testing.assert_allclose(unread(rows), [0.5, 1, 0.99, 0.25])


def test_entropy_keeps_the_head_axis() -> None:
    assert row_entropy(np.full((3, 5, 8), 0.125)).shape == (3, 5)


@given(MATRICES)
def test_entropy_lies_between_0_and_the_logarithm_of_the_keys(weights: np.ndarray) -> None:
    entropy = row_entropy(weights)
    assert (entropy >= 0).all()
    assert (entropy <= np.log2(weights.shape[1] + (unread(weights) > 0)) + 1e-9).all()


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


# Heads: each measure against a slow loop over cells, and what must hold whatever the weights.

CELLS = st.floats(0, 1, width=32)
LARGEST = st.sampled_from([1, 1 / 4, 1 / 64])  # rows that sum to more than 1, and rows that leave much unread
HEADS = st.builds(
    lambda weights, largest: weights * np.float32(largest),
    arrays(np.float32, array_shapes(min_dims=3, max_dims=3, max_side=6), elements=CELLS),
    LARGEST,
)
SQUARES = st.builds(
    lambda weights, largest: weights * np.float32(largest),
    st.integers(1, 6).flatmap(lambda side: arrays(np.float32, (2, side, side), elements=CELLS)),
    LARGEST,
)


def with_rest(row: np.ndarray) -> list[float]:
    """Return a row with what it gives to no token as one more cell: nothing if it sums to 1 up to rounding."""
    cells = [float(weight) for weight in row]
    rest = 1 - sum(cells)
    return [*cells, rest if rest > 1e-5 else 0.0]


def looped_mean(values: np.ndarray, worth: Callable[[int, int], float], *, unread: bool = True) -> float:
    """Return the mean of `worth(query, key)` over the cells of one head, weighted; what is unread is worth nothing."""
    total = part = 0.0
    for query, row in enumerate(values):
        cells = with_rest(row)
        total += sum(cells if unread else cells[:-1])
        part += sum(weight * worth(query, key) for key, weight in enumerate(cells[:-1]))
    return part / total if total else 0.0


def looped_entropies(values: np.ndarray) -> list[float]:
    """Return the entropy of each row of one head, in bits."""
    entropies = []
    for row in values:
        cells = with_rest(row)
        shares = [cell / sum(cells) for cell in cells]
        entropies.append(-sum(share * math.log2(share) for share in shares if share > 0))
    return entropies


@given(HEADS)
def test_the_entropy_of_a_head_is_the_mean_of_its_rows(weights: np.ndarray) -> None:
    expected = [np.mean(looped_entropies(head)) for head in weights]
    np.testing.assert_allclose(mean_entropy(weights), expected, atol=1e-9)


@given(HEADS)
def test_relative_entropy_is_entropy_over_the_most_there_can_be(weights: np.ndarray) -> None:
    for head, found in zip(weights, relative_entropy(weights), strict=True):
        choices = len(head[0]) + any(with_rest(row)[-1] for row in head)
        expected = np.mean(looped_entropies(head)) / math.log2(choices) if choices > 1 else 0.0
        assert found == pytest.approx(expected, abs=1e-9)
    assert (relative_entropy(weights) <= 1 + 1e-9).all()


@given(st.integers(1, 8))
def test_a_causal_head_that_reads_all_that_it_may_alike_is_as_broad_as_can_be(side: int) -> None:
    weights = np.tril(np.ones((side, side))) / np.arange(1, side + 1)[:, None]
    assert relative_entropy(weights, causal=True) == pytest.approx(1.0 if side > 1 else 0.0)


@given(SQUARES)
def test_a_causal_head_is_never_broader_than_its_triangle(weights: np.ndarray) -> None:
    causal = np.tril(weights)
    assert (relative_entropy(causal, causal=True) <= 1 + 1e-9).all()
    assert (offset_share(causal, 1) == 0).all()


@given(SQUARES)
def test_distance_is_that_of_a_loop_over_cells(weights: np.ndarray) -> None:
    expected = [looped_mean(head, lambda query, key: abs(query - key), unread=False) for head in weights]
    np.testing.assert_allclose(mean_distance(weights), expected, atol=1e-9)
    assert (mean_distance(weights) <= weights.shape[2] - 1 + 1e-9).all()


@given(HEADS, st.integers(-3, 3))
def test_the_share_at_an_offset_is_that_of_a_loop_over_cells(weights: np.ndarray, offset: int) -> None:
    expected = [looped_mean(head, lambda query, key: key - query == offset) for head in weights]
    np.testing.assert_allclose(offset_share(weights, offset), expected, atol=1e-9)


@given(HEADS, st.data())
def test_the_share_on_a_key_is_that_of_a_loop_over_cells(weights: np.ndarray, data: st.DataObject) -> None:
    chosen = data.draw(st.integers(0, weights.shape[2] - 1))
    expected = [looped_mean(head, lambda query, key: key == chosen) for head in weights]
    np.testing.assert_allclose(key_share(weights, chosen), expected, atol=1e-9)
    np.testing.assert_allclose(key_share(weights, chosen - weights.shape[2]), expected, atol=1e-9)


@given(HEADS)
def test_the_shares_of_all_places_and_of_no_token_sum_to_one(weights: np.ndarray) -> None:
    queries, keys = weights.shape[1:]
    rest = [sum(with_rest(row)[-1] for row in head) / sum(sum(with_rest(row)) for row in head) for head in weights]
    np.testing.assert_allclose(unread_share(weights), rest, atol=1e-9)
    offsets = sum(offset_share(weights, offset) for offset in range(-queries + 1, keys))
    np.testing.assert_allclose(offsets + unread_share(weights), 1, atol=1e-9)
    shares = sum(key_share(weights, key) for key in range(keys))
    np.testing.assert_allclose(shares + unread_share(weights), 1, atol=1e-9)


@given(SQUARES)
def test_previous_same_and_next_never_exceed_the_whole(weights: np.ndarray) -> None:
    assert (sum(offset_share(weights, offset) for offset in (-1, 0, 1)) <= 1 + 1e-9).all()


@given(SQUARES)
def test_a_text_read_backwards_swaps_previous_and_next(weights: np.ndarray) -> None:
    backwards = weights[:, ::-1, ::-1]
    np.testing.assert_allclose(offset_share(backwards, -1), offset_share(weights, 1), atol=1e-9)
    np.testing.assert_allclose(key_share(backwards, 0), key_share(weights, -1), atol=1e-9)
    np.testing.assert_allclose(mean_distance(backwards), mean_distance(weights), atol=1e-9)


@given(HEADS, st.randoms(use_true_random=False))
def test_measures_that_know_no_position_do_not_depend_on_order(weights: np.ndarray, random: Random) -> None:
    order = list(range(weights.shape[2]))
    random.shuffle(order)
    np.testing.assert_allclose(mean_entropy(weights[..., order]), mean_entropy(weights), atol=1e-9)
    for place, key in enumerate(order):
        np.testing.assert_allclose(key_share(weights[..., order], place), key_share(weights, key), atol=1e-9)


@given(HEADS, st.randoms(use_true_random=False))
def test_each_head_is_measured_alone(weights: np.ndarray, random: Random) -> None:
    order = list(range(len(weights)))
    random.shuffle(order)
    for measure in (mean_entropy, relative_entropy, mean_distance):
        np.testing.assert_array_equal(measure(weights[order]), measure(weights)[order])


@pytest.mark.parametrize("shape", [(2, 0, 0), (2, 0, 3), (2, 3, 0)])
def test_nothing_to_read_measures_nothing(shape: tuple[int, ...]) -> None:
    empty = np.zeros(shape)
    measured = (mean_entropy(empty), relative_entropy(empty), mean_distance(empty), offset_share(empty, -1))
    for values in (*measured, key_share(empty, 0), relative_entropy(empty, causal=True)):
        np.testing.assert_array_equal(values, [0, 0])


@given(HEADS, st.data())
def test_the_share_on_several_keys_is_the_sum_of_their_shares(weights: np.ndarray, data: st.DataObject) -> None:
    chosen = sorted(data.draw(st.sets(st.integers(0, weights.shape[2] - 1))))
    expected = sum((key_share(weights, key) for key in chosen), np.zeros(len(weights)))
    np.testing.assert_allclose(keys_share(weights, chosen), expected, atol=1e-9)


@given(SQUARES, st.data(), st.booleans())
def test_the_share_on_repeated_tokens_is_that_of_a_loop(weights: np.ndarray, data: st.DataObject, causal: bool) -> None:
    size = weights.shape[2]
    names = data.draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    weights = np.tril(weights) if causal else weights
    for head, found in zip(weights, repeated_share(weights, names, causal=causal), strict=True):
        part = whole = 0.0
        for query, row in enumerate(head.astype(float)):
            others = [key for key in range(query if causal else size) if key != query and names[key] == names[query]]
            part += sum(row[key] for key in others)
            whole += sum(with_rest(row)) if others else 0.0
        assert found == pytest.approx(part / whole if whole else 0.0)


@given(HEADS, st.randoms(use_true_random=False))
def test_the_share_along_cells_is_the_share_of_their_weights(weights: np.ndarray, random: Random) -> None:
    cells = np.array([[random.random() < 0.5 for _ in range(weights.shape[2])] for _ in range(weights.shape[1])])
    for head, found in zip(weights, cells_share(weights, cells), strict=True):
        expected = looped_mean(head, lambda query, key: float(cells[query, key]))
        assert found == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 6), st.integers(1, 6), st.booleans())
def test_a_head_that_reads_all_alike_is_as_broad_as_can_be(queries: int, keys: int, causal: bool) -> None:
    readable = np.tril(np.ones((queries, keys))) if causal else np.ones((queries, keys))
    weights = readable / readable.sum(axis=1, keepdims=True)
    broad = relative_entropy(weights, causal=causal)
    assert broad == pytest.approx(1 if keys > 1 and (queries > 1 or not causal) else 0)


@pytest.mark.parametrize("causal", [False, True])
def test_rows_that_sum_to_one_are_measured_as_shares_of_their_sum_whatever_their_rounding(causal: bool) -> None:
    """The formulas without a word of what is unread, on float32 rows whose sums are off by some 1e-7."""
    weights = rows(12, 70, 70, sharpness=0.5)
    if causal:
        weights = np.tril(weights) / np.tril(weights).sum(axis=-1, keepdims=True)
    values = weights.astype(np.float64)
    total, sums = values.sum(axis=(1, 2)), values.sum(axis=-1)
    assert 0 < np.abs(sums - 1).max() < 1e-5
    shares = values / sums[..., None]
    entropies = -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1)
    readable = np.arange(1, 71) if causal else np.full(70, 70)
    away = np.abs(np.subtract.outer(np.arange(70), np.arange(70)))
    names = [place % 9 for place in range(70)]
    same = (away % 9 == 0) & (away > 0)
    same = np.tril(same) if causal else same
    for found, expected in (
        (row_entropy(weights), entropies),
        (mean_entropy(weights), entropies.mean(axis=1)),
        (relative_entropy(weights, causal=causal), entropies.sum(axis=1) / np.log2(readable).sum()),
        (mean_distance(weights), (values * away).sum(axis=(1, 2)) / total),
        (offset_share(weights, -1), (values * np.eye(70, k=-1)).sum(axis=(1, 2)) / total),
        (key_share(weights, 0), values[..., 0].sum(axis=1) / total),
        (keys_share(weights, [3, 69]), values[..., [3, 69]].sum(axis=(1, 2)) / total),
        (repeated_share(weights, names, causal=causal), (values * same).sum(axis=(1, 2)) / sums[:, same.any(1)].sum(1)),
        (unread_share(weights), np.zeros(12)),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12, rtol=0)


def test_a_head_that_gives_nearly_all_to_its_sink_reads_little() -> None:
    weights = np.zeros((1, 4, 4))
    weights[:, :, 0] = 0.01
    assert key_share(weights, 0) == pytest.approx(0.01)
    assert keys_share(weights, [0, 2]) == pytest.approx(0.01)
    assert offset_share(weights, 0) == pytest.approx(0.0025)
    assert repeated_share(weights, "aaba") == pytest.approx(0.02 / 3)
    assert unread_share(weights) == pytest.approx(0.99)
    assert mean_distance(weights) == pytest.approx(1.5)
    bits = 0.01 * math.log2(100) - 0.99 * math.log2(0.99)
    assert mean_entropy(weights) == pytest.approx(bits)
    assert relative_entropy(weights) == pytest.approx(bits / math.log2(5))
    assert relative_entropy(weights, causal=True) == pytest.approx(4 * bits / math.log2(2 * 3 * 4 * 5))


def test_a_row_that_lacks_no_more_than_rounding_lacks_nothing() -> None:
    assert unread(np.array([[0.5, 0.499991], [0.5, 0.49998]])) == pytest.approx([0, 0.00002])
