"""The lab: the book's numbers, each preset's statement, and messages for tables that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from models.errors import InputError
from models.experiments.lab import LabRun, Preset, book, causal, one_hot, permuted, random_vectors, run_lab, uniform


def run(preset: Preset, **changes: Any) -> LabRun:
    settings = {"mask": preset.mask, "scaled": preset.scaled} | changes
    return run_lab(preset.query, preset.key, preset.value, **settings)


def test_the_book_example_gives_the_book_numbers() -> None:
    found = run(book())
    np.testing.assert_allclose(found.scores, [[0.36, 2.4, -0.36, 0.36]], atol=1e-12)
    np.testing.assert_allclose(found.weights, [[0.098, 0.756, 0.048, 0.098]], atol=6e-4)
    np.testing.assert_allclose(found.result, [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)


def test_each_preset_shows_what_it_says() -> None:
    np.testing.assert_allclose(run(one_hot()).result, one_hot().value, atol=1e-7)
    np.testing.assert_allclose(run(uniform()).result, np.tile(uniform().value.mean(axis=0), (2, 1)))
    found = run(causal())
    assert not np.triu(found.weights, 1).any()
    np.testing.assert_allclose(found.result[0], causal().value[0])


@given(st.permutations(range(4)))
def test_permuted_inputs_give_permuted_outputs(order: list[int]) -> None:
    first, second = permuted(order)
    np.testing.assert_allclose(run(second).result, run(first).result[order], atol=1e-12)


def test_the_softmax_of_long_vectors_saturates_without_the_scaling() -> None:
    sharpest = [
        np.mean([run(random_vectors(size, seed=seed), scaled=scaled).weights.max() for seed in range(30)])
        for size in (4, 512)
        for scaled in (False, True)
    ]
    short, short_scaled, long, long_scaled = sharpest
    assert long > 0.9 > 0.7 > short
    assert abs(long_scaled - short_scaled) < 0.1


@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 4), st.floats(0.1, 10), st.booleans(), st.integers(0, 99))
def test_lines_follow_from_each_other(
    queries: int, keys: int, size: int, temperature: float, scaled: bool, seed: int
) -> None:
    """Against scipy, on numbers drawn at random, masked at random."""
    generator = np.random.default_rng(seed)
    q, k, v = (generator.normal(size=shape) for shape in ((queries, size), (keys, size), (keys, 3)))
    mask = generator.random((queries, keys)) < 0.7
    mask[:, 0] = True
    found = run_lab(q, k, v, mask=mask, scaled=scaled, temperature=temperature)
    scores = q @ k.T / temperature / (np.sqrt(size) if scaled else 1)
    expected = softmax(np.where(mask, scores, -np.inf), axis=1)
    np.testing.assert_allclose(found.scores, scores, atol=1e-12)
    np.testing.assert_allclose(found.weights, expected, atol=1e-12)
    np.testing.assert_allclose(found.exponentials / found.exponentials.sum(axis=1, keepdims=True), expected, atol=1e-12)
    np.testing.assert_allclose(found.result, expected @ v, atol=1e-12)
    assert not found.weights[~mask].any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"query": [[1.0, 2.0]]}, "A query has 2 numbers and a key 1"),
        ({"value": [[1.0], [2.0]]}, "1 key, and there are 2 values"),
        ({"query": [[float("nan")]]}, "row 1, column 1 holds no number"),
        ({"query": [[None]]}, "holds no number"),
        ({"query": [["x"]]}, "every cell must hold a number"),
        ({"key": []}, "Keys is empty"),
        ({"temperature": 0.0}, "above 0"),
        ({"mask": [[False]]}, "Query 1 may read no key"),
        ({"mask": [[True, True]]}, "The mask has"),
        ({"query": [[0.0]] * 513}, "512 at most"),
    ],
)
def test_tables_that_do_not_fit_get_a_message(changes: dict[str, Any], message: str) -> None:
    tables = {"query": [[1.0]], "key": [[1.0]], "value": [[1.0]]} | changes
    with pytest.raises(InputError, match=message):
        run_lab(tables.pop("query"), tables.pop("key"), tables.pop("value"), **tables)
