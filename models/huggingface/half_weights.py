"""Weights that stay in memory as their file has them, in float16; each layer's are float32 while it computes.

Every float16 number is a float32 number, so that nothing changes but the memory: half of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import nn

from models.huggingface.files import is_weights
from models.huggingface.layers import attention_for
from models.huggingface.linear import HalfLinear
from models.networks.seeding import building


def open_half(opener: Any, folder: Path, config: Any) -> tuple[Any, Any] | None:
    """Return a network and what of it was found, as `from_pretrained` does; None if it cannot be had without loss."""
    files = [path for path in sorted(folder.iterdir()) if is_weights(path.name)]
    held: dict[str, Any] = {}
    for path in files:
        file: Any = safe_open(path, framework="pt", backend="pread")  # mapped, all of it would count as memory
        held |= {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    with building():
        kind = opener._model_mapping[type(config)]  # with no folder an opener has no name to look up
        network, found = kind.from_pretrained(
            None,
            config=config,
            state_dict=held,
            attn_implementation=attention_for(config.model_type),
            dtype=torch.float16,
            output_loading_info=True,
        )
    if any(each.is_floating_point() and each.dtype != torch.float32 for each in network.buffers()):
        return None
    table = network.get_input_embeddings().weight
    shared: dict[int, nn.Parameter] = {}
    for place, module in network.named_modules():
        halved = type(module) is nn.Linear and module.weight is not table
        for name, values in list(module.named_parameters(recurse=False)):
            source = held.get(f"{place}.{name}")
            exact = source is None or source.get_dtype() == "F16"
            if halved and name == "weight" and source is not None and exact:
                del module.weight
                module.register_buffer("weight", values.detach())
                module.__class__ = HalfLinear
                continue
            if id(values) not in shared:
                numbers = values if exact or source is None else source[...]
                shared[id(values)] = nn.Parameter(numbers.detach().float(), requires_grad=False)
            setattr(module, name, shared[id(values)])
    return network, found
