"""What a transformers model gave with ``output_attentions=True``, as the fields of a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from torch import Tensor

from models.errors import shortly
from models.huggingface.attention_outputs import (
    CROSS,
    DECODER,
    Maps,
    attentions_in,
    chosen_layers,
    layer_count,
    tensor_of,
)
from models.huggingface.id_tokenizer import IdTokenizer
from models.huggingface.outputs_of_row import RowRequest, one_stack, two_stacks
from models.messages import Message
from models.sites import Site
from models.trace import TraceError
from models.trace.arrays import fields_of


def from_outputs(
    outputs: Any,
    tokenizer: Any,
    input_ids: Any = None,
    *,
    row: int | None = None,
    layers: int | Iterable[int] | None = None,
    attention_mask: Any = None,
    decoder_input_ids: Any = None,
    notes: Iterable[str] = (),
    rows_sum_to_one: bool = True,
    **about: Any,
) -> dict[str, Any]:
    """Return the fields of the record that `AttentionTrace.from_transformers` describes."""
    own, found = IdTokenizer(tokenizer), attentions_in(outputs)
    if isinstance(input_ids, Mapping):  # what the tokenizer gave, as a whole
        attention_mask = input_ids.get("attention_mask") if attention_mask is None else attention_mask
        decoder_input_ids = input_ids.get("decoder_input_ids") if decoder_input_ids is None else decoder_input_ids
        input_ids = input_ids["input_ids"]
    wanted, count = chosen_layers(found, layers), layer_count(found)
    asked = RowRequest(
        outputs=outputs,
        tokenizer=own,
        found=found,
        ids=_grid(input_ids, "input_ids", own),
        decoder_ids=_grid(decoder_input_ids, "decoder_input_ids", own),
        mask=_grid(attention_mask, "attention_mask", own),
        row=row,
        layers=wanted,
        whole=rows_sum_to_one,
    )
    done = (two_stacks if DECODER in found or CROSS in found else one_stack)(asked)
    if wanted is not None and len(wanted) < count:
        named = ", ".join(map(str, wanted))
        notes = (*notes, Message("layers kept, of {count}: {layers}", count=count, layers=named))
    said = {"source_text": own.decode(done.texts.source.ids), "output_text": done.output_text} | about
    return fields_of(_sites(done.maps), done.texts, done.steps, notes=notes, rows_sum_to_one=rows_sum_to_one, **said)


def _sites(maps: Mapping[tuple[str, str], Maps]) -> dict[str | Site, Tensor]:
    return {
        Site(stack, layer, kind): each for (stack, kind), weights in maps.items() for layer, each in weights.items()
    }


def _grid(values: Any, name: str, tokenizer: IdTokenizer) -> Tensor | None:
    """Return ids as [batch, token]; names of tokens are looked up."""
    if values is None:
        return None
    if isinstance(values, str):
        message = f"{name}: got the text {shortly(values)}; expected its ids, tokenizer(text)['input_ids']"
        raise TraceError(message)
    if isinstance(values, Sequence) and values and all(isinstance(each, str) for each in values):
        values = tokenizer.ids_of(values)
    try:
        ids = tensor_of(values)
    except (TypeError, ValueError, RuntimeError) as error:
        message = f"{name}: expected whole numbers [batch, token], or those of one row ({error})"
        raise TraceError(message) from error
    ids = ids[None] if ids.ndim == 1 else ids
    if ids.ndim != 2 or (ids.is_floating_point() and name != "attention_mask"):
        message = f"{name}: got shape {tuple(ids.shape)} of {ids.dtype}; expected whole numbers [batch, token]"
        raise TraceError(message)
    return ids.detach().cpu()
