"""Traces of what transformers models give: each kind of model, batch, cache and precision; what is wrong is named."""

from __future__ import annotations

import io
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from models import AttentionTrace
from models.trace import TraceError
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer

ENCODERS, DECODERS, PAIRS = ("bert", "deberta-v2", "xlnet"), ("gpt2", "llama", "mistral", "bloom"), ("bart", "t5")
TEXTS = ("The cat", "A small dog sat.")
TOKENIZER = tiny_tokenizer()
BARE = tiny_tokenizer(ends=False)
STEPS = 6
DEPTH = {"t5": {"num_layers": 3}}
"""A cache of T5 has room for as many layers as its encoder has."""


def network(family: str, **changes: Any) -> Any:
    return tiny_network(family, attention="eager", **DEPTH.get(family, {}) | changes)


def batch(side: str = "right", *, tokenizer: Any = TOKENIZER) -> Any:
    tokenizer.padding_side = side
    return tokenizer(list(TEXTS), return_tensors="pt", padding=True, return_token_type_ids=False)


def one(text: str = TEXTS[1], *, tokenizer: Any = TOKENIZER) -> Any:
    return tokenizer(text, return_tensors="pt", return_token_type_ids=False)


@torch.no_grad()
def outputs(family: str, inputs: Any, **more: Any) -> Any:
    return network(family)(**inputs, output_attentions=True, **more)


def equal(trace: AttentionTrace, place: str, layers: Sequence[torch.Tensor], row: int = 0) -> None:
    for number, each in enumerate(layers):
        assert np.array_equal(trace[place.format(number)].weights, each[row].float().numpy()), (place, number)


@pytest.mark.parametrize("family", ENCODERS + DECODERS)
def test_one_text_has_the_weights_of_the_tuple_to_the_last_bit(family: str) -> None:
    inputs = one()
    given = outputs(family, inputs)
    stack = "decoder" if family in DECODERS else "encoder"
    for ids in (inputs, inputs["input_ids"], inputs["input_ids"][0], inputs["input_ids"][0].tolist()):
        trace = AttentionTrace.from_transformers(given, TOKENIZER, ids)
        equal(trace, f"{stack}.{{}}.self", given.attentions)
        assert trace.source.ids == tuple(inputs["input_ids"][0].tolist())
        assert len(trace.sites) == len(given.attentions) == 3
    assert trace.source.word_texts == ("<s>", "A", "small", "dog", "sat", ".", "</s>")
    assert trace.source.specials == (0, len(trace.source) - 1)
    assert trace.source_text == TEXTS[1]
    assert trace[f"{stack}.0.self"].to_words().weights.shape == (4, 7, 7)
    assert trace[f"{stack}.0.self"].causal == (stack == "decoder")


def test_a_single_token_of_a_causal_model_is_of_a_decoder() -> None:
    ids = torch.tensor([[9]])
    assert AttentionTrace.from_transformers(outputs("gpt2", {"input_ids": ids}), BARE, ids).sites[0].stack == "decoder"


@pytest.mark.parametrize("family", PAIRS)
def test_an_encoder_decoder_has_all_three_kinds(family: str) -> None:
    inputs, read_in = one(), torch.tensor([[2, *BARE("Un chien").input_ids]])
    given = outputs(family, inputs, decoder_input_ids=read_in)
    trace = AttentionTrace.from_transformers(given, TOKENIZER, inputs, decoder_input_ids=read_in)
    equal(trace, "encoder.{}.self", given.encoder_attentions)
    equal(trace, "decoder.{}.self", given.decoder_attentions)
    equal(trace, "decoder.{}.cross", given.cross_attentions)
    likely = given.logits[0].log_softmax(-1)
    assert trace.target_input.ids == tuple(read_in[0].tolist())
    assert trace.target.ids == (*read_in[0, 1:].tolist(), int(likely[-1].argmax()))
    assert trace.output_text.startswith("Un chien")
    expected = [float(likely[step, token]) for step, token in enumerate(trace.target.ids)]
    assert [step.log_probability for step in trace.steps] == pytest.approx(expected, abs=1e-6)
    assert trace.provenance.alignment.site.kind == "cross"


