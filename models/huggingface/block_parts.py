"""Where the parts of a block of a causal network are, by family, and what their modules compute with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from models.huggingface.block_form import ACTIVATIONS, BlockForm
from models.huggingface.run import Facts

_LLAMA = {
    "norm": "input_layernorm",
    "query": "self_attn.q_proj",
    "key": "self_attn.k_proj",
    "value": "self_attn.v_proj",
    "output": "self_attn.o_proj",
    "second_norm": "post_attention_layernorm",
    "gate": "mlp.gate_proj",
    "expand": "mlp.up_proj",
    "contract": "mlp.down_proj",
    "activation": "mlp.act_fn",
}
_PHI = {
    **{name: _LLAMA[name] for name in ("norm", "output", "second_norm", "contract")},
    "packed": "self_attn.qkv_proj",
    "packed_gate": "mlp.gate_up_proj",
    "activation": "mlp.activation_fn",
}
_GPT2 = {
    "norm": "ln_1",
    "packed": "attn.c_attn",
    "output": "attn.c_proj",
    "second_norm": "ln_2",
    "expand": "mlp.c_fc",
    "contract": "mlp.c_proj",
    "activation": "mlp.act",
}
_NEOX = {
    "norm": "input_layernorm",
    "packed_by_head": "attention.query_key_value",
    "output": "attention.dense",
    "second_norm": "post_attention_layernorm",
    "expand": "mlp.dense_h_to_4h",
    "contract": "mlp.dense_4h_to_h",
    "activation": "mlp.act",
}
LAYOUTS = (_LLAMA, _PHI, _GPT2, _NEOX)
"""Modules of a block by their part; ``packed`` has query, key and value in one, ``packed_gate`` gate and expand."""

_FINAL_NORMS = ("norm", "ln_f", "final_layer_norm")
_POSITIONS, _ROTARY = "wpe", "rotary_emb"
_CLOSE = 1e-5


@dataclass(frozen=True, eq=False)
class BlockParts:
    """The modules of one block."""

    block: nn.Module
    by_name: Mapping[str, nn.Module]
    facts: Facts

    @property
    def is_gated(self) -> bool:
        """Whether its feed-forward layer has a gate."""
        return bool({"gate", "packed_gate"} & self.by_name.keys())

    def split(self, name: str, values: Tensor) -> dict[str, Tensor]:
        """Return rows, or columns of an output, of the module `name` by the part that they are of.

        Shapes: `values` [row, ...].
        """
        size, heads, shared = self.facts.d_head, self.facts.heads, self.facts.key_heads
        sizes = [heads * size, shared * size, shared * size]
        if name == "packed":
            return dict(zip(("query", "key", "value"), torch.split(values, sizes), strict=True))
        if name == "packed_by_head":
            by_head = values.reshape(heads, 3, size, *values.shape[1:]).unbind(1)  # three of [head, d_head, ...]
            return dict(zip(("query", "key", "value"), [each.flatten(0, 1) for each in by_head], strict=True))
        if name == "packed_gate":
            return dict(zip(("gate", "expand"), values.chunk(2), strict=True))
        return {name: values}


def parts_of(network: PreTrainedModel, attention: nn.Module, facts: Facts) -> BlockParts | None:
    """Return the modules of the block that has this attention; None if its family is not known."""
    path = next((name for name, module in network.named_modules() if module is attention), "")
    block = network.get_submodule(path.rpartition(".")[0])
    for layout in LAYOUTS:
        try:
            found = {name: block.get_submodule(place) for name, place in layout.items()}
        except AttributeError:
            continue
        if attention in block.children():
            return BlockParts(block, MappingProxyType(found), facts)
    return None


def form_of(network: PreTrainedModel, parts: BlockParts, layers: int) -> BlockForm | None:
    """Return how a block says that it computes; None where that is none of the known ways."""
    facts, norm = parts.facts, parts.by_name["norm"]
    epsilon = getattr(norm, "eps", getattr(norm, "variance_epsilon", None))
    activation = _activation(parts.by_name["activation"])
    plain = facts.softcap is None and not (facts.biased or facts.sinks or facts.sparse or facts.unknown)
    if not isinstance(epsilon, float) or activation is None or not plain or "table.weight" not in outer(network):
        return None
    frequencies = outer(network).get("frequencies")
    return BlockForm(
        is_rms=not isinstance(norm, nn.LayerNorm),
        epsilon=epsilon,
        turned=0 if frequencies is None else 2 * len(frequencies),
        has_positions="positions.weight" in outer(network),
        activation=activation,
        is_gated=parts.is_gated,
        is_parallel=bool(getattr(parts.block, "use_parallel_residual", False)),
        heads=facts.heads,
        key_heads=facts.key_heads,
        d_head=facts.d_head,
        window=facts.window or 0,
        layers=layers,
    )


def _activation(module: nn.Module) -> str | None:
    """Return which of the known functions a module computes, tried on numbers."""
    given = np.linspace(-6, 6, 49)
    with torch.inference_mode():
        made = module(torch.from_numpy(given)).numpy()
    return next((name for name, each in ACTIVATIONS.items() if np.abs(each(given) - made).max() < _CLOSE), None)


def outer(network: PreTrainedModel) -> dict[str, Tensor]:
    """Return what the blocks of a network share: embedding, positions, closing norm and the table of the next token."""
    base: Any = network.base_model
    tables = {"embedding": network.get_input_embeddings(), "table": network.get_output_embeddings()}  # type: ignore[no-untyped-call]
    norm = next((each for name in _FINAL_NORMS if (each := getattr(base, name, None)) is not None), None)
    tables |= {"final_norm": norm, "positions": getattr(base, _POSITIONS, None)}
    found: dict[str, Tensor] = {}
    for name, module in tables.items():
        if module is not None:
            found |= weights_of(name, module)
    frequencies = getattr(getattr(base, _ROTARY, None), "inv_freq", None)
    return found if frequencies is None else {**found, "frequencies": frequencies}


def inner(parts: BlockParts, names: frozenset[str]) -> dict[str, Tensor]:
    """Return the weights and biases of the parts `names` of a block; a bias that there is not is 0."""
    found: dict[str, Tensor] = {}
    for name, module in parts.by_name.items():
        if name == "activation":
            continue
        for kind, values in weights_of("", module).items():
            split = parts.split(name, values)
            found |= {f"{part}{kind}": rows for part, rows in split.items() if part in names}
    return found


def weights_of(name: str, module: nn.Module) -> dict[str, Tensor]:
    """Return the weight of a module, [out, in], and its bias."""
    weight: Tensor = module.weight  # type: ignore[assignment]
    weight = weight.T if isinstance(module, Conv1D) else weight
    bias = getattr(module, "bias", None)
    rows = len(weight)
    return {f"{name}.weight": weight, f"{name}.bias": weight.new_zeros(rows) if bias is None else bias}


def as_numbers(values: Tensor) -> NDArray[np.float32]:
    """Return parameters as numbers that nobody changes: the network's own memory where they are float32 there."""
    found: NDArray[np.float32] = values.detach().float().cpu().numpy().view()
    found.setflags(write=False)
    return found
