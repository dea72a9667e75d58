"""A run of an encoder-decoder: one text is read, another is written, or forced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor
from transformers import PreTrainedModel

from models.edits import Edit
from models.hooks import capture
from models.huggingface.observed_pass import Observed, final_vectors, observed_pass
from models.huggingface.placement import placed
from models.huggingface.run import PretrainedRun, running
from models.huggingface.tokens import TokenizedText
from models.messages import CountMessage, Message
from models.trace import AttentionTrace
from models.trace.tokens import RecordedTexts
from models.translation.decoding import step_limit


def write(
    model: Observed,
    reading: TokenizedText,
    text: str,
    target: str | None,
    *,
    edits: tuple[Edit, ...],
    patterns: tuple[str, ...],
) -> AttentionTrace:
    """Run a model that reads one text and writes another."""
    reader, record = model.reader, model.recorder
    inputs = reader.inputs(reading)
    if target is None:
        read_in, ids = generate(model, inputs, edits)
    else:
        ids = reader.read_target(target)
        read_in = shifted(model.network, ids)
    given = inputs | {"decoder_input_ids": torch.tensor([read_in])}
    done = observed_pass(model.network, model.layers, given, patterns=patterns, edits=edits, whole=True)
    tokenizer, decoding = reader.tokenizer, _decoding(target)
    texts = RecordedTexts(reading.tokens, tokenizer.sequence(read_in), tokenizer.sequence(ids))
    ended = target is not None or ids[-1] == tokenizer.tokenizer.eos_token_id
    notes = (*model.layers.notes(max(len(reading.tokens), len(ids))), *reading.notes, *model.reader.notes)
    return AttentionTrace(
        source=texts.source,
        target=texts.written,
        target_input=texts.read_in,
        maps=record.maps(done.session, texts, edits),
        steps=record.steps(done.logits[0], texts.written),
        source_text=text,
        output_text=tokenizer.decode(ids),
        provenance=record.provenance(
            done.session, edits, decoding, notes=notes, cut=() if ended else (_cut_after(len(ids)),)
        ),
        vectors=final_vectors(done.run),
    )


def _decoding(target: str | None) -> Literal["greedy", "forced"]:
    return "greedy" if target is None else "forced"


def generate(model: Observed, inputs: Mapping[str, Tensor], edits: tuple[Edit, ...]) -> tuple[list[int], list[int]]:
    """Return what the decoder reads in and writes, greedily; each step is a whole pass, uncached.

    Shapes: `inputs` [1, token].
    """
    limit = min(step_limit(inputs["input_ids"].shape[1]), model.reader.longest - 1)
    with torch.inference_mode(), running(PretrainedRun(model.layers.places, model.layers.tried)), capture((), edits):
        options = {"do_sample": False, "num_beams": 1, "max_new_tokens": limit, "use_cache": False}
        generate: Any = model.network.generate
        ids = generate(**placed(model.network, inputs), **options)[0].tolist()
    return ids[:-1], ids[1:]


def shifted(network: PreTrainedModel, ids: list[int]) -> list[int]:
    """Return what the decoder reads in while it writes `ids`."""
    shift: Any = getattr(network, "prepare_decoder_input_ids_from_labels", None)
    if shift is not None:
        shifted: list[int] = shift(labels=torch.tensor([ids], device=network.device))[0].tolist()
        return shifted
    return [network.config.decoder_start_token_id, *ids[:-1]]


def _cut_after(tokens: int) -> Message:
    """Say that the text which a model wrote was ended for it."""
    return CountMessage(
        "cut after {count} token: the model did not end its text",
        "cut after {count} tokens: the model did not end its text",
        tokens,
    )