def test_what_follows_a_finished_translation_is_not_made_up() -> None:
    inputs, read_in = one(), torch.tensor([[2, 30, 40, 2]])
    given = outputs("bart", inputs, decoder_input_ids=read_in)
    trace = AttentionTrace.from_transformers(given, TOKENIZER, inputs, decoder_input_ids=read_in)
    assert (trace.target.ids, trace.target.texts[-1]) == ((30, 40, 2, -1), "…")
    assert np.isnan(trace.steps[-1].log_probability)
    equal(trace, "decoder.{}.cross", given.cross_attentions)
    without = SimpleNamespace(cross_attentions=given.cross_attentions)
    trace = AttentionTrace.from_transformers(without, TOKENIZER, inputs, decoder_input_ids=read_in[:, :4])
    assert {site.kind for site in trace.sites} == {"cross"}


def test_sequences_say_what_a_decoder_read_and_wrote() -> None:
    inputs, sequences = one(), torch.tensor([[2, 30, 40, 2]])
    given = outputs("bart", inputs, decoder_input_ids=sequences[:, :-1])
    trace = AttentionTrace.from_transformers({**given, "sequences": sequences}, TOKENIZER, inputs)
    assert (trace.target_input.ids, trace.target.ids) == ((2, 30, 40), (30, 40, 2))
    equal(trace, "decoder.{}.cross", given.cross_attentions)


def test_arrays_that_nobody_may_write_to_and_masks_of_floats_are_taken() -> None:
    inputs = batch()
    layers = [each.numpy() for each in outputs("bert", inputs).attentions]
    ids, mask = inputs["input_ids"].numpy(), inputs["attention_mask"].float()
    for each in (*layers, ids):
        each.setflags(write=False)
    trace = AttentionTrace.from_transformers(layers, TOKENIZER, ids, attention_mask=mask, row=0)
    assert trace.source_text == TEXTS[0]


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("family", ["bert", "gpt2", "llama", "bart"])
def test_a_row_of_a_padded_batch_is_that_row_without_its_padding(family: str, side: str, masked: bool) -> None:
    inputs = batch(side)
    more = {"decoder_input_ids": torch.tensor([[2, 30, 0], [2, 40, 50]])} if family == "bart" else {}
    given = outputs(family, inputs, **more)
    ids = inputs if masked else inputs["input_ids"]
    for row, text in enumerate(TEXTS):
        trace = AttentionTrace.from_transformers(given, TOKENIZER, ids, row=row, **more)
        places = inputs["attention_mask"][row].nonzero()[:, 0]
        assert trace.source_text == text
        assert trace.source.ids == tuple(inputs["input_ids"][row, places].tolist())
        assert len(trace.target) == (0 if family != "bart" else 2 + row)
        for each in trace:
            layers = given.encoder_attentions if family == "bart" else given.attentions
            if each.site.kind == "self" and (each.site.stack == "encoder" or family != "bart"):
                own = layers[each.site.layer][row][:, places][:, :, places]
                assert np.array_equal(each.weights, own.numpy())


def test_padding_that_is_also_the_end_is_told_from_an_end() -> None:
    tokenizer = tiny_tokenizer(ends=False)
    tokenizer.pad_token = "</s>"
    ids = torch.tensor([[30, 40, 2, 2, 2], [30, 40, 50, 60, 2]])
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    given = outputs("gpt2", {"input_ids": ids, "attention_mask": mask})
    for row, length in enumerate((3, 5)):
        assert len(AttentionTrace.from_transformers(given, tokenizer, ids, row=row).source) == length
    begun = torch.tensor([[2, 30, 40]])  # GPT-2 begins a text with what ends one
    assert len(AttentionTrace.from_transformers(outputs("gpt2", {"input_ids": begun}), tokenizer, begun).source) == 3


def test_padding_that_the_model_attended_to_stays_or_is_named() -> None:
    inputs = batch()
    given = outputs("bert", {"input_ids": inputs["input_ids"]})
    assert "<pad>" in AttentionTrace.from_transformers(given, TOKENIZER, inputs["input_ids"], row=0).source.texts
    with pytest.raises(TraceError, match=r"encoder\.0|attentions, layer 0.*the same mask"):
        AttentionTrace.from_transformers(given, TOKENIZER, inputs, row=0)


