"""What a configuration describes against what the files hold, before any memory is taken for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from math import prod
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from transformers import AutoModel

from models.errors import InputError
from models.huggingface.files import is_weights
from models.huggingface.layers import attention_for
from models.messages import Message

SPARE_LAYERS = 100
"""Layers that there may be beyond the number of tensors: layers may share theirs."""

SPARE_BYTES = 256 * 2**20
"""What tables that no file holds may take: positions, masks."""

_NO_COUNTS = frozenset(("max_window_layers",))
"""Settings called like a number of layers that are none: from which layer on windows begin."""

_FLOAT = 4


def held_numbers(folder: Path) -> dict[str, int]:
    """Return how many numbers each tensor in the weight files of `folder` has; only their headers are read."""
    held: dict[str, int] = {}
    for path in sorted(folder.iterdir()):
        if is_weights(path.name):
            with safe_open(path, framework="pt") as file:
                held |= {name: prod(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - no mapping
    return held


def check_sizes(folder: Path, config: Any, title: str, opener: Any) -> None:
    """Refuse a configuration that describes much more than the files hold."""
    check_described(held_numbers(folder), config, title, opener)


def check_described(held: Mapping[str, int], config: Any, title: str, opener: Any) -> None:
    """Refuse a configuration that describes much more than `held`, how many numbers each tensor has.

    The network is built on the meta device, which holds shapes and no numbers.
    """
    layers = max(_layer_counts(config.to_dict()), default=0)
    if layers > len(held) + SPARE_LAYERS:
        message = Message(
            "{title}: its configuration describes {layers:,} layers, but its files contain {count:,} tensors.",
            title=title,
            layers=layers,
            count=len(held),
        )
        raise InputError(message)
    with torch.device("meta"):
        own = deepcopy(config)
        build: Any = (AutoModel if type(own) in AutoModel._model_mapping else opener).from_config
        network = build(own, attn_implementation=attention_for(own.model_type), dtype=torch.float32)
    described = sum(each.nbytes for each in (*network.parameters(), *network.buffers()))
    if described > 2 * _FLOAT * sum(held.values()) + SPARE_BYTES:
        message = Message(
            "{title}: its configuration describes {described} of weights, but its files contain {held}.",
            title=title,
            described=_megabytes(described),
            held=_megabytes(_FLOAT * sum(held.values())),
        )
        raise InputError(message)


def _layer_counts(values: Mapping[Any, Any]) -> Iterator[int]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _layer_counts(value)
        elif isinstance(value, int) and _counts_layers(str(name)):
            yield value


def _counts_layers(name: str) -> bool:
    """Return whether a setting says how many layers there are: ``num_hidden_layers``, not ``..._per_layer_input``."""
    return (name.endswith("layers") or name in ("n_layer", "depth", "num_blocks")) and name not in _NO_COUNTS


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.0f} MB"
