"""What a walk through the arithmetic needs besides a trace's companions: named parameters, and a decoder's states.

Nothing of it is kept in traces: parameters are read-only, in the model's own memory unless it holds float16, and given
only when asked for by name. The states of a recurrent decoder, which are not attention and so stand on no hook,
come from decoding the same tokens once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from models.experiments.states import DecoderRun, Numbers
from models.hooks import HookPoint
from models.huggingface.block_form import BlockForm
from models.networks.fixed_vector import LastState
from models.networks.memory_models import RecurrentLanguageModel
from models.sites import Site
from models.softmax import HALF
from models.trace import AttentionTrace, frozen_array
from models.translation.translator import Translator

if TYPE_CHECKING:
    from models.huggingface.blocks import Blocks


def parameters_at(model: Translator, place: Site | None, names: Iterable[str]) -> Mapping[str, Numbers]:
    """Return parameters of the part of `model` that computes the attention at `place`, by their names in it."""
    blocks: Blocks | None = getattr(model, "blocks", None)  # of a pretrained model
    if blocks is not None:
        return blocks.parameters_at(place, names)
    path = _owner(model.network, place)
    layer = path.rpartition(".")[0]
    norm = 1 if place is not None and place.kind == "cross" else 0
    last = 2 if place is not None and place.stack == "decoder" else 1
    outer = {"layer": layer, "network": "", "norm": f"{layer}.norms.{norm}", "last_norm": f"{layer}.norms.{last}"}
    found = {}
    for name in names:
        start, _dot, rest = name.partition(".")
        within, named = (outer[start], rest) if start in outer else (path, name)
        module = model.network.get_submodule(within)
        own = _tensor_of(module, named, place)
        values = (_single(own) if own.dtype in HALF else own.detach().numpy()).view()
        values.setflags(write=False)
        found[name] = values
    return found


@lru_cache(maxsize=8)
def _single(values: Tensor) -> Numbers:
    """Return the float32 numbers of half-precision `values`: the next step of a walk asks for the same."""
    return values.detach().float().numpy()


def _tensor_of(module: nn.Module, name: str, place: Site | None) -> Tensor:
    """Return a parameter of a module or of a part of it, or a buffer of its own."""
    try:
        return module.get_parameter(name)
    except AttributeError:
        own = dict(module.named_buffers(recurse=False))
        if name not in own:
            there = ", ".join((*dict(module.named_parameters()), *own))
            message = f"no parameter {name!r} at {place or 'the network'}; there are {there}"
            raise KeyError(message) from None
        return own[name]


def block_form(model: Translator, place: Site) -> BlockForm | None:
    """Return how a causal language model of transformers computes its block at `place`; None of any other model."""
    blocks: Blocks | None = getattr(model, "blocks", None)
    return None if blocks is None else blocks.form_at(place)


def _owner(network: nn.Module, place: Site | None) -> str:
    """Name the module that shows its queries at `place`: its parameters are those of the attention there."""
    if place is None:
        return ""
    query = place.at("query")
    for path, module in network.named_modules():
        if any(isinstance(child, HookPoint) and child.site == query for child in module.children()):
            return str(path)
    message = f"the model has no attention at {place}"
    raise KeyError(message)


def decoder_run(model: Translator, trace: AttentionTrace) -> DecoderRun:
    """Let the recurrent decoder of `model` read once more what it read in `trace`, and keep its states."""
    if trace.provenance.edits:
        message = "the states of an edited run are not those of the model left alone; attend without edits"
        raise ValueError(message)
    network = model.network
    if isinstance(network, RecurrentLanguageModel):
        with torch.inference_mode():
            outputs = network.outputs(torch.tensor([trace.source.ids]))[0]
        return DecoderRun((frozen_array(nn.functional.pad(outputs, (0, 0, 1, 0)).numpy()),))
    with torch.inference_mode():
        memory = network.encode(torch.tensor([trace.source.ids]))
        state = network.start(memory)
        rows = [_flat(state)]
        for position, token in enumerate(trace.target_input.ids):
            _, state = network.step(memory, state, torch.tensor([token]), position)
            rows.append(_flat(state))
    states = tuple(frozen_array(np.stack(each)) for each in zip(*rows, strict=True))
    return DecoderRun(states, _vector(memory))


def _flat(state: Any) -> tuple[Numbers, ...]:
    """Return the parts of a state for one text, each [d]."""
    parts = state if isinstance(state, tuple) else (state,)
    return tuple(part.reshape(-1).numpy() for part in parts)


def _vector(memory: Any) -> Numbers | None:
    """Return what a network without attention leaves for its decoder."""
    if isinstance(memory, LastState):
        memory = torch.cat((memory.hidden, memory.cell))
    return frozen_array(memory.reshape(-1).numpy()) if isinstance(memory, Tensor) else None