CACHES: dict[str, dict[str, Any]] = {
    "cached": {},
    "uncached": {"use_cache": False},
    "static": {"cache_implementation": "static"},
    "beams": {"num_beams": 3},
    "best beams": {"num_beams": 3, "num_return_sequences": 2},
    "samples": {"do_sample": True, "num_return_sequences": 2},
}


@pytest.mark.parametrize("way", CACHES)
@pytest.mark.parametrize("family", [*DECODERS, "gemma2", *PAIRS])
def test_steps_of_generation_are_one_map_as_of_one_pass(family: str, way: str) -> None:
    inputs, model = batch("right" if family in PAIRS else "left", tokenizer=BARE), network(family)
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(1)
        options = {"max_new_tokens": STEPS, "do_sample": False, "output_attentions": True, "output_logits": True}
        given = model.generate(**inputs, **options | CACHES[way], return_dict_in_generate=True)
        count = len(given.sequences) // len(TEXTS)
        for row in range(len(given.sequences)):
            trace = AttentionTrace.from_transformers(given, BARE, inputs, row=row)
            assert trace.source_text.startswith(TEXTS[row // count])
            own = one(TEXTS[row // count], tokenizer=BARE)
            if family in PAIRS:
                ids = {**own, "decoder_input_ids": torch.tensor([trace.target_input.ids])}
                assert trace.target.ids == tuple(given.sequences[row, 1 : 1 + len(trace.target)].tolist())
            else:
                ids = {"input_ids": torch.tensor([trace.source.ids])}
            again = AttentionTrace.from_transformers(model(**ids, output_attentions=True), BARE, ids)
            assert again.sites == trace.sites
            for each in trace:
                np.testing.assert_allclose(each.weights, again[each.site].weights, atol=5e-5)
            known = [step.log_probability for step in trace.steps]
            np.testing.assert_allclose(known[:-1], [step.log_probability for step in again.steps][:-1], atol=1e-4)


@pytest.mark.parametrize("family", ["gpt2", *PAIRS])
@pytest.mark.parametrize("beams", [1, 3])
def test_what_fills_up_a_row_that_ended_early_is_left_out(family: str, beams: int) -> None:
    inputs, model = batch("right" if family in PAIRS else "left", tokenizer=BARE), network(family)
    options = {"max_new_tokens": STEPS, "do_sample": False, "num_beams": beams, "output_attentions": True}
    with torch.no_grad():
        free = model.generate(**inputs, **options)
        end = int(free[0, 2 if family in PAIRS else inputs["input_ids"].shape[1] + 1])
        given = model.generate(**inputs, **options, eos_token_id=end, pad_token_id=0, return_dict_in_generate=True)
    for row, sequence in enumerate(given.sequences.tolist()):
        trace = AttentionTrace.from_transformers(given, BARE, inputs, row=row)
        assert "<pad>" not in trace.source.texts + trace.target.texts
        begun = 1 if family in PAIRS else 0  # T5 begins a translation with padding
        ended = tuple(token for token in sequence[begun:] if token != 0)
        assert (trace.target.ids if family in PAIRS else (*trace.source.ids, ended[-1])) == ended


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("family", ["bert", "gpt2", "llama"])
def test_half_precision_is_taken_as_it_is_and_its_rounding_is_said(family: str, dtype: torch.dtype) -> None:
    inputs = one("The cat drank the milk because it was hungry.")
    with torch.no_grad():
        given = network(family).to(dtype)(**inputs, output_attentions=True)
    trace = AttentionTrace.from_transformers(given, TOKENIZER, inputs)
    equal(trace, f"{trace.sites[0].stack}.{{}}.self", given.attentions)
    notes = [str(each) for each in trace.provenance.notes]
    assert notes == [f"{str(dtype)[6:]} weights: a row sums to 1 only within rounding"]
    assert not all(each.rows_sum_to_one for each in trace)
    file = io.BytesIO()
    trace.save(file)
    assert AttentionTrace.load(io.BytesIO(file.getvalue())).provenance == trace.provenance


def test_the_layers_that_are_kept_are_named() -> None:
    inputs = one()
    given = outputs("bert", inputs)
    trace = AttentionTrace.from_transformers(given, TOKENIZER, inputs, layers=(2, 0))
    assert [str(site) for site in trace.sites] == ["encoder.0.self", "encoder.2.self"]
    assert [str(each) for each in trace.provenance.notes] == ["layers kept, of 3: 0, 2"]
    assert AttentionTrace.from_transformers(given, TOKENIZER, inputs, layers=1).sites[0].layer == 1
    assert not AttentionTrace.from_transformers(given, TOKENIZER, inputs, layers=range(3)).provenance.notes


def test_attention_alone_is_taken_in_every_shape() -> None:
    inputs = one()
    layers = outputs("bert", inputs).attentions
    names = TOKENIZER.convert_ids_to_tokens(inputs["input_ids"][0])
    arrays = [each.numpy() for each in layers]
    for given in (layers, list(layers), torch.stack(layers), np.stack(arrays), [each[0] for each in layers], arrays):
        for ids in (inputs, names, tuple(names)):
            equal(AttentionTrace.from_transformers(given, TOKENIZER, ids), "encoder.{}.self", layers)
    some = AttentionTrace.from_transformers([None, layers[1], None], TOKENIZER, inputs)
    assert [site.layer for site in some.sites] == [1]
    equal(AttentionTrace.from_transformers({"attentions": layers}, TOKENIZER, inputs), "encoder.{}.self", layers)
    marked = AttentionTrace.from_transformers(
        layers, SimpleNamespace(tokenizer=TOKENIZER), inputs, title="Mine", year=9
    )
    assert (marked.provenance.title, marked.provenance.year) == ("Mine", 9)


def test_gradients_and_dropout_of_rows() -> None:
    inputs = one()
    trained = network("bert", attention_probs_dropout_prob=0.3).train()
    given = trained(**inputs, output_attentions=True)
    assert given.attentions[0].requires_grad
    with pytest.raises(TraceError, match=r"eval mode.*rows_sum_to_one=False"):
        AttentionTrace.from_transformers(given, TOKENIZER, inputs)
    trace = AttentionTrace.from_transformers(given, TOKENIZER, inputs, rows_sum_to_one=False)
    assert np.array_equal(trace["encoder.0.self"].weights, given.attentions[0][0].detach().numpy())


def test_rows_that_give_something_to_an_outlet_are_named_with_the_way_out() -> None:
    inputs = one()
    given = outputs("gpt_oss", inputs)
    with pytest.raises(TraceError, match=r"decoder\.0\.self.*rows_sum_to_one=False"):
        AttentionTrace.from_transformers(given, TOKENIZER, inputs)
    equal(
        AttentionTrace.from_transformers(given, TOKENIZER, inputs, rows_sum_to_one=False),
        "decoder.{}.self",
        given.attentions,
    )


def _wrong(name: str) -> tuple[Any, dict[str, Any]]:
    """Return outputs and arguments that do not fit, by the name of what is wrong."""
    inputs, ids = one(), one()["input_ids"]
    bert, several = outputs("bert", inputs), outputs("bert", batch())
    pair, read_in = outputs("bart", inputs, decoder_input_ids=ids), {"decoder_input_ids": ids}
    silent = tiny_network("llama", attention="sdpa")
    quiet = {"max_new_tokens": 2, "output_attentions": True, "return_dict_in_generate": True, "do_sample": False}
    steps = network("gpt2").generate(**inputs, **quiet)
    beams = network("gpt2").generate(**inputs, **quiet, num_beams=2)
    many: dict[str, tuple[Any, dict[str, Any]]] = {
        "sdpa": (silent(**inputs, output_attentions=True), {"input_ids": ids}),
        "sdpa, generated": (silent.generate(**inputs, **quiet), {"input_ids": ids}),
        "not asked for": (network("bert")(**inputs), {"input_ids": ids}),
        "only ids generated": (network("gpt2").generate(**inputs, max_new_tokens=2), {"input_ids": ids}),
        "none": (None, {"input_ids": ids}),
        "empty": ((), {"input_ids": ids}),
        "several texts": (several, {"input_ids": batch()["input_ids"]}),
        "row too large": (several, {"input_ids": batch(), "row": 2}),
        "row below 0": (several, {"input_ids": batch(), "row": -1}),
        "too few tokens": (bert, {"input_ids": ids[:, 1:]}),
        "rows of another batch": (bert, {"input_ids": batch()["input_ids"], "row": 0}),
        "no ids": (bert, {}),
        "ids of numbers that are not whole": (bert, {"input_ids": ids.float()}),
        "ids of rows of different lengths": (bert, {"input_ids": [[1, 2], [3]]}),
        "ids that are text": (bert, {"input_ids": "The cat"}),
        "unknown token": (bert, {"input_ids": torch.full_like(ids, 5000)}),
        "another mask": (bert, {"input_ids": ids, "attention_mask": [1, 1]}),
        "no decoder ids": (pair, {"input_ids": ids}),
        "no encoder ids": (pair, read_in),
        "another decoder": (pair, {"input_ids": ids, "decoder_input_ids": ids[:, :3]}),
        "rows of another decoder": (pair, {"input_ids": ids, "decoder_input_ids": ids.repeat(2, 1), "row": 0}),
        "no such layer": (bert, {"input_ids": ids, "layers": [3]}),
        "no layer": (bert, {"input_ids": ids, "layers": []}),
        "the whole answer as a tuple": (
            network("bert")(**inputs, output_attentions=True, return_dict=False), {"input_ids": ids}
        ),
        "windows": ([torch.full((1, 2, ids.shape[1], 4), 0.25)], {"input_ids": ids}),
        "another prompt": (steps, {"input_ids": ids + 1}),
        "steps without sequences": (steps.attentions, {"input_ids": ids}),
        "beams without their way": (
            {"attentions": beams.attentions, "sequences": beams.sequences}, {"input_ids": ids}
        ),
    }  # fmt: skip
    return many[name]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("sdpa", "attn_implementation='eager'"),
        ("sdpa, generated", "attn_implementation='eager'"),
        ("not asked for", "output_attentions=True"),
        ("only ids generated", "return_dict_in_generate=True"),
        ("none", "output_attentions=True"),
        ("empty", "output_attentions=True"),
        ("several texts", "2 texts; say which is wanted with row=0 to row=1"),
        ("row too large", "got 2; expected 0 to 1"),
        ("row below 0", "got -1; expected 0 to 1"),
        ("too few tokens", r"expected \(4, 17, 17\) from the tokens"),
        ("rows of another batch", "of a batch of 2"),
        ("no ids", "input_ids: .* hand them over"),
        ("ids of numbers that are not whole", "input_ids: .* whole numbers"),
        ("ids of rows of different lengths", "input_ids: expected whole numbers"),
        ("ids that are text", "got the text 'The cat'; expected its ids"),
        ("unknown token", "no token 5000; is it that of the model"),
        ("another mask", "attention_mask: got 2 values of a row; expected 18"),
        ("no decoder ids", "decoder_input_ids: .*prepare_decoder_input_ids_from_labels"),
        ("no encoder ids", "input_ids: .* hand them over"),
        ("another decoder", r"expected \(2, 3, 3\)"),
        ("rows of another decoder", "decoder_input_ids: got 2 rows; expected 1"),
        ("no such layer", "layers: got .* expected some of 0 to 2"),
        ("no layer", "layers: got .* expected some of 0 to 2"),
        ("the whole answer as a tuple", r"outputs\[-1\]"),
        ("windows", "Longformer"),
        ("another prompt", "do not begin with them"),
        ("steps without sequences", "what generate returned"),
        ("beams without their way", "beam_indices"),
    ],
)
def test_what_does_not_fit_is_named_with_what_to_do(name: str, says: str) -> None:
    with torch.no_grad():
        given, about = _wrong(name)
    with pytest.raises(TraceError, match=says):
        AttentionTrace.from_transformers(given, TOKENIZER, **about)


def test_a_tokenizer_that_is_none_is_named() -> None:
    inputs = one()
    with pytest.raises(TraceError, match="tokenizer: got NoneType; expected the model's own"):
        AttentionTrace.from_transformers(outputs("bert", inputs), None, inputs)
