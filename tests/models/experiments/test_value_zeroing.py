"""Value zeroing against float64 references written from the paper, and what it cannot be asked."""

from __future__ import annotations

import io

import numpy as np
import pytest
import torch
from torch import Tensor

from models import InputError, load
from models.experiments.value_zeroing import MOST_TOKENS, value_zeroing
from models.trace import AttentionTrace
from tests.support.small_models import translator

TEXT = "The cat drank the milk because it was hungry."


def turned(before: Tensor, after: Tensor) -> np.ndarray:
    """Return 1 - cosine of each row."""
    return 1 - torch.nn.functional.cosine_similarity(before, after, dim=-1).numpy()


def normalised(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))


@pytest.mark.parametrize("layer", [0, 3])
def test_minilm_equals_a_layer_whose_values_are_set_to_zero(layer: int) -> None:
    """By a plain BERT layer in float64, the value of one token set to 0 before the weights are applied."""
    import transformers

    from models.huggingface.embedded import local_models

    folder = local_models()["hf:minilm"].folder
    plain = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").double().eval()
    model = load("hf:minilm")
    trace = model.attend(TEXT)
    ids = torch.tensor([trace.source.ids])
    block = plain.encoder.layer[layer]
    with torch.inference_mode():
        states = plain(input_ids=ids, output_hidden_states=True).hidden_states
        count, columns = ids.shape[1], []
        for key in range(count):
            kept = torch.ones(1, count, 1, dtype=torch.float64)
            kept[0, key] = 0
            handle = block.attention.self.value.register_forward_hook(lambda _m, _i, given, kept=kept: given * kept)
            given = block(states[layer])
            handle.remove()
            columns.append(
                turned(states[layer + 1][0], (given[0] if isinstance(given, tuple) else given).reshape(count, -1))
            )
    expected = normalised(np.stack(columns, axis=1))
    np.testing.assert_allclose(value_zeroing(model, trace, f"encoder.{layer}.self"), expected, atol=2e-4)


@pytest.mark.parametrize(
    "site", ["encoder.0.self", "encoder.1.self", "decoder.1.self", "decoder.0.cross", "decoder.1.cross"]
)
def test_a_translator_equals_its_own_network_in_float64(site: str) -> None:
    """The column of W_V's output is 0: the network is run anew with a hook on that matrix."""
    model = translator("transformer")
    trace = model.attend("The cat drank", "le chat a bu")
    network = model.network.double()
    try:
        stack, layer, kind = site.split(".")
        block = getattr(network, stack)[int(layer)]
        ids, read = torch.tensor([trace.source.ids]), torch.tensor([trace.target_input.ids])
        count = len(trace.target_input if site.startswith("decoder") and kind == "self" else trace.source)

        def final(key: int | None) -> Tensor:
            found: list[Tensor] = []

            def zero(_module: object, _inputs: object, given: Tensor) -> Tensor:
                given = given.clone()
                if key is not None:
                    given[:, key] = 0
                return given

            handles = [
                (block.cross if kind == "cross" else block.attention).value.register_forward_hook(zero),
                block.register_forward_hook(
                    lambda _m, _i, given: found.append(given[0] if isinstance(given, tuple) else given)
                ),
            ]
            with torch.inference_mode():
                network.decode_states(network.encode(ids), read)
            for handle in handles:
                handle.remove()
            return found[0][0]

        before = final(None)
        expected = normalised(np.stack([turned(before, final(key)) for key in range(count)], axis=1))
    finally:
        network.float()
    np.testing.assert_allclose(value_zeroing(model, trace, site), expected, atol=2e-3)


@pytest.mark.parametrize("key", ["hf:minilm", "hf:gpt-en"])
def test_rows_sum_to_one_progress_is_told_and_a_causal_model_depends_on_nothing_ahead(key: str) -> None:
    model, told = load(key), []
    trace = model.attend(TEXT)
    found = value_zeroing(model, trace, trace.sites[0], on_progress=told.append)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    assert told[0] == 0
    assert told[-1] == 1
    ahead = np.triu(found, 1)
    assert (ahead.max() < 1e-6) == (key == "hf:gpt-en")


def test_who_no_longer_waits_ends_it() -> None:
    model = load("hf:minilm")
    trace = model.attend(TEXT)

    def gone(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        value_zeroing(model, trace, "encoder.0.self", on_progress=gone)


def test_what_cannot_be_asked_is_said() -> None:
    model = load("hf:minilm")
    long = model.attend(" ".join(["cat"] * MOST_TOKENS))
    with pytest.raises(InputError, match="up to 64 tokens"):
        value_zeroing(model, long, "encoder.0.self")
    for key in ("luong-general-en-fr", "bahdanau-en-fr", "convs2s-en-fr"):
        other = load(key)
        with pytest.raises(InputError, match="Transformers"):
            value_zeroing(other, other.attend("The cat sleeps."), "decoder.0.cross")


@pytest.mark.parametrize("key", ["hf:minilm", "hf:gpt-en"])
def test_a_layer_that_runs_alone_gives_what_leaves_it_in_the_whole_run(key: str) -> None:
    model = load(key)
    trace = model.attend(TEXT, sites=("*.weights", "*.final"))
    replay = model.replay(trace)
    for each in trace:
        alone = replay.states(replay.as_it_is(2), each.site)
        expected = trace.vectors if each.site == trace.sites[-1] else each.companions["final"][0]
        np.testing.assert_allclose(alone, np.stack([expected] * 2), rtol=1e-5, atol=1e-4)


def test_a_record_keeps_it_in_its_file_beside_the_weights() -> None:
    trace = load("hf:minilm").attend("The cat sleeps.")
    site = trace.sites[1]
    count = len(trace.source)
    values = np.eye(count, dtype=np.float32)
    file = io.BytesIO()
    trace.with_zeroed({site: values}).save(file)
    file.seek(0)
    again = AttentionTrace.load(file)
    zeroed = again.zeroed()
    assert zeroed.sites == (site,)
    np.testing.assert_array_equal(zeroed[site].weights, values[None])
    np.testing.assert_array_equal(zeroed.weighed()[site].weights, trace[site].weights)
    np.testing.assert_array_equal(again[site].weights, trace[site].weights)
    with pytest.raises(InputError, match="not computed"):
        trace.zeroed()
