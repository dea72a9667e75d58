"""The record: what it refuses, that it cannot be changed, and what its words and readings say."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.edits import zero_head
from models.sites import Site
from models.trace import (
    AttentionMap,
    AttentionTrace,
    Provenance,
    Step,
    TokenSequence,
    TraceError,
    frozen_array,
    merge_to_words,
)

CROSS = Site("decoder", 0, "cross")
SELF = Site("decoder", 0, "self")
SOURCE = TokenSequence.from_words(("the", "cat", "the", "</s>"), (5, 6, 5, 2))
TARGET = TokenSequence.from_words(("le", "chat", "</s>"), (7, 8, 2))
TARGET_INPUT = TokenSequence.from_words(("<s>", "le", "chat"), (1, 7, 8))
ROWS = np.array([[0.7, 0.1, 0.1, 0.1], [0, 1, 0, 0], [0.25, 0.25, 0.25, 0.25]], dtype=np.float32)
CAUSAL = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]], dtype=np.float32)


def provenance(**changes: Any) -> Provenance:
    values: dict[str, Any] = {
        "mechanism": "hand",
        "title": "Made by hand",
        "year": 2015,
        "paper": "none",
        "equation": "1",
        "checkpoint": "hand-en-fr",
        "sha256": "0" * 64,
        "versions": (("numpy", "2.4"),),
        "decoding": "forced",
    }
    return Provenance(**(values | changes))


def cross_map(weights: NDArray[Any] = ROWS[None], **changes: Any) -> AttentionMap:
    values: dict[str, Any] = {"site": CROSS, "weights": weights, "query_tokens": TARGET, "key_tokens": SOURCE}
    return AttentionMap(**(values | changes))


def self_map() -> AttentionMap:
    return AttentionMap(SELF, CAUSAL[None], TARGET_INPUT, TARGET_INPUT, causal=True)


def trace(**changes: Any) -> AttentionTrace:
    """Two maps of one head; the cross row of token t is ROWS[t]."""
    values: dict[str, Any] = {
        "source": SOURCE,
        "target": TARGET,
        "target_input": TARGET_INPUT,
        "maps": (cross_map(), self_map()),
        "steps": tuple(
            Step(text, token, -0.5, ((text, 0.6), ("un", 0.2)))
            for text, token in zip(TARGET.texts, TARGET.ids, strict=True)
        ),
        "source_text": "the cat the",
        "output_text": "le chat",
        "provenance": provenance(),
    }
    return AttentionTrace(**(values | changes))


class TestTokenSequence:
    def test_equal_texts_at_two_positions_stay_two_tokens(self) -> None:
        assert len(SOURCE) == 4
        assert SOURCE.texts[0] == SOURCE.texts[2]
        assert SOURCE.words == (0, 1, 2, 3)

    def test_sequences_are_equal_and_hashed_by_their_contents(self) -> None:
        again = TokenSequence.from_words(("the", "cat", "the", "</s>"), (5, 6, 5, 2))
        assert again == SOURCE
        assert hash(again) == hash(SOURCE)
        assert again != TokenSequence.from_words(("the", "cat", "the", "</s>"))

    def test_words_keep_texts_that_pieces_cannot_give(self) -> None:
        pieces = TokenSequence((r"\xf0", r"\x9f\x94\xa5", "!"), (9, 10, 11), (0, 0, 1), ("🔥", "!"))
        assert pieces.to_words() == TokenSequence.from_words(("🔥", "!"))

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ((("a",), (1, 2), (0,), ("a",)), "got 1 texts, 2 ids, 1 word indices; expected as many of each"),
            ((("a",), (1,), (), ("a",)), "got 1 texts, 1 ids, 0 word indices"),
            ((("a", "b"), (1, 2), (0, 2), ("a", "b")), r"word indices \(0, 2\) skip or go back"),
            ((("a", "b"), (1, 2), (1, 0), ("a", "b")), "skip or go back"),
            ((("a", "b"), (1, 2), (1, 2), ("a", "b")), "skip or go back"),
            ((("a", "b"), (1, 2), (-1, 0), ("a",)), "skip or go back"),
            ((("a", "b"), (1, 2), (0, 0), ("a", "b")), "got 2 word texts for 1 words"),
            (((), (), (), ("a",)), "got 1 word texts for 0 words"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, arguments: tuple[Any, ...], problem: str) -> None:
        with pytest.raises(TraceError, match=problem):
            TokenSequence(*arguments)

    def test_an_empty_sequence_is_a_sequence(self) -> None:
        assert len(TokenSequence((), (), (), ())) == len(TokenSequence.from_words(())) == 0


class TestMapValidation:
    @pytest.mark.parametrize(
        ("weights", "changes", "problem"),
        [
            (ROWS, {}, r"got weights of shape \(3, 4\); expected \[head, query, key\]. Check"),
            (ROWS.T[None], {}, r"got weights of shape \(1, 4, 3\); expected \(1, 3, 4\) from its tokens. Check"),
            (ROWS[None, :, :3], {}, r"got weights of shape \(1, 3, 3\); expected \(1, 3, 4\)"),
            (ROWS[None], {"head_names": ("a", "b")}, "got 2 head names; expected 1. Name"),
            (np.where(ROWS == 1, np.nan, ROWS)[None], {}, "got weights with NaN or infinity; expected finite"),
            (np.where(ROWS == 1, np.inf, ROWS)[None], {}, "got weights with NaN or infinity; expected finite"),
            (ROWS[None] - 0.05, {}, "got a weight of -0.05; expected weights of 0 or more. Were scores captured?"),
            (ROWS[None] * 1.001, {}, "got head 0, row . that sums to 1.00100; expected 1 within 1e-4"),
        ],
    )
    def test_the_message_names_site_got_and_expected(
        self, weights: NDArray[Any], changes: dict[str, Any], problem: str
    ) -> None:
        with pytest.raises(TraceError, match=f"^decoder.0.cross: {problem}"):
            cross_map(weights, **changes)

    def test_the_worst_row_is_the_one_that_is_named(self) -> None:
        weights = np.stack([ROWS, ROWS, ROWS])
        weights[1, 2] *= 0.5
        with pytest.raises(TraceError, match=r"head 1, row 2 that sums to 0\.50000"):
            cross_map(weights)

    @pytest.mark.parametrize("place", [(0, 1), (63, 64), (64, 65), (10, 129), (128, 129)])
    def test_one_weight_ahead_in_a_long_causal_map_is_enough(self, place: tuple[int, int]) -> None:
        text = TokenSequence.from_words(tuple(f"w{number}" for number in range(130)))
        weights = np.tril(np.ones((2, 130, 130), dtype=np.float32))
        weights /= weights.sum(axis=-1, keepdims=True)
        AttentionMap(SELF, weights, text, text, causal=True)
        weights[1][place] = 1e-9
        with pytest.raises(TraceError, match="looks ahead"):
            AttentionMap(SELF, weights.copy(), text, text, causal=True)

    def test_a_causal_map_that_looks_ahead_is_refused(self) -> None:
        with pytest.raises(TraceError, match=r"^decoder.0.self: got a causal map that looks ahead"):
            AttentionMap(SELF, CAUSAL.T[None], TARGET_INPUT, TARGET_INPUT, causal=True, rows_sum_to_one=False)

    def test_rows_need_not_sum_to_1_where_the_mechanism_says_so(self) -> None:
        assert cross_map(ROWS[None] * 0.5, rows_sum_to_one=False).weights.sum() == pytest.approx(1.5)

    def test_a_row_within_the_tolerance_of_half_precision_noise_passes(self) -> None:
        assert cross_map(ROWS[None] * np.float32(1 + 9e-5)).site == CROSS

    def test_the_site_of_a_map_has_no_quantity_and_heads_are_numbered(self) -> None:
        made = cross_map(np.stack([ROWS, ROWS]), site=CROSS.at("weights"))
        assert made.site == CROSS
        assert made.head_names == ("0", "1")

    def test_the_mean_is_over_heads(self) -> None:
        made = cross_map(np.stack([ROWS, np.full_like(ROWS, 0.25)]))
        np.testing.assert_allclose(made.mean, (ROWS + 0.25) / 2, rtol=1e-6)
        np.testing.assert_array_equal(made.head("mean"), made.mean)
        np.testing.assert_array_equal(made.head(0), ROWS)


class TestFrozen:
    def test_arrays_cannot_be_written_and_the_given_ones_are_left_alone(self) -> None:
        weights, scores = ROWS[None].copy(), np.zeros((1, 3, 4))
        made = cross_map(weights, companions={"scores": scores})
        for array in (made.weights, made.companions["scores"]):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0, 0] = 1
        weights[:] = scores[:] = 9
        np.testing.assert_array_equal(made.weights[0], ROWS)
        assert not made.companions["scores"].any()

    def test_a_view_of_a_read_only_array_is_copied_because_its_owner_may_write(self) -> None:
        owner = ROWS.copy()
        view = owner[:2]
        view.setflags(write=False)
        assert frozen_array(view) is not view

    def test_what_a_tensor_gave_away_is_not_copied_once_it_is_read_only(self) -> None:
        given = torch.tensor(ROWS).numpy()
        assert frozen_array(given) is not given
        given.setflags(write=False)
        assert frozen_array(given) is given

    def test_an_array_that_is_frozen_already_is_not_copied(self) -> None:
        made = cross_map()
        assert replace(made, head_names=("a",)).weights is made.weights

    @pytest.mark.parametrize(
        ("record", "name"), [(trace(), "maps"), (cross_map(), "weights"), (SOURCE, "texts"), (provenance(), "year")]
    )
    def test_no_field_can_be_set(self, record: object, name: str) -> None:
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, None)

    def test_companions_take_no_new_entry(self) -> None:
        with pytest.raises(TypeError, match="does not support item assignment"):
            cross_map().companions["scores"] = ROWS  # type: ignore[index]

    @pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
    def test_a_copy_through_pickle_is_equal_and_read_only(self, again: Any) -> None:
        first = trace(
            maps=(cross_map(companions={"scores": ROWS[None]}), self_map()),
            provenance=provenance(edits=(zero_head("decoder.0.cross", 0),)),
        )
        second = again(first)
        for got, want in zip(second.maps, first.maps, strict=True):
            np.testing.assert_array_equal(got.weights, want.weights)
            assert not got.weights.flags.writeable
            assert (got.site, got.head_names, got.causal) == (want.site, want.head_names, want.causal)
        assert not second["decoder.0.cross"].companions["scores"].flags.writeable
        assert second.source == first.source
        assert second.steps == first.steps
        assert second.provenance == first.provenance

    def test_what_was_spoilt_before_pickling_is_refused_after(self) -> None:
        spoilt = cross_map()
        object.__setattr__(spoilt, "weights", np.full_like(spoilt.weights, np.nan))
        written = pickle.dumps(spoilt)
        with pytest.raises(TraceError, match="NaN"):
            pickle.loads(written)

    def test_records_hash_so_that_they_can_key_a_table(self) -> None:
        assert len({provenance(), provenance(), provenance(edits=(zero_head("decoder.0.cross", 0),))}) == 2
        one = trace()
        assert {one: 1}[one] == 1


def merged_slowly(weights: NDArray[Any], queries: tuple[int, ...], keys: tuple[int, ...]) -> NDArray[np.float64]:
    """Sum over the pieces of a key word, mean over those of a query word, one weight at a time."""
    result = np.zeros((weights.shape[0], queries[-1] + 1, keys[-1] + 1))
    for head, query, key in np.ndindex(*weights.shape):
        result[head, queries[query], keys[key]] += float(weights[head, query, key]) / queries.count(queries[query])
    return result


words = st.lists(st.integers(1, 4), min_size=1, max_size=6).map(
    lambda lengths: tuple(word for word, length in enumerate(lengths) for _ in range(length))
)


class TestWords:
    @given(words, words, st.integers(1, 3), st.integers(0, 2**32 - 1))
    def test_merging_equals_a_slow_loop_and_keeps_row_sums(
        self, queries: tuple[int, ...], keys: tuple[int, ...], heads: int, seed: int
    ) -> None:
        weights = np.random.default_rng(seed).dirichlet(np.ones(len(keys)), size=(heads, len(queries)))
        merged = merge_to_words(weights.astype(np.float32), query_words=queries, key_words=keys)
        np.testing.assert_allclose(merged, merged_slowly(weights, queries, keys), atol=1e-6)
        np.testing.assert_allclose(merged.sum(-1), 1, atol=1e-5)
        assert merged.dtype == np.float32

    def test_a_map_merges_to_its_words(self) -> None:
        source = TokenSequence(("ag", "reement", "</s>"), (3, 4, 2), (0, 0, 1), ("agreement", "</s>"))
        target = TokenSequence(("ac", "cord"), (5, 6), (0, 0), ("accord",))
        weights = np.array([[[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]], dtype=np.float32)
        made = AttentionMap(CROSS, weights, target, source, companions={"scores": weights}).to_words()
        np.testing.assert_allclose(made.weights, [[[0.5, 0.5]]], rtol=1e-6)
        assert made.query_tokens.texts == ("accord",)
        assert made.key_tokens.texts == ("agreement", "</s>")
        assert dict(made.companions) == {}

    def test_repeated_words_keep_a_column_each(self) -> None:
        made = cross_map().to_words()
        assert made.key_tokens.texts == ("the", "cat", "the", "</s>")
        np.testing.assert_array_equal(made.weights[0], ROWS)

    def test_merging_twice_is_merging_once(self) -> None:
        once = cross_map().to_words()
        assert once.to_words() is once

    def test_an_empty_axis_merges_to_an_empty_axis(self) -> None:
        assert merge_to_words(np.zeros((2, 0, 3)), query_words=(), key_words=(0, 0, 1)).shape == (2, 0, 2)


class TestTrace:
    def test_a_map_is_found_by_its_address_in_either_form(self) -> None:
        made = trace()
        assert made["decoder.0.cross"] is made[CROSS] is made[CROSS.at("weights")] is made.maps[0]
        assert made.sites == (CROSS, SELF)
        assert list(made) == list(made.maps)
        assert CROSS in made
        assert "decoder.1.cross" not in made

    def test_an_address_that_was_not_captured_is_shown_those_that_were(self) -> None:
        with pytest.raises(KeyError, match=r"no map at decoder.1.cross; captured: decoder.0.cross, decoder.0.self"):
            trace()["decoder.1.cross"]

    def test_both_axes_of_a_decoder_self_map_are_the_tokens_read_in(self) -> None:
        made = trace()["decoder.0.self"]
        assert made.query_tokens == made.key_tokens == TARGET_INPUT
        wrong = AttentionMap(SELF, CAUSAL[None], TARGET, TARGET_INPUT, causal=True)
        with pytest.raises(TraceError, match=r"decoder.0.self: got query tokens \('le', 'chat', '</s>'\); expected"):
            trace(maps=(wrong,))

    def test_a_cross_map_reads_the_source_and_its_rows_are_the_tokens_written(self) -> None:
        shifted = cross_map(query_tokens=TARGET_INPUT)
        with pytest.raises(TraceError, match=r"decoder.0.cross: got query tokens \('<s>', 'le', 'chat'\); expected"):
            trace(maps=(shifted,))
        other = cross_map(key_tokens=TokenSequence.from_words(("a", "cat", "the", "</s>")))
        with pytest.raises(TraceError, match=r"decoder.0.cross: got key tokens"):
            trace(maps=(other,))

    def test_an_encoder_map_has_the_source_on_both_axes(self) -> None:
        site = Site("encoder", 2, "self")
        uniform = np.full((1, 4, 4), 0.25, dtype=np.float32)
        assert trace(maps=(AttentionMap(site, uniform, SOURCE, SOURCE),)).sites == (site,)

    def test_the_only_text_of_a_causal_one_stack_model_is_its_source(self) -> None:
        empty = TokenSequence((), (), (), ())
        weights = np.tril(np.ones((1, 4, 4), dtype=np.float32))
        weights /= weights.sum(-1, keepdims=True)
        made = AttentionMap(SELF, weights, SOURCE, SOURCE, causal=True)
        one_stack = trace(target=empty, target_input=empty, steps=(), maps=(made,), output_text="")
        assert one_stack["decoder.0.self"].key_tokens == SOURCE

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"steps": ()}, "got 3 tokens written, 3 read in and 0 steps; expected as many of each"),
            ({"target_input": SOURCE}, "got 3 tokens written, 4 read in and 3 steps"),
            ({"maps": (cross_map(), cross_map())}, "a site stands twice among decoder.0.cross, decoder.0.cross"),
        ],
    )
    def test_parts_that_do_not_fit_together_are_refused(self, changes: dict[str, Any], problem: str) -> None:
        with pytest.raises(TraceError, match=problem):
            trace(**changes)

    def test_a_step_gives_the_probability_of_what_it_wrote(self) -> None:
        assert Step("le", 7, float(np.log(0.25))).probability == pytest.approx(0.25)


class TestReading:
    """Step t reads in x_t and writes y_t: ROWS[t] is computed in between."""

    def test_written_the_row_of_a_token_is_the_row_of_the_step_that_writes_it(self) -> None:
        made = trace().read("decoder.0.cross")
        assert made.query_tokens == TARGET
        for token, row in (("le", 0), ("chat", 1), ("</s>", 2)):
            np.testing.assert_array_equal(made.weights[0, made.query_tokens.texts.index(token)], ROWS[row])

    def test_input_the_row_of_a_token_is_one_step_later(self) -> None:
        made = trace().read("decoder.0.cross", "input")
        assert made.query_tokens == TARGET_INPUT
        for token, row in (("<s>", 0), ("le", 1), ("chat", 2)):
            np.testing.assert_array_equal(made.weights[0, made.query_tokens.texts.index(token)], ROWS[row])

    def test_no_weight_changes_only_the_label(self) -> None:
        made = trace()
        assert made.read(CROSS, "input").weights is made[CROSS].weights
        assert made.read(CROSS, "input").key_tokens == made[CROSS].key_tokens

    def test_the_row_that_writes_the_end_is_kept_under_either_reading(self) -> None:
        made = trace()
        assert made.read(CROSS).query_tokens.texts[-1] == "</s>"
        assert made.read(CROSS).weights.shape == made.read(CROSS, "input").weights.shape == (1, 3, 4)

    def test_a_self_map_reads_the_same_under_either_reading(self) -> None:
        made = trace()
        assert made.read(SELF, "input") is made.read(SELF, "written") is made[SELF]

    def test_words_merge_under_either_reading(self) -> None:
        made = trace().read(CROSS, "input").to_words()
        assert made.query_tokens.texts == ("<s>", "le", "chat")

    def test_another_reading_is_refused(self) -> None:
        with pytest.raises(ValueError, match="reading is 'written' or 'input'; got 'spoken'"):
            trace().read(CROSS, "spoken")  # type: ignore[arg-type]
