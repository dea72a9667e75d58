"""Hooks: nothing without a session, nothing left after one, nothing mixed between two, and edits where they belong."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from models.edits import Edit, keep_heads, mask_key, scale_scores, set_row, uniform_row, window, zero_head
from models.hooks import AttentionWeights, CaptureError, HookPoint, capture, current_session, observe
from models.sites import Site
from models.softmax import FullyMaskedRowError

CROSS = Site("decoder", 0, "cross")
PLACE = str(CROSS)


def scores(queries: int = 3, keys: int = 4, *, heads: int = 2, seed: int = 0) -> Tensor:
    """Draw [batch 1, head, query, key]."""
    return torch.randn(1, heads, queries, keys, generator=torch.Generator().manual_seed(seed))


def run(e: Tensor, mask: Tensor | None = None, *, edits: tuple[Edit, ...] = (), sites: tuple[str, ...] = ()) -> Tensor:
    """Return the weights that the model goes on with."""
    with capture(sites, edits):
        return AttentionWeights(CROSS)(e, mask)


class TestWithoutASession:
    def test_a_hook_point_gives_the_very_same_tensor(self) -> None:
        values = scores()
        assert HookPoint(CROSS.at("scores"))(values) is values
        assert observe(CROSS.at("scores"), values) is values

    def test_a_hook_point_has_no_parameters_and_says_where_it_stands(self) -> None:
        point = HookPoint(CROSS.at("scores"))
        assert list(point.state_dict()) == []
        assert repr(point) == "HookPoint(decoder.0.cross.scores)"

    def test_weights_are_the_softmax(self) -> None:
        assert torch.equal(AttentionWeights(CROSS)(scores(), None), scores().softmax(-1))


class TestCapturing:
    def test_capturing_changes_nothing_in_what_the_model_computes(self) -> None:
        assert torch.equal(run(scores(), sites=("*",)), AttentionWeights(CROSS)(scores(), None))

    def test_what_is_captured_is_what_the_model_goes_on_with(self) -> None:
        with capture() as session:
            weights = AttentionWeights(CROSS)(scores(), None)
        assert torch.equal(session["decoder.0.cross.weights"], weights)
        assert torch.equal(session[CROSS.at("weights")], weights)

    def test_a_capture_is_a_detached_copy(self) -> None:
        values = scores().requires_grad_()
        with capture(["*.scores"]) as session:
            HookPoint(CROSS.at("scores"))(values)
        with torch.no_grad():
            values.zero_()
        captured = session[CROSS.at("scores")]
        assert torch.equal(captured, scores())
        assert not captured.requires_grad

    def test_without_copies_the_tensor_itself_is_kept_but_where_a_copy_is_asked_for(self) -> None:
        values = scores()
        with capture(["*.scores", "*.output"], copies=False) as session:
            HookPoint(CROSS.at("scores"))(values)
            observe(CROSS.at("output"), values, copy=True)
        assert session[CROSS.at("scores")].data_ptr() == values.data_ptr()
        assert session[CROSS.at("output")].data_ptr() != values.data_ptr()
        assert torch.equal(session[CROSS.at("output")], values)

    def test_what_is_taken_is_given_once(self) -> None:
        with capture(["*.scores", "*.weights"]) as session:
            AttentionWeights(CROSS)(scores(), None)
        assert torch.equal(session.take(CROSS.at("scores")), scores())
        assert session.sites == (CROSS.at("weights"),)
        with pytest.raises(KeyError):
            session.take(CROSS.at("scores"))

    def test_sessions_that_ask_for_different_sites_do_not_share_what_they_pass_over(self) -> None:
        for _ in range(2):
            for wanted, other in (("scores", "weights"), ("weights", "scores")):
                with capture([f"*.{wanted}"]) as session:
                    AttentionWeights(CROSS)(scores(), None)
                assert session.sites == (CROSS.at(wanted),)
                assert not session.wants(CROSS.at(other))

    def test_only_what_is_asked_for_is_recorded(self) -> None:
        with capture(["*.scores"]) as session:
            AttentionWeights(CROSS)(scores(), None)
        assert session.sites == (CROSS.at("scores"),)
        with pytest.raises(KeyError):
            session[CROSS.at("weights")]

    def test_a_mask_is_recorded_in_full_even_if_the_model_has_none(self) -> None:
        with capture(["*.mask"]) as session:
            AttentionWeights(CROSS)(scores(), None)
        assert session[CROSS.at("mask")].shape == (1, 2, 3, 4)
        assert session[CROSS.at("mask")].all()

    def test_firings_of_steps_join_on_the_query_axis(self) -> None:
        attend = AttentionWeights(CROSS)
        with capture(["*"]) as session:
            for step in range(3):
                attend(scores(1, seed=step), None, step)
        want = torch.cat([scores(1, seed=step) for step in range(3)], dim=2)
        assert torch.equal(session[CROSS.at("scores")], want)
        assert torch.equal(session[CROSS.at("weights")], want.softmax(-1))

    def test_keys_that_grew_from_step_to_step_are_filled_up_with_0(self) -> None:
        attend = AttentionWeights(Site("decoder", 0, "self"))
        with capture(["*.weights", "*.mask"]) as session:
            for step in range(3):
                attend(torch.zeros(1, 2, 1, step + 1), None, step)
        weights = session["decoder.0.self.weights"]
        torch.testing.assert_close(weights[0, 0], torch.tensor([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]))
        assert torch.equal(session["decoder.0.self.mask"][0, 0], torch.ones(3, 3, dtype=torch.bool).tril())

    def test_features_join_on_their_own_query_axis(self) -> None:
        point = HookPoint(CROSS.at("features"))
        with capture(["*.features"]) as session:
            for step in range(2):
                point(torch.full((1, 1, 4, 5), float(step)), step)
        assert session[CROSS.at("features")][0, :, 0, 0].tolist() == [0, 1]


class TestWhatIsRefused:
    @pytest.mark.parametrize("pattern", ["decoder.1.cross", "encoder.*.*", "*.centre", "decoder.0.cross.typo", ""])
    def test_a_requested_site_that_never_fired(self, pattern: str) -> None:
        with pytest.raises(CaptureError, match=r"never fired; places that fired: decoder\.0\.cross\. Check"):
            run(scores(), sites=("*.weights", pattern))

    def test_a_run_in_which_nothing_fired(self) -> None:
        with pytest.raises(CaptureError, match=r"\*\.weights: never fired; places that fired: none"), capture():
            pass

    def test_an_edit_whose_place_never_fired(self) -> None:
        with pytest.raises(
            CaptureError, match="edit 'head 0 of decoder layer 7 cross-attention ablated' matched no place"
        ):
            run(scores(), edits=(zero_head("decoder.7.cross", 0),))

    def test_an_edit_of_a_head_that_is_not_there(self) -> None:
        with pytest.raises(ValueError, match="got head 2; there are 2 heads, counted from 0"):
            run(scores(), edits=(zero_head(PLACE, 2),))

    def test_a_mask_edit_that_leaves_a_row_nothing_to_read(self) -> None:
        with pytest.raises(FullyMaskedRowError, match=r"decoder\.0\.cross: query 2 has no key to attend to"):
            run(scores(), edits=(window(PLACE, 1, 9, 1),))

    def test_an_error_of_the_run_is_not_hidden_by_a_site_that_did_not_fire(self) -> None:
        with pytest.raises(ZeroDivisionError), capture(["encoder.9.self"]):
            raise ZeroDivisionError


def fail() -> None:
    raise RuntimeError("in the middle")  # noqa: EM101


class TestNothingIsLeft:
    """After success, an error and bad input no session is open and no module carries a hook."""

    @pytest.mark.parametrize(
        ("inside", "edits", "error"),
        [
            (lambda: None, (), None),
            (fail, (), RuntimeError),
            (lambda: None, (zero_head(PLACE, 5),), ValueError),
            (lambda: None, (zero_head("encoder.3.self", 0),), CaptureError),
        ],
        ids=["success", "error", "bad edit", "edit without a place"],
    )
    def test_after(self, inside: Callable[[], None], edits: tuple[Edit, ...], error: type[Exception] | None) -> None:
        attend = AttentionWeights(CROSS)

        def use() -> None:
            with capture(["*.weights"], edits):
                assert current_session() is not None
                attend(scores(), None)
                inside()

        if error is None:
            use()
        else:
            with pytest.raises(error):
                use()
        assert current_session() is None
        for module in attend.modules():
            assert [*module._forward_hooks, *module._forward_pre_hooks, *module._backward_hooks] == []
        values = scores()
        assert attend.scores(values) is values
        assert torch.equal(attend(values, None), values.softmax(-1))

    def test_a_tensor_of_a_wrong_shape_closes_the_session_too(self) -> None:
        with pytest.raises(ValueError, match=r"expected weights, floating, \[..., head, query, key\]"):
            run(torch.zeros(3), edits=(zero_head(PLACE, 0),))
        assert current_session() is None

    def test_sites_given_as_something_else_than_texts_open_no_session(self) -> None:
        with pytest.raises(TypeError), capture(5):  # type: ignore[arg-type]
            pass
        assert current_session() is None


class TestSessionsDoNotMix:
    def test_10000_captures_from_two_threads(self) -> None:
        """Both threads fire one shared module; each firing carries its thread and number."""
        point = HookPoint(CROSS.at("weights"))
        together = Barrier(2)

        def capture_many(thread: int) -> int:
            together.wait()
            right = 0
            for number in range(5000):
                with capture() as session:
                    first = point(torch.tensor([[[[thread, number]]]]))
                    point(first + 1, 1)
                right += session[CROSS.at("weights")].tolist() == [[[[thread, number], [thread + 1, number + 1]]]]
            return right

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(capture_many, (10, 20))) == [5000, 5000]

    def test_an_edit_of_one_thread_is_not_seen_by_another(self) -> None:
        attend = AttentionWeights(CROSS)
        together = Barrier(2)

        def weights(edits: tuple[Edit, ...]) -> Tensor:
            with capture(edits=edits):
                together.wait()
                result = attend(scores(), None)
                together.wait()
            return result

        with ThreadPoolExecutor(2) as pool:
            edited, plain = pool.map(weights, ((zero_head(PLACE, None),), ()))
        assert not edited.any()
        assert torch.equal(plain, scores().softmax(-1))

    def test_a_thread_started_inside_a_session_is_outside_of_it(self) -> None:
        with capture(()), ThreadPoolExecutor(1) as pool:
            assert pool.submit(current_session).result() is None

    def test_the_inner_of_two_nested_sessions_hides_the_outer_one_until_it_closes(self) -> None:
        point = HookPoint(CROSS.at("weights"))
        with capture() as outer:
            point(torch.zeros(1, 1, 1, 2))
            with capture() as inner:
                point(torch.ones(1, 1, 1, 2))
            assert current_session() is outer
            point(torch.full((1, 1, 1, 2), 2.0))
        assert outer[CROSS.at("weights")][0, 0, :, 0].tolist() == [0, 2]
        assert inner[CROSS.at("weights")][0, 0, :, 0].tolist() == [1]

    def test_an_error_in_an_inner_session_leaves_the_outer_one_open(self) -> None:
        point = HookPoint(CROSS.at("weights"))
        with capture() as outer:
            with pytest.raises(CaptureError), capture():
                pass
            assert current_session() is outer
            point(torch.zeros(1, 1, 1, 2))
        assert current_session() is None


class TestEdits:
    def test_each_quantity_is_edited_where_it_is_computed(self) -> None:
        sharpened = run(scores(), edits=(scale_scores(PLACE, 3),))
        torch.testing.assert_close(sharpened, (3 * scores()).softmax(-1))
        hidden = run(scores(), edits=(mask_key(PLACE, 2),))
        want = scores()[..., [0, 1, 3]].softmax(-1)
        torch.testing.assert_close(hidden[..., [0, 1, 3]], want)
        assert not hidden[..., 2].any()
        off = run(scores(), edits=(zero_head(PLACE, 1),))
        assert torch.equal(off[:, 0], scores().softmax(-1)[:, 0])
        assert not off[:, 1].any()

    def test_a_mask_edit_leaves_hidden_what_the_model_hides_and_its_mask_as_it_was(self) -> None:
        mask = torch.tensor([True, True, True, False])[None, None, None]
        before = mask.clone()
        weights = run(scores(), mask, edits=(mask_key(PLACE, 0),))
        assert not weights[..., [0, 3]].any()
        assert torch.equal(mask, before)

    def test_a_window_acts_upon_a_place_s_own_windows_where_it_has_them_and_not_upon_its_mask_then(self) -> None:
        own, attend = HookPoint(CROSS.at("centre")), AttentionWeights(CROSS)
        with capture(["*.mask"], (window(PLACE, 1, 9, 1),)) as session:
            moved = own(torch.zeros(1, 2, 3, 2))
            attend(scores(), None)
        assert moved[0, :, 1].tolist() == [[9, 1], [9, 1]]
        assert not moved[0, :, [0, 2]].any()
        assert session[CROSS.at("mask")].all()
        assert session.idle_edits == ()

    def test_what_is_captured_is_edited_and_goes_on(self) -> None:
        with capture(edits=(uniform_row(PLACE, 0, 1),)) as session:
            weights = AttentionWeights(CROSS)(scores(), None)
        assert torch.equal(session[CROSS.at("weights")], weights)
        torch.testing.assert_close(weights[0, 0, 1], torch.full((4,), 0.25))

    def test_edits_are_applied_in_the_order_given(self) -> None:
        given_row, zero = set_row(PLACE, 0, 0, (1.0,), 0.5), zero_head(PLACE, 0)
        assert not run(scores(), edits=(given_row, zero))[0, 0].any()
        assert run(scores(), edits=(zero, given_row))[0, 0, 0].tolist() == [0.5, 0, 0, 0]

    @pytest.mark.parametrize(
        "edit",
        [
            uniform_row(PLACE, 0, 1),
            set_row(PLACE, None, 2, (0.0, 0.25, 0.75), 0.3),
            window(PLACE, 1, 2, 1),
            mask_key(PLACE, 3),
            scale_scores(PLACE, 0.5),
            keep_heads(PLACE, (1,)),
        ],
        ids=str,
    )
    def test_rows_are_absolute_so_that_steps_equal_one_pass(self, edit: Edit) -> None:
        attend = AttentionWeights(CROSS)
        with capture(edits=(edit,)) as session:
            for step in range(3):
                attend(scores()[:, :, step : step + 1], None, step)
        torch.testing.assert_close(session[CROSS.at("weights")], run(scores(), edits=(edit,)), atol=0, rtol=0)

    @pytest.mark.parametrize(
        "edit",
        [
            set_row(PLACE, None, None, (1.0,), 0),
            scale_scores(PLACE, 1),
            keep_heads(PLACE, (0, 1)),
            uniform_row(PLACE, None, 99),
        ],
        ids=str,
    )
    def test_an_edit_that_changes_nothing_gives_the_very_same_tensor(self, edit: Edit) -> None:
        point = HookPoint(CROSS.at(edit.quantity))
        values = scores()
        with capture((), (edit,)):
            assert point(values) is values

    @given(st.integers(0, 2), st.integers(0, 1), st.integers(0, 10**6))
    def test_an_edit_undone_restores_the_original_bit_for_bit(self, row: int, head: int, seed: int) -> None:
        attend, values = AttentionWeights(CROSS), scores(seed=seed)
        before = attend(values, None)
        with capture(edits=(uniform_row(PLACE, head, row), scale_scores(PLACE, 2), mask_key(PLACE, 0))):
            attend(values, None)
        assert torch.equal(attend(values, None), before)
        assert torch.equal(values, scores(seed=seed))

    def test_the_dtype_of_the_model_is_kept(self) -> None:
        assert run(scores().double(), edits=(uniform_row(PLACE, 0, 0),)).dtype == torch.float64


def test_a_module_keeps_its_site_when_it_is_part_of_a_larger_one() -> None:
    model = nn.Sequential(HookPoint(CROSS.at("value")), HookPoint(CROSS.at("context")))
    with capture(["*"]) as session:
        model(scores())
    assert [str(site) for site in session.sites] == ["decoder.0.cross.value", "decoder.0.cross.context"]


def test_an_edit_that_reaches_nothing_is_named() -> None:
    beyond, real = mask_key(PLACE, 99), mask_key(PLACE, 0)
    point = AttentionWeights(Site.parse(PLACE))
    with capture((f"{PLACE}.weights",), (beyond, real)) as session:
        point(torch.zeros(1, 1, 2, 3), None)
    assert session.idle_edits == (beyond,)
