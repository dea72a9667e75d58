"""What a key moves: against float64 references written from the paper, against what models give on, by properties."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from models.edits import set_row, zero_head
from models.errors import InputError
from models.networks.moved import value_gram
from models.trace import AttentionMap, AttentionTrace
from models.trace.moved import moved_by_heads, moved_by_layer
from tests.support.small_models import ATTENTIVE, fluent, network, translator

Array = NDArray[np.float64]
SOURCE = "The cat sees the dog."
RECURRENT = tuple(key for key in ATTENTIVE if not key.startswith(("transformer", "lstmn", "convs2s")))
MULTI_HEAD = tuple(key for key in ATTENTIVE if key.startswith("transformer"))


def row_over_sum(lengths: Array) -> Array:
    for row in np.ndindex(*lengths.shape[:-1]):
        total = sum(lengths[row])
        lengths[row] = lengths[row] / total if total else 0
    return lengths


def by_heads(weights: Array, values: Array, weight: Array) -> Array:
    """a_ij |f_h(x_j)|, Kobayashi et al. 2020, section 2, each row over its sum."""
    d_value = values.shape[-1]
    found = np.zeros(weights.shape)
    for h, i, j in np.ndindex(*weights.shape):
        f = weight[:, h * d_value : (h + 1) * d_value] @ values[h, j]
        found[h, i, j] = weights[h, i, j] * np.sqrt(f @ f)
    return row_over_sum(found)


def by_layer(weights: Array, values: Array, weight: Array) -> Array:
    """|sum_h a_ij f_h(x_j)|, Kobayashi et al. 2020, section 3, each row over its sum."""
    heads, _, d_value = values.shape
    found = np.zeros(weights.shape[1:])
    for i, j in np.ndindex(*found.shape):
        vector = sum(weights[h, i, j] * weight[:, h * d_value : (h + 1) * d_value] @ values[h, j] for h in range(heads))
        found[i, j] = np.sqrt(vector @ vector)
    return row_over_sum(found)


def drawn(*shape: int) -> Array:
    return np.random.default_rng(shape).normal(size=shape)


def test_both_sections_of_the_paper() -> None:
    values, weight = drawn(3, 70, 4), drawn(6, 12)
    weights = np.abs(drawn(3, 5, 70))
    gram = value_gram(torch.from_numpy(values)[None], torch.from_numpy(weight))[0].numpy()
    np.testing.assert_allclose(moved_by_heads(weights, gram), by_heads(weights, values, weight), atol=1e-10)
    layer = by_layer(weights, values, weight)
    np.testing.assert_allclose(moved_by_layer(weights, gram), layer, atol=1e-6)


def parts(trace: AttentionTrace, site: str) -> tuple[AttentionMap, Array, Array]:
    found = trace[site]
    return found, found.weights.astype(np.float64), found.companions["value"].astype(np.float64)


def check(found: AttentionMap, weights: Array, values: Array, weight: Array) -> None:
    moved = found.moved()
    np.testing.assert_allclose(moved.weights, by_heads(weights, values, weight), atol=1e-5)
    np.testing.assert_allclose(moved.mean, by_layer(weights, values, weight), atol=1e-5)


@pytest.mark.parametrize("key", RECURRENT)
def test_recurrent_attention_moves_by_the_matrix_that_its_paper_names(key: str) -> None:
    model = fluent(key, SOURCE)
    trace = model.attend(SOURCE, "le chat est dans la maison", sites=("*.weights", "*.value"))
    state = {name: each.double().numpy() for name, each in model.network.state_dict().items()}
    found, weights, values = parts(trace, "decoder.0.cross")
    d_value = values.shape[-1]
    if "combine.weight" in state:  # W_c [c; s], Luong et al. 2015, equation 5
        matrix = state["combine.weight"][:, :d_value]
    else:  # C c and C_o c, Bahdanau et al. 2015, appendix A.2.2; torch stacks reset, update and new gate
        new = np.split(state["cell.weight_ih"], 3)[2]
        matrix = np.concatenate((new[:, -d_value:], state["readout.weight"][:, -d_value:]))
    check(found, weights, values, matrix)


@pytest.mark.parametrize("key", MULTI_HEAD)
def test_what_all_keys_and_heads_move_is_what_the_attention_gives_on(key: str) -> None:
    model = fluent(key, SOURCE)
    trace = model.attend(SOURCE, "le chat est dans la maison", sites=("*.weights", "*.value", "*.output"))
    state = {name: each.double().numpy() for name, each in model.network.state_dict().items()}
    for found in trace:
        part = "cross" if found.site.kind == "cross" else "attention"
        prefix = f"{found.site.stack}.{found.site.layer}.{part}."
        weight, bias = state[prefix + "output.weight"], state[prefix + "output.bias"]
        _, weights, values = parts(trace, str(found.site))
        heads, _, d_head = values.shape
        each = np.zeros((heads, *weights.shape[1:], d_head)) + values[:, None]  # [head, query, key, d_head]
        if prefix + "distance_value.weight" in state:  # v_j + a^V_ij, Shaw et al. 2018, equation 3
            table = state[prefix + "distance_value.weight"]
            reach = len(table) // 2
            for i, j in np.ndindex(*weights.shape[1:]):
                each[:, i, j] += table[min(max(j - i, -reach), reach) + reach]
        vectors = np.einsum("hqk,hqkd,ohd->hqko", weights, each, weight.reshape(len(weight), heads, d_head))
        np.testing.assert_allclose(vectors.sum(axis=(0, 2)) + bias, found.companions["output"][0], atol=1e-5)
        moved = found.moved()
        lengths = np.linalg.norm(vectors, axis=-1)
        np.testing.assert_allclose(moved.weights, row_over_sum(lengths), atol=1e-5)
        np.testing.assert_allclose(moved.mean, row_over_sum(np.linalg.norm(vectors.sum(axis=0), axis=-1)), atol=1e-5)


@pytest.mark.parametrize("key", ATTENTIVE)
def test_rows_sum_to_one_and_what_is_not_attended_to_moves_nothing(key: str) -> None:
    trace = translator(key, network(key)).attend(SOURCE)
    for found in trace:
        moved = found.moved()
        if not moved.weights.size:
            continue
        attends = found.weights.sum(-1) > 0
        np.testing.assert_allclose(moved.weights.sum(-1)[attends], 1, atol=1e-5)
        assert not moved.weights[found.weights == 0].any()
        assert found.value_norms.shape == (len(found.head_names), len(found.key_tokens))
        if len(found.head_names) == 1:
            np.testing.assert_allclose(moved.mean, moved.weights[0], atol=1e-5)


def test_token_by_token_and_in_one_pass_the_same_is_moved() -> None:
    for key in ("transformer", "transformer-relative", "lstmn-deep", "convs2s"):
        model = fluent(key, SOURCE)
        free = model.attend(SOURCE)
        forced = model.attend(SOURCE, free.output_text)
        assert forced.target.ids == free.target.ids
        for one, other in zip(free.moved(), forced.moved(), strict=True):
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)


def test_an_ablated_head_moves_nothing() -> None:
    model = fluent("transformer", SOURCE)
    found = model.attend(SOURCE, edits=(zero_head("encoder.1.self", 2),))["encoder.1.self"].moved()
    assert not found.weights[2].any()
    np.testing.assert_allclose(found.weights[[0, 1, 3]].sum(-1), 1, atol=1e-5)


def test_a_row_on_one_key_moves_as_far_as_that_value_is_long() -> None:
    model = fluent("transformer", SOURCE)
    bias = model.network.encoder[0].attention.output.bias.double().numpy()  # type: ignore[index, union-attr]
    size = len(model.attend(SOURCE).source)
    weights = tuple(float(key == 2) for key in range(size))
    edits = [set_row("encoder.0.self", head, 1, weights, 1.0) for head in range(4)]
    found = model.attend(SOURCE, edits=edits, sites=("*.weights", "*.output"))["encoder.0.self"]
    length = np.linalg.norm(found.companions["output"][0, 1] - bias)
    assert np.sqrt(found.companions["value_gram"][:, 2].sum()) == pytest.approx(length, rel=1e-4)


def test_a_record_without_values_says_so() -> None:
    trace = AttentionTrace.from_arrays({"encoder.0.self": [[0.5, 0.5], [0.1, 0.9]]}, source=["a", "cat"])
    assert not trace.has_moved
    with pytest.raises(InputError, match="no values"):
        trace.moved()
    with pytest.raises(InputError, match="not known"):
        trace.maps[0].moved()


def test_a_saved_record_has_its_weights_and_still_knows_what_is_moved() -> None:
    trace = fluent("transformer", SOURCE).attend(SOURCE)
    file = io.BytesIO()
    trace.save(file)
    file.seek(0)
    again = AttentionTrace.load(file)
    for one, other in zip(trace.moved(), again.moved(), strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
        assert one.quantity == "moved"
    for one, other in zip(trace, trace.moved().weighed(), strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
    shown = io.BytesIO()
    trace.moved().save(shown)
    assert shown.getvalue() == file.getvalue()
