"""Sparse attention as edits: each against its definition, key by key, and a Transformer's weights against float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import models
from models.edits import PATTERNS, Edit, block, diagonal, near, stride, top_k, window
from models.edits.patterns import keys_left

TEXT = "The cat drank the milk because it was hungry."
ENCODER = "encoder.*.self"
SITES = ("encoder.0.self.scores", "encoder.0.self.weights", "encoder.1.self.weights")


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 5), st.integers(1, 6))
def test_each_pattern_keeps_the_keys_of_its_definition(queries: int, keys: int, first: int, size: int) -> None:
    mask = np.ones((1, 2, queries, keys), dtype=bool)
    for edit, keeps in (
        (near(ENCODER, size), lambda i, j: -size <= i - j <= size),
        (stride(ENCODER, size), lambda i, j: abs(i - j) in range(0, 99, size)),
        (block(ENCODER, size), lambda i, j: any({i, j} <= set(range(b, b + size)) for b in range(0, 99, size))),
    ):
        expected = [[keeps(i, j) for j in range(keys)] for i in range(first, first + queries)]
        np.testing.assert_array_equal(edit.apply(mask, first), np.broadcast_to(expected, mask.shape))
    assert not near(ENCODER, size).apply(~mask).any()  # what is hidden stays hidden


def in_float64(scores: np.ndarray, edit: Edit) -> np.ndarray:
    """Return the weights of scores, [head, query, key], under a pattern, a row at a time from its definition."""
    weights = np.zeros(scores.shape)
    for head, query in np.ndindex(scores.shape[:2]):
        row = scores[head, query].astype(np.float64)
        if edit.name == "top_k":
            chosen = sorted(range(len(row)), key=lambda key: -row[key])[: edit.size]
        else:
            chosen = [key for key in range(len(row)) if edit.keeps(len(row), len(row))[query, key]]
        shares = np.exp(row[chosen] - row[chosen].max())
        weights[head, query, chosen] = shares / shares.sum()
    return weights


@pytest.mark.parametrize("name", PATTERNS)
def test_the_weights_of_a_limited_encoder_are_the_softmax_of_the_keys_left(name: str) -> None:
    edit = PATTERNS[name](ENCODER, 3)
    trace = models.load("transformer-en-fr").attend(TEXT, sites=SITES, edits=[edit])
    limited = trace["encoder.0.self"]
    np.testing.assert_allclose(limited.weights, in_float64(limited.companions["scores"], edit), atol=1e-6)
    left = (trace["encoder.1.self"].weights > 0).sum(axis=-1).mean()
    assert left == pytest.approx(keys_left(edit, len(trace.source)))


def test_a_window_around_each_query_is_a_window_of_every_row_by_hand() -> None:
    model = models.load("transformer-en-fr")
    count = len(model.attend(TEXT, sites=()).source)
    by_hand = [window(ENCODER, row, row, 2) for row in range(count)]
    one, other = (model.attend(TEXT, edits=edits) for edits in ([near(ENCODER, 2)], by_hand))
    assert one.output_text == other.output_text
    for site in one.sites:
        np.testing.assert_array_equal(one[site].weights, other[site].weights)


def test_step_by_step_a_decoder_keeps_the_keys_that_it_keeps_when_forced() -> None:
    model = models.load("transformer-en-fr")
    edits = [near("decoder.*.self", 1), stride("decoder.1.self", 2)]
    written = model.attend(TEXT, edits=edits)
    forced = model.attend(TEXT, written.output_text, edits=edits)
    np.testing.assert_allclose(written["decoder.0.self"].weights, forced["decoder.0.self"].weights, atol=1e-5)


def test_on_the_diagonal_each_word_attends_to_the_source_token_of_its_number_whatever_the_words_are() -> None:
    model, place = models.load("transformer-en-fr"), diagonal("decoder.*.cross", None, None)
    for text in (TEXT, "I see two red houses."):
        written = model.attend(text, edits=[place])
        forced = model.attend(text, written.output_text, edits=[place])
        for trace in (written, forced):
            rows, keys = len(trace.target), len(trace.source)
            laid = np.eye(keys)[np.minimum(np.arange(rows), keys - 1)]
            for layer in range(2):
                weights = trace[f"decoder.{layer}.cross"].weights
                np.testing.assert_array_equal(weights, np.broadcast_to(laid, weights.shape))


def test_a_pattern_as_wide_as_the_text_changes_nothing() -> None:
    model = models.load("transformer-en-fr")
    plain = model.attend(TEXT)
    for edit in (near(ENCODER, 99), stride(ENCODER, 1), block(ENCODER, 99), top_k(ENCODER, 99)):
        wide = model.attend(TEXT, edits=[edit])
        np.testing.assert_array_equal(wide["encoder.0.self"].weights, plain["encoder.0.self"].weights)
        assert wide.output_text == plain.output_text
