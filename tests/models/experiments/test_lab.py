"""The lab: the book's numbers, each preset's statement, and messages for tables that do not fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from models.errors import InputError
from models.experiments.lab import LabRun, run_lab
from models.experiments.lab_layer import run_layer
from models.experiments.lab_presets import (
    Preset,
    book,
    causal,
    one_hot,
    permuted,
    projections,
    random_vectors,
    score_tables,
    two_heads,
    uniform,
    written_so_far,
)
from models.networks.attention import additive_scores, dot_scores, general_scores
from models.softmax import masked_softmax


def run(preset: Preset, **changes: Any) -> LabRun:
    settings = {"mask": preset.mask, "scaled": preset.scaled} | changes
    return run_layer(preset.tables, **settings).runs[0]


def test_the_book_example_gives_the_book_numbers() -> None:
    found = run(book())
    np.testing.assert_allclose(found.scores, [[0.36, 2.4, -0.36, 0.36]], atol=1e-12)
    np.testing.assert_allclose(found.weights, [[0.098, 0.756, 0.048, 0.098]], atol=6e-4)
    np.testing.assert_allclose(found.result, [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)


def test_each_preset_shows_what_it_says() -> None:
    np.testing.assert_allclose(run(one_hot()).result, one_hot().tables["value"], atol=1e-7)
    np.testing.assert_allclose(run(uniform()).result, np.tile(uniform().tables["value"].mean(axis=0), (2, 1)))
    found = run(causal())
    assert not np.triu(found.weights, 1).any()
    np.testing.assert_allclose(found.result[0], causal().tables["value"][0])


def test_the_contexts_of_a_sentence_under_a_causal_mask_have_the_rows_that_are_told() -> None:
    found = run(written_so_far())
    assert written_so_far().names == ("我", "吃了", "一个", "苹果")
    expected = [[1], [0.5, 0.5], [0.45, 0.45, 0.1], [0.3, 0.3, 0.1, 0.3]]
    assert found.weights.shape == (len(expected), len(expected))
    for row, shares in enumerate(expected):
        np.testing.assert_allclose(found.weights[row, : len(shares)], shares, atol=1e-4)
        assert not found.weights[row, len(shares) :].any()
    lifted = run(written_so_far(), mask=None)
    assert lifted.weights[0, 1:].all()


def test_projections_are_the_inputs_times_their_matrices() -> None:
    tables = projections().tables
    found = projections().run()
    for name in ("query", "key", "value"):
        np.testing.assert_allclose(getattr(found, name), tables["inputs"] @ tables[f"{name}_weight"])


def test_two_heads_read_apart_and_one_matrix_joins_them() -> None:
    found, tables = two_heads().run(), two_heads().tables
    assert len(found.runs) == 2
    for head, part in enumerate((slice(0, 2), slice(2, 4))):
        alone = run_lab(found.query[:, part], found.key[:, part], found.value[:, part])
        np.testing.assert_allclose(found.runs[head].weights, alone.weights)
    joined = np.concatenate([each.result for each in found.runs], axis=1)
    np.testing.assert_allclose(found.output, joined @ tables["output_weight"])
    first, second = (each.weights for each in found.runs)
    np.testing.assert_allclose(first[0, 0], first[0, 1])
    assert second.argmax(axis=1).tolist() == [1, 2, 3, 0]


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_every_score_is_its_formula(queries: int, keys: int, d_query: int, d_key: int, seed: int) -> None:
    """Against what the networks run: general and additive scores compare queries and keys of any two sizes."""
    generator = np.random.default_rng(seed)
    q, k, v = (generator.normal(size=shape) for shape in ((queries, d_query), (keys, d_key), (keys, 2)))
    made = {name: generator.normal(size=table.shape) for name, table in score_tables(d_query, d_key).items()}
    ours = {name: torch.from_numpy(each) for name, each in {"q": q, "k": k, **made}.items()}
    general = run_lab(q, k, v, scaled=False, score="general", parameters=made)
    expected = general_scores(ours["q"], ours["k"], ours["general"])
    np.testing.assert_allclose(general.scores, expected, atol=1e-12)
    additive = run_lab(q, k, v, scaled=False, score="additive", parameters=made)
    projected = ours["q"] @ ours["additive_query"], ours["k"] @ ours["additive_key"]
    np.testing.assert_allclose(additive.scores, additive_scores(*projected, ours["additive_vector"][0]), atol=1e-12)
    np.testing.assert_allclose(additive.weights, masked_softmax(torch.from_numpy(additive.scores)), atol=1e-12)
    if d_query == d_key:
        cosine = run_lab(q, k, v, scaled=False, score="cosine")
        expected = dot_scores(*(torch.nn.functional.normalize(ours[name], dim=-1) for name in "qk"))
        np.testing.assert_allclose(cosine.scores, expected, atol=1e-12)


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_biased_and_activated_scores_are_their_formulas_number_by_number(
    queries: int, keys: int, d_query: int, d_key: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    q, k, v = (generator.normal(size=shape) for shape in ((queries, d_query), (keys, d_key), (keys, 2)))
    made = {name: generator.normal(size=table.shape) for name, table in score_tables(d_query, d_key).items()}
    matrix, bias, added = made["general"], made["general_bias"][0], made["activated_bias"][0, 0]
    biased, activated = (
        run_lab(q, k, v, scaled=False, score=score, parameters=made) for score in ("biased", "activated")
    )
    assert biased.inner is None
    for query, key in np.ndindex(queries, keys):
        read = [math.fsum(q[query, i] * matrix[i, j] for i in range(d_query)) for j in range(d_key)]
        plain = math.fsum(read[j] * k[key, j] for j in range(d_key))
        lifted = math.fsum((read[j] + bias[j]) * k[key, j] for j in range(d_key))
        assert biased.scores[query, key] == pytest.approx(lifted, abs=1e-12)
        assert activated.inner is not None
        assert activated.inner[query, key] == pytest.approx(plain + added, abs=1e-12)
        assert activated.scores[query, key] == pytest.approx(math.tanh(plain + added), abs=1e-12)
    np.testing.assert_allclose(activated.weights, softmax(activated.scores, axis=1), atol=1e-12)
    for score, wrong in (("biased", "general_bias"), ("activated", "activated_bias")):
        with pytest.raises(InputError, match="b of the score has"):
            run_lab(q, k, v, score=score, parameters=made | {wrong: np.ones((2, d_key))})


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1), st.booleans())
def test_padding_is_hidden_by_its_mask_and_gets_weight_without_it(
    queries: int, keys: int, padding: int, seed: int, causal: bool
) -> None:
    generator = np.random.default_rng(seed)
    tables = {
        name: generator.standard_normal((rows, 3))
        for name, rows in (("query", queries), ("key", keys), ("value", keys))
    }
    mask = np.tri(queries, keys, dtype=bool) if causal else None
    bare = run_layer(tables, mask=mask)
    masked = run_layer(tables, mask=mask, padding=padding)
    np.testing.assert_allclose(masked.runs[0].weights[:, :keys], bare.runs[0].weights, rtol=1e-12)
    assert not masked.runs[0].weights[:, keys:].any()
    np.testing.assert_allclose(masked.output, bare.output, atol=1e-12)
    open_ = run_layer(tables, mask=mask, padding=padding, padding_mask=False)
    for row in range(queries):
        seen = [key for key in range(keys) if mask is None or mask[row, key]]
        powers = [math.exp(math.fsum(tables["query"][row] * tables["key"][key]) / math.sqrt(3)) for key in seen]
        total = math.fsum(powers) + padding  # a vector of zeros has the score 0, whose exponential is 1
        np.testing.assert_allclose(open_.runs[0].weights[row, keys:], [1 / total] * padding, rtol=1e-10)
        np.testing.assert_allclose(open_.runs[0].weights[row, seen], np.array(powers) / total, rtol=1e-10)
        expected = sum(power / total * tables["value"][key] for power, key in zip(powers, seen, strict=True))
        np.testing.assert_allclose(open_.output[row], expected, rtol=1e-9, atol=1e-12)


def test_a_hard_choice_reads_the_best_key_that_may_be_read_and_no_other() -> None:
    mask = [[True, False, True, True]]
    found = run(book(), hard=True, mask=mask)
    assert found.weights.tolist() == [[1, 0, 0, 0]]
    np.testing.assert_allclose(found.result, book().tables["value"][:1])


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
        ({"query": [[1.0, 2.0]]}, "A query has 2 numbers and a key has 1"),
        ({"value": [[1.0], [2.0]]}, "There is 1 key and 2 values"),
        ({"query": [[float("nan")]]}, "row 1, column 1 has no number"),
        ({"query": [[None]]}, "has no number. Fill it in"),
        ({"query": [["x"]]}, "every cell must contain a number"),
        ({"key": []}, "Keys is empty"),
        ({"temperature": 0.0}, "above 0"),
        ({"mask": [[False]]}, "Query 1 has no key to attend to"),
        ({"mask": [[True, True]]}, "The mask has"),
        ({"query": [[0.0]] * 513}, "at most 512 of each"),
    ],
)
def test_tables_that_do_not_fit_get_a_message(changes: dict[str, Any], message: str) -> None:
    tables = {"query": [[1.0]], "key": [[1.0]], "value": [[1.0]]} | changes
    with pytest.raises(InputError, match=message):
        run_lab(tables.pop("query"), tables.pop("key"), tables.pop("value"), **tables)


@pytest.mark.parametrize(
    ("tables", "changes", "message"),
    [
        (
            {"general": [[1.0, 2.0]]},
            {"score": "general"},
            "of the score has 1 row and 2 columns. It must be 1 \u00d7 1",
        ),
        ({"additive_key": [[1.0, 2.0]]}, {"score": "additive"}, "U of the score has 1 row and 2 columns"),
        ({}, {"heads": 2}, "Queries have 1 column, which is not divisible by 2 heads"),
        ({"inputs": [[1.0, 2.0]], "query_weight": [[1.0]]}, {}, "W_Q has 1 row and 1 column. It must be 2 \u00d7 1"),
    ],
)
def test_a_layer_whose_tables_do_not_fit_gets_a_message(
    tables: dict[str, Any], changes: dict[str, Any], message: str
) -> None:
    given = {"query": [[1.0]], "key": [[1.0]], "value": [[1.0]], **score_tables(1, 1), **tables}
    with pytest.raises(InputError, match=message):
        run_layer(given, **changes)
