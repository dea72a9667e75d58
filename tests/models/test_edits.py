"""Edits: what each changes and what it leaves alone, what it refuses, and that its text reads back."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.edits import (
    OPERATIONS,
    Edit,
    block,
    diagonal,
    harden,
    keep_heads,
    lift_mask,
    mask_cell,
    mask_key,
    near,
    read_edit,
    sample,
    scale_scores,
    set_row,
    stride,
    top_k,
    uniform_row,
    window,
    zero_head,
    zero_row,
)
from models.sites import Site

CROSS = "decoder.0.cross"

positions = st.integers(0, 10**9 - 1)
maybe_positions = st.none() | positions
numbers = st.floats(allow_nan=False, allow_infinity=False)
places = st.builds(
    "{}.{}.{}".format,
    st.sampled_from(["*", "encoder", "decoder"]),
    st.just("*") | st.integers(0, 99).map(str),
    st.sampled_from(["*", "self", "cross"]),
)


@st.composite
def distributions(draw: st.DrawFn, size: int | None = None) -> tuple[float, ...]:
    count = size or draw(st.integers(1, 8))
    parts = draw(st.lists(st.floats(0, 1), min_size=count, max_size=count).filter(lambda parts: sum(parts) > 1e-3))
    return tuple(float(part) for part in np.array(parts) / sum(parts))


@st.composite
def softmax_maps(draw: st.DrawFn) -> NDArray[np.float32]:
    heads, queries, keys, seed = (draw(st.integers(1, most)) for most in (4, 5, 6, 10**6))
    rng = np.random.default_rng(seed)
    weights = np.exp(rng.normal(size=(heads, queries, keys))) * (rng.random((heads, queries, keys)) > 0.3)
    weights[..., 0] += 1e-3  # so that no row is masked altogether
    return np.asarray(weights / weights.sum(-1, keepdims=True), dtype=np.float32)


edits = st.one_of(
    st.builds(zero_head, places, maybe_positions),
    st.builds(keep_heads, places, st.lists(positions, min_size=1, max_size=5).map(tuple)),
    st.builds(zero_row, places, maybe_positions, maybe_positions),
    st.builds(uniform_row, places, maybe_positions, maybe_positions),
    st.builds(diagonal, places, maybe_positions, maybe_positions),
    st.builds(harden, places, maybe_positions, maybe_positions),
    st.builds(sample, places, maybe_positions, maybe_positions, positions),
    st.builds(set_row, places, maybe_positions, maybe_positions, distributions(), st.floats(0, 1)),
    st.builds(scale_scores, places, st.floats(-1e6, 1e6)),
    st.builds(mask_key, places, positions),
    st.builds(lift_mask, places),
    st.builds(mask_cell, places, maybe_positions, positions),
    st.builds(window, places, maybe_positions, positions | st.floats(0, 1e9, exclude_max=True), maybe_positions),
    st.builds(window, places, maybe_positions, st.none(), positions),
    st.builds(near, places, positions),
    st.one_of(*(st.builds(each, places, st.integers(1, 10**9 - 1)) for each in (stride, block, top_k))),
)


def example_map() -> NDArray[np.float32]:
    """Two heads, three queries, four keys; each row 0.1 0.2 0.3 0.4."""
    return np.tile(np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32), (2, 3, 1))


class TestWhatEachChanges:
    def test_zero_head_empties_that_head_alone(self) -> None:
        edited = zero_head(CROSS, 1).apply(example_map())
        assert not edited[1].any()
        np.testing.assert_array_equal(edited[0], example_map()[0])

    def test_zero_head_without_a_head_empties_all(self) -> None:
        assert not zero_head(CROSS, None).apply(example_map()).any()

    def test_keep_heads_empties_the_others(self) -> None:
        edited = keep_heads(CROSS, (1,)).apply(example_map())
        assert not edited[0].any()
        np.testing.assert_array_equal(edited[1], example_map()[1])

    def test_uniform_row_spreads_over_the_keys_of_the_mask_whatever_the_weights_are(self) -> None:
        weights, mask = example_map(), np.ones((2, 3, 4), dtype=bool)
        weights[0, 1] = [0.5, 0.5, 0, 0]
        weights[1, 1] = 0
        mask[0, 1, 3] = False
        edited = uniform_row(CROSS, None, 1).apply(weights, mask=mask)
        np.testing.assert_array_equal(edited[0, 1], np.float32([1 / 3, 1 / 3, 1 / 3, 0]))
        np.testing.assert_array_equal(edited[1, 1], np.float32([0.25] * 4))
        np.testing.assert_array_equal(edited[:, [0, 2]], weights[:, [0, 2]])

    def test_uniform_row_spreads_over_all_keys_without_a_mask_and_over_none_that_a_mask_hides(self) -> None:
        empty, nothing = np.zeros((1, 1, 4), dtype=np.float32), np.zeros((1, 1, 4), dtype=bool)
        assert uniform_row(CROSS, 0, 0).apply(empty).tolist() == [[[0.25] * 4]]
        assert not uniform_row(CROSS, 0, 0).apply(empty, mask=nothing).any()

    @given(softmax_maps(), st.data())
    def test_harden_makes_each_row_one_hot_where_it_was_largest(
        self, weights: NDArray[np.float32], data: st.DataObject
    ) -> None:
        """It is the row forced on its strongest key, and done twice it is what it was once; batched as alone."""
        head = data.draw(st.none() | st.integers(0, len(weights) - 1))
        row = data.draw(st.none() | st.integers(0, weights.shape[1] - 1))
        edited = harden(CROSS, head, row).apply(weights)
        expected = weights
        for at_head in range(len(weights)) if head is None else (head,):
            for at_row in range(weights.shape[1]) if row is None else (row,):
                best = int(weights[at_head, at_row].argmax())
                expected = set_row(CROSS, at_head, at_row, (0.0,) * best + (1.0,), 1).apply(expected)
                assert sorted(edited[at_head, at_row])[-1] == 1 == edited[at_head, at_row].sum()
        np.testing.assert_array_equal(edited, expected)
        np.testing.assert_array_equal(harden(CROSS, head, row).apply(edited), edited)
        batch = np.stack([weights, weights[:, ::-1]])
        np.testing.assert_array_equal(
            harden(CROSS, head, None).apply(batch)[1], harden(CROSS, head, None).apply(batch[1])
        )

    @given(softmax_maps(), st.integers(0, 4), st.data())
    def test_diagonal_gives_all_weight_to_the_allowed_key_nearest_to_the_row(
        self, weights: NDArray[np.float32], first: int, data: st.DataObject
    ) -> None:
        heads, queries, keys = weights.shape
        row = data.draw(st.none() | st.integers(0, queries - 1))
        mask = np.random.default_rng(data.draw(st.integers(0, 99))).random(weights.shape) > 0.5
        expected = weights.copy()
        for head, query in np.ndindex(heads, queries):
            if row is not None and query + first != row:
                continue
            allowed = [key for key in range(keys) if mask[head, query, key]]
            chosen = min(allowed, key=lambda key: (abs(key - query - first), key), default=None)
            expected[head, query] = [float(key == chosen) for key in range(keys)]
        np.testing.assert_array_equal(diagonal(CROSS, None, row).apply(weights, first, mask=mask), expected)

    def test_diagonal_past_the_last_key_stays_on_it_and_leaves_other_heads(self) -> None:
        edited = diagonal(CROSS, 1, None).apply(np.full((2, 4, 2), 0.5))
        assert edited[1].tolist() == [[1, 0], [0, 1], [0, 1], [0, 1]]
        assert (edited[0] == 0.5).all()

    def test_harden_takes_the_first_of_equal_weights_and_leaves_an_empty_row_empty(self) -> None:
        weights = np.float32([[[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]])
        np.testing.assert_array_equal(harden(CROSS, None, None).apply(weights), [[[1, 0, 0], [0, 0, 0]]])

    def test_set_row_mixes_by_blend(self) -> None:
        edited = set_row(CROSS, 0, 2, (0, 0, 0, 1), 0.5).apply(example_map())
        np.testing.assert_allclose(edited[0, 2], [0.05, 0.1, 0.15, 0.7], rtol=1e-6)

    def test_set_row_gives_0_to_keys_beyond_its_weights(self) -> None:
        edited = set_row(CROSS, 0, 0, (0.5, 0.5), 1).apply(example_map())
        np.testing.assert_array_equal(edited[0, 0], np.float32([0.5, 0.5, 0, 0]))

    def test_set_row_takes_trailing_zeros_beyond_the_keys_of_a_cached_step(self) -> None:
        edited = set_row(CROSS, 0, 1, (0.5, 0.5, 0, 0), 1).apply(np.ones((1, 1, 2), dtype=np.float32) / 2, 1)
        np.testing.assert_array_equal(edited[0, 0], np.float32([0.5, 0.5]))

    def test_scale_scores_multiplies(self) -> None:
        np.testing.assert_array_equal(scale_scores(CROSS, -2.0).apply(example_map()), example_map() * -2)

    def test_mask_key_hides_a_column(self) -> None:
        edited = mask_key(CROSS, 2).apply(np.ones((2, 3, 4), dtype=bool))
        np.testing.assert_array_equal(edited, np.broadcast_to([True, True, False, True], (2, 3, 4)))

    def test_window_keeps_the_near_keys_that_were_readable(self) -> None:
        mask = np.ones((1, 2, 6), dtype=bool)
        mask[..., 3] = False
        edited = window(CROSS, 1, 2, 1).apply(mask)
        np.testing.assert_array_equal(edited[0, 0], mask[0, 0])
        np.testing.assert_array_equal(edited[0, 1], [False, True, True, False, False, False])

    def test_window_takes_the_place_of_a_row_s_own_window(self) -> None:
        """Of windows, [head, query, 2]: centre and half-width. One firing may begin at a later row."""
        windows = np.array([[[0.5, 4], [1.5, 4], [2.5, 4]]])
        edited = window(CROSS, 3, 7, 2).apply(windows, 2)
        np.testing.assert_array_equal(edited[0], [[0.5, 4], [7, 2], [2.5, 4]])
        np.testing.assert_array_equal(window(CROSS, None, 1, 0).apply(windows), [[[1, 0]] * 3])
        assert window(CROSS, 9, 1, 1).apply(windows) is windows

    def test_window_may_keep_a_row_s_own_centre_or_width(self) -> None:
        windows = np.array([[[0.5, 4], [1.5, 4]]])
        np.testing.assert_array_equal(window(CROSS, 1, 2.25, None).apply(windows), [[[0.5, 4], [2.25, 4]]])
        np.testing.assert_array_equal(window(CROSS, None, None, 1).apply(windows), [[[0.5, 1], [1.5, 1]]])

    @pytest.mark.parametrize(("centre", "width"), [(None, 2), (2, None)])
    def test_a_mask_has_no_window_of_its_own(self, centre: int | None, width: int | None) -> None:
        with pytest.raises(ValueError, match="this attention is not local and has no window; give"):
            window(CROSS, None, centre, width).apply(np.ones((1, 2, 3), dtype=bool))

    def test_a_window_around_a_place_between_two_keys(self) -> None:
        edited = window(CROSS, 0, 1.5, 1).apply(np.ones((1, 1, 4), dtype=bool))
        np.testing.assert_array_equal(edited, [[[False, True, True, False]]])

    def test_window_without_a_row_limits_every_row(self) -> None:
        edited = window(CROSS, None, 0, 0).apply(np.ones((1, 2, 2), dtype=bool))
        np.testing.assert_array_equal(edited[0], [[True, False], [True, False]])

    @given(softmax_maps(), st.integers(0, 20), st.integers(0, 20))
    def test_a_row_is_counted_from_the_start_of_the_run(
        self, weights: NDArray[np.float32], first: int, row: int
    ) -> None:
        allowed = weights > 0
        edited = uniform_row(CROSS, None, row).apply(weights, first, mask=allowed)
        at = row - first
        if not 0 <= at < weights.shape[1]:
            assert edited is weights
            return
        others = np.arange(weights.shape[1]) != at
        np.testing.assert_array_equal(edited[:, others], weights[:, others])
        even = allowed[:, at] / allowed[:, at].sum(-1, keepdims=True)
        np.testing.assert_allclose(edited[:, at], even, rtol=1e-6)

    @given(edits, softmax_maps(), st.sampled_from([np.float32, np.float64]))
    def test_a_batch_axis_dtype_and_the_input_are_kept(
        self, edit: Edit, weights: NDArray[np.float32], dtype: type
    ) -> None:
        values = (weights > 0 if edit.quantity == "mask" else weights.astype(dtype))[None]
        before = values.copy()
        try:
            with np.errstate(over="ignore"):
                edited = edit.apply(values)
        except ValueError:
            return  # a head, or a weight for a key, that this small map does not have
        assert (edited.shape, edited.dtype) == (values.shape, values.dtype)
        np.testing.assert_array_equal(values, before)


class TestWhatIsLeftAlone:
    @given(softmax_maps(), distributions(size=1))
    def test_blend_0_gives_the_same_object(self, weights: NDArray[np.float32], given_row: tuple[float, ...]) -> None:
        assert set_row(CROSS, None, None, given_row, 0).apply(weights) is weights

    @pytest.mark.parametrize(
        "edit",
        [
            scale_scores(CROSS, 1),
            keep_heads(CROSS, (0, 1)),
            uniform_row(CROSS, None, 3),
            diagonal(CROSS, None, 3),
            harden(CROSS, None, 3),
            sample(CROSS, None, 3, 1),
            set_row(CROSS, 0, 9, (1.0,), 1),
        ],
    )
    def test_an_edit_that_hits_nothing_gives_the_same_object(self, edit: Edit) -> None:
        weights = example_map()
        assert edit.apply(weights) is weights

    def test_a_key_that_is_not_there_yet_gives_the_same_object(self) -> None:
        mask = np.ones((1, 1, 2), dtype=bool)
        assert mask_key(CROSS, 2).apply(mask) is mask

    @given(softmax_maps(), st.data())
    def test_rows_that_sum_to_1_still_do_unless_the_edit_says_otherwise(
        self, weights: NDArray[np.float32], data: st.DataObject
    ) -> None:
        row = data.draw(st.none() | st.integers(0, weights.shape[1] - 1))
        given_row = data.draw(distributions(size=weights.shape[2]))
        for edit in (
            uniform_row(CROSS, None, row),
            diagonal(CROSS, 0, row),
            harden(CROSS, 0, row),
            sample(CROSS, 0, row, 5),
            set_row(CROSS, 0, row, given_row, data.draw(st.floats(0, 1))),
        ):
            assert edit.keeps_row_sums
            np.testing.assert_allclose(edit.apply(weights).sum(-1), 1, atol=1e-5)

    def test_switching_off_a_head_says_that_rows_no_longer_sum_to_1(self) -> None:
        assert not zero_head(CROSS, 0).keeps_row_sums
        assert not keep_heads(CROSS, (0,)).keeps_row_sums
        assert not zero_row(CROSS, 0, 1).keeps_row_sums

    def test_a_row_that_is_switched_off_reads_nothing_and_the_others_read_on(self) -> None:
        weights = example_map()
        edited = zero_row(CROSS, 1, 0).apply(weights)
        assert not edited[1, 0].any()
        kept = np.ones(weights.shape[:2], dtype=bool)
        kept[1, 0] = False
        np.testing.assert_array_equal(edited[kept], weights[kept])


class TestWhereItActs:
    @pytest.mark.parametrize(
        ("pattern", "site", "acts"),
        [
            (CROSS, "decoder.0.cross", True),
            (CROSS, "decoder.0.cross.weights", True),
            (CROSS, "decoder.0.cross.scores", False),
            (CROSS, "decoder.1.cross", False),
            (CROSS, "decoder.0.self", False),
            ("decoder.*.cross", "decoder.11.cross", True),
            ("*.0.*", "encoder.0.self", True),
            ("decoder.1.cross", "decoder.11.cross", False),
        ],
    )
    def test_at_the_places_that_its_pattern_matches(self, pattern: str, site: str, acts: bool) -> None:
        assert zero_head(pattern, 0).applies_to(Site.parse(site)) is acts

    def test_each_operation_names_its_quantity(self) -> None:
        quantities = {name: operation.quantity for name, operation in OPERATIONS.items()}
        assert quantities == {
            "zero_head": "weights",
            "keep_heads": "weights",
            "zero_row": "weights",
            "uniform_row": "weights",
            "diagonal": "weights",
            "harden": "weights",
            "sample": "weights",
            "set_row": "weights",
            "scale_scores": "scores",
            "mask_key": "mask",
            "mask_cell": "mask",
            "lift_mask": "mask",
            "window": "mask",
            "patch": "context",
            "near": "mask",
            "stride": "mask",
            "block": "mask",
            "top_k": "weights",
        }


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("make", "arguments", "problem"),
        [
            (zero_head, (CROSS, -1), "head of an edit is a whole number from 0; got '-1'"),
            (zero_head, (CROSS, 1.5), "head of an edit is a whole number from 0; got '1.5'"),
            (zero_head, ("decoder.cross", 0), "site of an edit is stack.layer.kind.*got 'decoder.cross'"),
            (zero_head, ("decoder.0.cross.weights", 0), "site of an edit is stack.layer.kind"),
            (zero_head, ("decoder.-1.cross", 0), "site of an edit is stack.layer.kind"),
            (keep_heads, (CROSS, ()), "heads of an edit is at least one head"),
            (uniform_row, (CROSS, 0, -2), "row of an edit is a whole number from 0"),
            (set_row, (CROSS, 0, 0, (0.5, 0.4), 1), "weights of an edit is numbers of 0 or more that sum to 1"),
            (set_row, (CROSS, 0, 0, (1.5, -0.5), 1), "weights of an edit is numbers of 0 or more that sum to 1"),
            (set_row, (CROSS, 0, 0, (float("nan"), 1), 1), "weights of an edit is a finite number"),
            (set_row, (CROSS, 0, 0, (), 1), "weights of an edit is numbers of 0 or more that sum to 1"),
            (set_row, (CROSS, 0, 0, (1.0,), 1.01), "blend of an edit is a number from 0 to 1; got '1.01'"),
            (set_row, (CROSS, 0, 0, (1.0,), float("nan")), "blend of an edit is a finite number"),
            (scale_scores, (CROSS, float("inf")), "factor of an edit is a finite number"),
            (scale_scores, (CROSS, 1e300), "factor of an edit is a number from -1000000 to 1000000; got '1e.300'"),
            (scale_scores, (CROSS, -1e7), "factor of an edit is a number from -1000000 to 1000000"),
            (mask_key, (CROSS, None), "key of an edit is a whole number from 0; got 'None'"),
            (window, (CROSS, 0, None, None), "a window needs a centre, a width or both; got neither"),
            (
                window,
                (CROSS, 0, -0.5, 1),
                "centre of an edit is a number of at least 0 and below 1000000000, or none to keep the original",
            ),
            (window, (CROSS, 0, 1e20, 1), "centre of an edit is a number of at least 0 and below 1000000000, or none"),
            (window, (CROSS, 0, float("nan"), 1), "centre of an edit is a finite number"),
            (window, (CROSS, 0, 0, -1), "width of an edit is a whole number from 0; got '-1'"),
        ],
    )
    def test_an_argument_that_cannot_be(self, make: type[Edit], arguments: tuple[object, ...], problem: str) -> None:
        with pytest.raises(ValueError, match=problem):
            make(*arguments)

    def test_a_head_that_the_map_does_not_have(self) -> None:
        with pytest.raises(ValueError, match="got head 2; there are 2 heads, counted from 0"):
            zero_head(CROSS, 2).apply(example_map())
        with pytest.raises(ValueError, match="got head 7; there are 2 heads, counted from 0"):
            keep_heads(CROSS, (0, 7)).apply(example_map())

    def test_a_weight_for_a_key_that_the_map_does_not_have(self) -> None:
        with pytest.raises(ValueError, match="got 5 weights; expected at most 4"):
            set_row(CROSS, 0, 0, (0, 0, 0, 0, 1), 1).apply(example_map())

    @pytest.mark.parametrize(
        ("edit", "values"),
        [
            (mask_key(CROSS, 0), np.ones((1, 1, 1), dtype=np.float32)),
            (zero_head(CROSS, 0), np.ones((1, 1, 1), dtype=bool)),
            (zero_head(CROSS, 0), np.ones((1, 1), dtype=np.float32)),
            (window(CROSS, 0, 0, 0), np.ones((1, 1, 3), dtype=np.float32)),
        ],
    )
    def test_an_array_of_another_quantity(self, edit: Edit, values: NDArray[np.generic]) -> None:
        with pytest.raises(ValueError, match=r"expected (mask, bool|weights, floating), \[..., head, query, key\]"):
            edit.apply(values)


class TestAsText:
    @given(edits)
    def test_what_is_written_reads_back_equal(self, edit: Edit) -> None:
        again = read_edit(edit.to_text())
        assert again == edit
        assert hash(again) == hash(edit)
        assert type(again) is type(edit)
        assert pickle.loads(pickle.dumps(edit)) == edit

    @given(st.text() | st.sampled_from(sorted(OPERATIONS)).flatmap(lambda name: st.text().map(f"{name}({{}})".format)))
    def test_garbage_is_a_value_error_and_nothing_else(self, text: str) -> None:
        try:
            edit = read_edit(text)
        except ValueError as error:
            assert str(error)  # noqa: PT017  (that some text is refused is not what is proven here)
        else:
            assert read_edit(edit.to_text()) == edit

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", r"an edit has the form name\(site,\.\.\.\), where name is one"),
            ("drop_table(decoder.0.cross)", "where name is one of zero_head, keep_heads"),
            ("zero_head(decoder.0.cross,2", r"an edit has the form name\(site,\.\.\.\), where name is one"),
            ("zero_head(decoder.0.cross)", r"zero_head takes 2 arguments \(site, head\); got 1"),
            ("zero_head(decoder.0.cross,2,3)", "got 3"),
            ("zero_head(decoder.0.cross,\uff12)", "head of an edit is a whole number"),
            ("mask_key(decoder.0.cross,*)", "key of an edit is a whole number"),
            ("scale_scores(decoder.0.cross,__import__)", "factor of an edit is a number"),
            ("scale_scores(decoder.0.cross,nan)", "factor of an edit is a number"),
            ("scale_scores(decoder.0.cross,1e999)", "factor of an edit is a finite number"),
        ],
    )
    def test_garbage_says_what_was_expected(self, text: str, problem: str) -> None:
        with pytest.raises(ValueError, match=problem):
            read_edit(text)

    @pytest.mark.parametrize(
        ("edit", "text", "words"),
        [
            (
                zero_head(CROSS, 2),
                "zero_head(decoder.0.cross,2)",
                "head 2 of decoder layer 0 cross-attention ablated",
            ),
            (
                zero_head("decoder.*.cross", None),
                "zero_head(decoder.*.cross,*)",
                "every head of cross-attention of every decoder layer ablated",
            ),
            (
                keep_heads("encoder.1.self", (3, 0, 3)),
                "keep_heads(encoder.1.self,0;3)",
                "only heads 0, 3 of encoder layer 1 self-attention kept",
            ),
            (
                uniform_row(CROSS, 0, 3),
                "uniform_row(decoder.0.cross,0,3)",
                "row 4 of head 0 of decoder layer 0 cross-attention spread evenly over its keys",
            ),
            (
                diagonal(CROSS, 0, None),
                "diagonal(decoder.0.cross,0,*)",
                (
                    "every row of head 0 of decoder layer 0 cross-attention set to the diagonal: weight 1 on the key "
                    "at its own position"
                ),
            ),
            (
                harden(CROSS, 0, 3),
                "harden(decoder.0.cross,0,3)",
                (
                    "row 4 of head 0 of decoder layer 0 cross-attention hardened: its largest weight becomes 1, "
                    "all others 0"
                ),
            ),
            (
                sample(CROSS, None, None, 7),
                "sample(decoder.0.cross,*,*,7)",
                "every row of every head of decoder layer 0 cross-attention attends to one key, sampled from its "
                "weights with seed 7",
            ),
            (
                set_row(CROSS, None, 3, (0.25, 0.75), 0.5),
                "set_row(decoder.0.cross,*,3,0.25;0.75,0.5)",
                "row 4 of every head of decoder layer 0 cross-attention blended with given weights, by 0.5",
            ),
            (
                scale_scores("*.*.*", 2),
                "scale_scores(*.*.*,2.0)",
                "scores of attention of every layer multiplied by 2",
            ),
            (
                mask_key("*.2.self", 4),
                "mask_key(*.2.self,4)",
                "key 5 hidden from self-attention of every layer 2",
            ),
            (
                window(CROSS, None, 1, 2),
                "window(decoder.0.cross,*,1,2)",
                "every row of decoder layer 0 cross-attention limited to keys 1 to 4",
            ),
            (
                window(CROSS, 2, 3.5, 0),
                "window(decoder.0.cross,2,3.5,0)",
                "row 3 of decoder layer 0 cross-attention: no key left",
            ),
            (
                window(CROSS, 2, 3.5, None),
                "window(decoder.0.cross,2,3.5,*)",
                "row 3 of decoder layer 0 cross-attention: window centred on position 4.5, width unchanged",
            ),
            (
                window(CROSS, None, None, 2),
                "window(decoder.0.cross,*,*,2)",
                "every row of decoder layer 0 cross-attention: window of 2 keys on each side, centre unchanged",
            ),
        ],
    )
    def test_each_says_itself_in_text_and_in_words(self, edit: Edit, text: str, words: str) -> None:
        assert edit.to_text() == text
        assert edit.describe() == str(edit) == words

    def test_edits_are_equal_by_what_they_do(self) -> None:
        assert keep_heads(CROSS, (1, 0)) == keep_heads(CROSS, (0, 1))
        assert zero_head(CROSS, 0) != zero_head(CROSS, 1)
        assert len({mask_key(CROSS, 0), mask_key(CROSS, 0), mask_key(CROSS, 1)}) == 2
