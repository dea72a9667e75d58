"""The equations against references written from the papers, against PyTorch's own, and by their properties."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn

from models.hooks import HookPoint, points
from models.networks import attention, distances, sampling, windows
from models.networks.multi_head import MultiHeadAttention
from models.networks.transformer import sinusoidal_positions
from models.sites import Site
from models.softmax import FullyMaskedRowError, causal_mask, causal_weights, masked_softmax
from tests.support import reference
from tests.support.drawing import redrawn
from tests.support.small_models import ATTENTIVE, network

EXACT = 1e-10


def drawn(*shape: int, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng((seed, *shape)).normal(size=shape)


def tensor(values: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.asarray(values))


def close(got: Tensor, want: NDArray[np.float64], *, tolerance: float = EXACT) -> None:
    np.testing.assert_allclose(got.detach().numpy(), want, atol=tolerance, rtol=tolerance)


def additive(query: Tensor, key: Tensor, query_weight: Tensor, key_weight: Tensor, vector: Tensor) -> Tensor:
    return attention.additive_scores(query @ query_weight.mT, key @ key_weight.mT, vector)


def concat(query: Tensor, key: Tensor, weight: Tensor, vector: Tensor) -> Tensor:
    left, right = weight[:, : query.shape[-1]], weight[:, query.shape[-1] :]
    return attention.concat_scores(query @ left.mT, key @ right.mT, vector)


class TestAgainstThePapers:
    """Three queries of size 5, four keys of size 6, an attention layer of size 7, in float64."""

    query, key = drawn(3, 5), drawn(4, 6)
    query_weight, key_weight, vector = drawn(7, 5), drawn(7, 6), drawn(7)

    def test_additive(self) -> None:
        parts = (self.query, self.key, self.query_weight, self.key_weight, self.vector)
        close(additive(*map(tensor, parts)), reference.additive_scores(*parts))

    def test_additive_is_its_other_written_form(self) -> None:
        joined = np.concatenate((self.key_weight, self.query_weight), axis=1)  # W = [U W] on [h; s]
        found = additive(*map(tensor, (self.query, self.key, self.query_weight, self.key_weight, self.vector)))
        close(found, reference.additive_scores_joined(self.query, self.key, joined, self.vector))

    def test_the_hidden_layer_is_shown_and_what_the_hook_returns_goes_on(self) -> None:
        seen: list[Tensor] = []

        def show(values: Tensor) -> Tensor:
            seen.append(values)
            return 2 * values

        parts = [*map(tensor, (self.query @ self.query_weight.T, self.key @ self.key_weight.T, self.vector))]
        for kind in (attention.additive_scores, attention.concat_scores):
            torch.testing.assert_close(kind(*parts, show=show), 2 * kind(*parts), atol=EXACT, rtol=EXACT)
            close(
                seen[-1] @ parts[2],
                reference.additive_scores(self.query, self.key, self.query_weight, self.key_weight, self.vector),
            )

    def test_dot(self) -> None:
        key = drawn(4, 5)
        close(attention.dot_scores(tensor(self.query), tensor(key)), reference.dot_scores(self.query, key))

    def test_general(self) -> None:
        parts = (self.query, self.key, drawn(5, 6))
        close(attention.general_scores(*map(tensor, parts)), reference.general_scores(*parts))

    def test_concat(self) -> None:
        parts = (self.query, self.key, drawn(7, 11), self.vector)
        close(concat(*map(tensor, parts)), reference.concat_scores(*parts))

    def test_concat_puts_the_decoder_state_first_and_the_additive_form_the_encoder_state(self) -> None:
        query, key, weight = drawn(3, 5), drawn(4, 5, seed=1), drawn(7, 10)
        swapped = np.concatenate((weight[:, 5:], weight[:, :5]), axis=1)
        luong = concat(*map(tensor, (query, key, weight, self.vector)))
        close(luong, reference.additive_scores_joined(query, key, swapped, self.vector))

    @pytest.mark.parametrize("source", [1, 4, 9])
    def test_location(self, source: int) -> None:
        """With six rows of W_a: of a shorter source, and of a longer one, whose rest weighs 0."""
        weight = drawn(6, 5)
        scores = attention.location_scores(tensor(self.query) @ tensor(weight).mT, source)
        weights = masked_softmax(scores, torch.arange(source) < 6)
        close(weights, reference.location_weights(self.query, weight, source))
        assert scores.isfinite().all()

    @pytest.mark.parametrize(("count", "rows"), [(1, 4), (7, 4), (8, 4), (13, 5), (5, 128)])
    def test_causal_in_blocks(self, count: int, rows: int) -> None:
        query, key = tensor(drawn(2, 3, count, 5)), tensor(drawn(2, 3, count, 5, seed=1))
        found = causal_weights(query, key, scale=0.3, rows=rows)
        whole = masked_softmax(0.3 * query @ key.mT, causal_mask(count))
        torch.testing.assert_close(found, whole, atol=EXACT, rtol=EXACT)
        assert (found.triu(1) == 0).all()

    @pytest.mark.parametrize("width", [1, 2, 5])
    def test_local_monotonic(self, width: int) -> None:
        scores = drawn(6, 4)  # a target longer than its source
        centre = windows.monotonic_positions(torch.arange(6.0, dtype=torch.float64), torch.tensor(4))[:, None]
        inside = windows.in_window(centre, torch.full_like(centre, width), 4)
        close(masked_softmax(tensor(scores), inside), reference.local_monotonic_weights(scores, width=width))

    @pytest.mark.parametrize("width", [1, 2, 5])
    def test_local_predictive(self, width: int) -> None:
        scores, query, weight, vector = drawn(6, 4), drawn(6, 5), drawn(3, 5), drawn(3)
        centre = windows.predicted_positions(
            tensor(query) @ tensor(weight).mT, tensor(vector), torch.tensor(4)
        ).unsqueeze(-1)
        widths = torch.full_like(centre, width)
        align = masked_softmax(tensor(scores), windows.in_window(centre, widths, 4))
        want, positions = reference.local_predictive_weights(scores, query, weight, vector, width=width)
        close(centre[:, 0], positions)
        close(align * windows.gaussian(centre, widths, 4), want)

    @pytest.mark.parametrize("masked", [False, True])
    def test_scaled_dot_product(self, masked: bool) -> None:
        key, value = drawn(4, 5), drawn(4, 2)
        mask = np.tri(3, 4, dtype=bool) if masked else None
        weights = masked_softmax(
            attention.scaled_dot_scores(tensor(self.query), tensor(key)), None if mask is None else tensor(mask)
        )
        want_context, want_weights = reference.scaled_dot_attention(self.query, key, value, mask)
        close(weights, want_weights)
        close(weights @ tensor(value), want_context)

    def test_masked_softmax_of_scores_far_apart(self) -> None:
        scores = np.array([[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4]])
        mask = np.array([[True, True, False], [True, False, True]])
        close(masked_softmax(tensor(scores), tensor(mask)), reference.masked_softmax(scores, mask))

    def test_multi_head(self) -> None:
        module = redrawn(MultiHeadAttention(Site("decoder", 0, "cross"), 8, 2, 0.0).double().eval(), seed=0)
        states, memory = drawn(3, 8), drawn(4, 8)
        mask = np.tri(3, 4, k=1, dtype=bool)
        seen: list[Tensor] = []
        module.attend.weights.register_forward_hook(lambda _, __, output: seen.append(output))
        got = module(tensor(states)[None], module.read(tensor(memory)[None]), tensor(mask)[None, None])
        parts = {name: value.numpy() for name, value in module.state_dict().items()}
        want, want_weights = reference.multi_head_attention(states, memory, parts, heads=2, mask=mask)
        close(got[0], want)
        close(seen[0][0], want_weights)

    @pytest.mark.parametrize("d_model", [2, 8, 256])
    def test_sinusoidal_positions(self, d_model: int) -> None:
        close(sinusoidal_positions(40, d_model), reference.sinusoidal_positions(40, d_model))

    @pytest.mark.parametrize("first", [0, 3])
    def test_a_causal_mask_reads_up_to_its_own_position(self, first: int) -> None:
        mask = causal_mask(4, first)
        for row, key in np.ndindex(4, 4 + first):
            assert bool(mask[row, key]) is (key <= first + row)


class TestTheReferenceItself:
    """References written by hand are held against PyTorch where it has the same thing."""

    def test_gru_cell(self) -> None:
        cell = nn.GRUCell(3, 4).double()
        parts = {name: value.numpy() for name, value in cell.state_dict().items()}
        x, state = drawn(3), drawn(4)
        close(cell(tensor(x), tensor(state)), reference.gru_cell(x, state, parts))

    def test_lstm_cell(self) -> None:
        cell = nn.LSTMCell(3, 4).double()
        parts = {name: value.numpy() for name, value in cell.state_dict().items()}
        x, state, memory = drawn(3), drawn(4), drawn(4, seed=1)
        for got, want in zip(
            cell(tensor(x), (tensor(state), tensor(memory))), reference.lstm_cell(x, state, memory, parts), strict=True
        ):
            close(got, want)

    def test_layer_norm(self) -> None:
        states, weight, bias = drawn(3, 6), drawn(6), drawn(6, seed=1)
        want = nn.functional.layer_norm(tensor(states), (6,), tensor(weight), tensor(bias))
        close(want, reference.layer_norm(states, weight, bias))


class TestAgainstPyTorch:
    @pytest.mark.parametrize("masked", [False, True])
    def test_scaled_dot_product_attention(self, masked: bool) -> None:
        query, key = tensor(drawn(2, 4, 5, 8)).float(), tensor(drawn(2, 4, 6, 8)).float()
        value = tensor(drawn(2, 4, 6, 8, seed=1)).float()
        mask = tensor(drawn(2, 1, 5, 6)) > -0.2 if masked else None
        if mask is not None:
            mask[..., 0] = True
        weights = masked_softmax(attention.scaled_dot_scores(query, key), mask)
        want = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        torch.testing.assert_close(weights @ value, want, atol=1e-5, rtol=1e-5)

    def test_multi_head_attention(self) -> None:
        ours = redrawn(MultiHeadAttention(Site("decoder", 0, "cross"), 16, 4, 0.0).eval(), seed=2, std=0.3)
        theirs = nn.MultiheadAttention(16, 4, batch_first=True).eval()
        with torch.no_grad():
            projections = (ours.query, ours.key, ours.value)
            theirs.in_proj_weight.copy_(torch.cat([part.weight for part in projections]))
            theirs.in_proj_bias.copy_(torch.cat([part.bias for part in projections]))
            theirs.out_proj.load_state_dict(ours.output.state_dict())
        states, memory = tensor(drawn(3, 5, 16)).float(), tensor(drawn(3, 7, 16)).float()
        padded = torch.zeros(3, 7, dtype=torch.bool)
        padded[1, 5:] = True
        seen: list[Tensor] = []
        ours.attend.weights.register_forward_hook(lambda _, __, output: seen.append(output))
        got = ours(states, ours.read(memory), ~padded[:, None, None, :])
        want, want_weights = theirs(states, memory, memory, key_padding_mask=padded, average_attn_weights=False)
        torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(seen[0], want_weights, atol=1e-5, rtol=1e-5)

    def test_heads_split_and_merge_back(self) -> None:
        values = torch.randn(2, 5, 12)
        split = attention.split_heads(values, 3)
        assert split.shape == (2, 3, 5, 4)
        torch.testing.assert_close(split[0, 1, 2], values[0, 2, 4:8], atol=0, rtol=0)
        assert torch.equal(attention.merge_heads(split), values)


scores = st.integers(0, 10**6).map(lambda seed: tensor(drawn(2, 3, 5, seed=seed) * 4))


def masks(seed: int) -> Tensor:
    """Draw a mask of [2, 3, 5] with at least one key a row."""
    mask = np.random.default_rng(seed).random((2, 3, 5)) > 0.5
    mask[..., seed % 5] = True
    return tensor(mask)


class TestProperties:
    @given(scores, st.integers(0, 10**6))
    def test_rows_sum_to_1_and_masked_keys_get_exactly_0(self, e: Tensor, seed: int) -> None:
        mask = masks(seed)
        weights = masked_softmax(e, mask)
        torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, dtype=torch.float64), atol=1e-12, rtol=0)
        assert not weights[~mask].any()
        assert (weights[mask] > 0).all()

    @given(scores, st.integers(0, 10**6), st.permutations(range(5)))
    def test_permuting_keys_permutes_columns(self, e: Tensor, seed: int, order: list[int]) -> None:
        mask = masks(seed)
        permuted = masked_softmax(e[..., order], mask[..., order])
        torch.testing.assert_close(permuted, masked_softmax(e, mask)[..., order], atol=1e-12, rtol=0)

    @given(scores, st.integers(0, 10**6), st.floats(-1e3, 1e3))
    def test_a_constant_added_to_all_scores_changes_nothing(self, e: Tensor, seed: int, constant: float) -> None:
        mask = masks(seed)
        torch.testing.assert_close(masked_softmax(e + constant, mask), masked_softmax(e, mask), atol=1e-9, rtol=0)

    @given(scores, st.integers(0, 10**6), st.floats(-1e30, 1e30))
    def test_what_a_masked_key_scores_changes_nothing(self, e: Tensor, seed: int, score: float) -> None:
        mask = masks(seed)
        assert torch.equal(masked_softmax(e.masked_fill(~mask, score), mask), masked_softmax(e, mask))

    @given(scores)
    def test_a_mask_that_hides_nothing_changes_nothing(self, e: Tensor) -> None:
        assert torch.equal(masked_softmax(e, torch.ones(2, 3, 5, dtype=torch.bool)), masked_softmax(e))

    @given(st.integers(0, 10**6), st.integers(0, 10**6))
    def test_permuting_encoder_states_permutes_every_kind_of_score(self, seed: int, other: int) -> None:
        assume(seed != other)
        query, key = tensor(drawn(3, 4, seed=seed)), tensor(drawn(5, 4, seed=other))
        order = torch.from_numpy(np.random.default_rng(seed).permutation(5))
        weight, wide, vector = tensor(drawn(4, 4)), tensor(drawn(6, 8)), tensor(drawn(6))
        kinds = (
            lambda key: attention.dot_scores(query, key),
            lambda key: attention.scaled_dot_scores(query, key),
            lambda key: attention.general_scores(query, key, weight),
            lambda key: additive(query, key, wide[:, :4], wide[:, 4:], vector),
            lambda key: concat(query, key, wide, vector),
        )
        for kind in kinds:
            torch.testing.assert_close(kind(key[order]), kind(key)[:, order], atol=1e-12, rtol=0)


class TestWindows:
    @given(st.integers(1, 30), st.floats(0, 1), st.integers(1, 12))
    def test_a_window_of_a_position_from_0_to_the_length_is_never_empty(
        self, source: int, share: float, width: int
    ) -> None:
        centre = torch.tensor([[source * share]], dtype=torch.float64)
        assert windows.in_window(centre, torch.tensor([[width]]), source).any()

    @given(st.floats(-1e4, 1e4), st.integers(1, 64))
    def test_a_predicted_position_lies_between_0_and_the_length(self, score: float, source: int) -> None:
        projected = torch.full((1, 1), 20.0)  # its tanh is 1
        found = windows.predicted_positions(projected, torch.tensor([score]), torch.tensor(source))
        assert 0 <= found.item() <= source

    def test_a_gaussian_is_1_at_its_centre_and_falls_off_alike_on_both_sides(self) -> None:
        found = windows.gaussian(torch.tensor([[2.0]]), torch.tensor([[2.0]]), 5)[0]
        torch.testing.assert_close(found, torch.exp(-torch.tensor([4.0, 1, 0, 1, 4]) / 2))

    def test_a_gaussian_of_a_window_of_one_position_is_1_there(self) -> None:
        assert windows.gaussian(torch.tensor([[2.0]]), torch.tensor([[0.0]]), 4).tolist() == [[0, 0, 1, 0]]

    def test_half_precision_is_left_before_a_position_is_computed(self) -> None:
        projected, vector = torch.randn(3, 4).bfloat16(), torch.randn(4)
        assert windows.predicted_positions(projected, vector, torch.tensor(7)).dtype == torch.float32


class TestTheFullyMaskedRow:
    def test_is_an_error_that_names_the_row(self) -> None:
        mask = torch.ones(2, 3, 5, dtype=torch.bool)
        mask[1, 2] = False
        with pytest.raises(FullyMaskedRowError, match=r"row \[1, 2\] of the mask \(shape \(2, 3, 5\)\)"):
            masked_softmax(torch.zeros(2, 3, 5), mask)

    def test_is_found_in_a_mask_that_broadcasts(self) -> None:
        mask = torch.tensor([[True, True], [False, False]])[:, None, None, :]  # [batch, 1, 1, key]
        with pytest.raises(FullyMaskedRowError, match=r"row \[1, 0, 0\]"):
            masked_softmax(torch.zeros(2, 4, 3, 2), mask)

    def test_is_a_value_error(self) -> None:
        assert issubclass(FullyMaskedRowError, ValueError)


@pytest.mark.parametrize(
    ("given_dtype", "result"),
    [
        (torch.float64, torch.float64),
        (torch.float32, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.float16, torch.float32),
    ],
)
@pytest.mark.parametrize("masked", [False, True])
def test_weights_are_never_in_half_precision(given_dtype: torch.dtype, result: torch.dtype, masked: bool) -> None:
    mask = torch.tensor([True, True, False]) if masked else None
    weights = masked_softmax(torch.randn(2, 3).to(given_dtype), mask)
    assert weights.dtype == result
    assert weights.sum(-1).tolist() == pytest.approx([1, 1], abs=1e-6)


def test_the_scale_is_the_root_of_the_size_of_a_head() -> None:
    assert attention.scaled_dot_scores(torch.ones(1, 16), torch.ones(1, 16)).item() == pytest.approx(math.sqrt(16))


def test_a_hook_point_stands_on_the_line_after_the_softmax() -> None:
    module = MultiHeadAttention(Site("encoder", 1, "self"), 8, 2, 0.5)
    places = {name: str(part.site) for name, part in module.named_modules() if isinstance(part, HookPoint)}
    assert places["attend.weights"] == "encoder.1.self.weights"
    assert places["attend.scores"] == "encoder.1.self.scores"
    module.train()
    seen: list[Tensor] = []
    module.attend.weights.register_forward_hook(lambda _, __, output: seen.append(output))
    states = torch.randn(1, 6, 8)
    module(states, module.read(states), None)
    torch.testing.assert_close(seen[0].sum(-1), torch.ones(1, 2, 6))  # before dropout, in training too


EQUATIONS = {
    "bahdanau": ("additive_scores", "weighted_sum"),
    "hard": ("additive_scores", "noisy_logarithms", "chosen", "relaxed", "straight_through", "weighted_sum"),
    "lstmn-shallow": ("additive_scores", "weighted_sum"),
    "lstmn-deep": ("additive_scores", "weighted_sum"),
    "luong-dot": ("dot_scores", "weighted_sum"),
    "luong-general": ("general_scores", "weighted_sum"),
    "luong-concat": ("concat_scores", "weighted_sum"),
    "luong-location": ("location_scores", "weighted_sum"),
    "luong-local-m": ("general_scores", "monotonic_positions", "in_window", "weighted_sum"),
    "luong-local-p": ("general_scores", "predicted_positions", "in_window", "gaussian", "weighted_sum"),
    "luong-general-input-feeding": ("general_scores", "weighted_sum"),
    "convs2s": ("dot_scores", "weighted_sum", "variance_kept"),
    "transformer": ("scaled_dot_scores", "split_heads", "merge_heads", "weighted_sum"),
    "transformer-post-ln": ("scaled_dot_scores", "split_heads", "merge_heads", "weighted_sum"),
    "transformer-relative": (
        "clipped_distances",
        "distance_scores",
        "distance_context",
        "scaled_dot_scores",
        "split_heads",
        "merge_heads",
        "weighted_sum",
    ),
}


@pytest.mark.parametrize("key", ATTENTIVE)
@pytest.mark.parametrize("stepwise", [False, True])
def test_the_equations_that_a_learner_opens_are_the_ones_that_run(
    key: str, monkeypatch: pytest.MonkeyPatch, *, stepwise: bool
) -> None:
    """Each equation of a mechanism is called in its forward pass, with hooks and softmax around it."""
    made, called = network(key), set()

    def counted(name: str, equation: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def count(*args: Any, **options: Any) -> Tensor:
            called.add(name)
            return equation(*args, **options)

        return count

    names = {*(name for several in EQUATIONS.values() for name in several), "masked_softmax"}
    for module in [each for name, each in sys.modules.items() if name.startswith("models.networks.")] + [points]:
        for name in names & set(vars(module)):
            monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    source, inputs = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9]])
    memory = made.encode(source)
    if stepwise:
        made.step(memory, made.start(memory), inputs[:, 0], 0)
    else:
        made.decode(memory, inputs)
    assert called - {"additive_scores"} == {*EQUATIONS[key], "masked_softmax"} - {"additive_scores"}
    assert ("additive_scores" in called) is (key in ("bahdanau", "luong-concat", "hard", "lstmn-shallow", "lstmn-deep"))


def test_every_equation_is_one_that_a_network_calls() -> None:
    public = {
        name
        for module in (attention, distances, sampling, windows)
        for name, each in vars(module).items()
        if not name.startswith("_") and getattr(each, "__module__", "") == module.__name__
    }
    assert public - {"unshown", "gumbel_noise"} == {name for several in EQUATIONS.values() for name in several}
