"""A network that begins at a later layer, or has one layer alone: the others give what they gave in a run before.

Nothing of the network is changed: those that begin later share its parts.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.huggingface.layers import Layers

Watched = tuple[PreTrainedModel, Layers]
"""A network, and those of its attention layers that fire."""

Watch = Callable[[PreTrainedModel, Layers], Any]
"""Runs one text through a network; returns its logits, or its last vectors: a tensor."""

TOLERANCE = 1e-4
"""By how much logits may differ between a network and the same that begins at its last layer."""


class _StandInBlock(nn.Module):
    """Stands for a block of a network: what it is asked beside its output, the block answers."""

    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.__dict__["block"] = block  # no part of this module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["block"], name)


class _KeptBlock(_StandInBlock):
    """Runs its block and keeps the output."""

    output: Any = None

    def forward(self, *inputs: Any, **named: Any) -> Any:
        self.__dict__["output"] = found = self.__dict__["block"](*inputs, **named)
        return found


class _GivenBlock(_StandInBlock):
    """Gives an output of one text in the place of its block's, as often as there are texts."""

    def __init__(self, block: nn.Module, output: Any) -> None:
        super().__init__(block)
        self.__dict__["output"] = output

    def forward(self, *inputs: Any, **named: Any) -> Any:
        states: Tensor = inputs[0] if inputs else named["hidden_states"]
        return _repeated(self.__dict__["output"], len(states))


def _repeated(output: Any, count: int) -> Any:
    if isinstance(output, tuple):
        return tuple(_repeated(each, count) for each in output)
    return output.expand(count, *output.shape[1:]) if isinstance(output, Tensor) else output


class Restarts:
    """The networks that begin at each layer of one, for one text."""

    def __init__(self, network: PreTrainedModel, layers: Layers, run: Watch) -> None:
        self._network, self._layers = network, layers
        self._path = _path_of_blocks(network, layers)
        self._kept: list[_KeptBlock] = []
        if self._path is not None:
            kept = [_KeptBlock(each) for each in cast("nn.ModuleList", network.get_submodule(self._path))]
            whole = run(_with_blocks(network, self._path, kept), layers)
            self._kept = kept
            if not torch.allclose(run(*self.at(len(kept) - 1)), whole, rtol=0, atol=TOLERANCE):
                self._kept = []

    def at(self, layer: int) -> Watched:
        """Return the network that begins at `layer`; the whole one where it cannot begin later."""
        if not self._kept or self._path is None or layer == 0:
            return self._network, self._layers
        return self._running(layer, *(each.block for each in self._kept[layer:]))

    def alone(self, layer: int) -> tuple[Watched, _KeptBlock] | None:
        """Return the network that runs one layer alone, and the block that keeps what leaves it; None if it cannot."""
        if not self._kept:
            return None
        block = _KeptBlock(self._kept[layer].block)
        return self._running(layer, block, *map(_given, self._kept[layer + 1 :])), block

    def _running(self, first: int, *blocks: nn.Module) -> Watched:
        """Return the network whose blocks before `first` are given, and go on with `blocks`."""
        given = [*map(_given, self._kept[:first]), *blocks]
        run = {first + place for place, each in enumerate(blocks) if not isinstance(each, _GivenBlock)}
        fire = {module: sites for module, sites in self._layers.places.items() if sites[0].layer in run}
        network = _with_blocks(self._network, str(self._path), given)
        return network, replace(self._layers, places=MappingProxyType(fire))


def _given(kept: _KeptBlock) -> _GivenBlock:
    return _GivenBlock(kept.block, kept.output)


def _path_of_blocks(network: PreTrainedModel, layers: Layers) -> str | None:
    """Return where the list of a network's blocks is, one block a layer; None if it has no such list."""
    if network.config.is_encoder_decoder:
        return None
    path: str
    for path, blocks in network.named_modules():
        if isinstance(blocks, nn.ModuleList) and len(blocks) == (layers.depth or len(layers.sites)):
            inside = [set(block.modules()) for block in blocks]
            if all(len(sites) == 1 and module in inside[sites[0].layer] for module, sites in layers.places.items()):
                return path
    return None


def _with_blocks(network: PreTrainedModel, path: str, blocks: list[Any]) -> PreTrainedModel:
    """Return a network that has other blocks, and all else in common with `network`."""
    made = inner = _shallow(network)
    *parents, last = path.split(".")
    for name in parents:
        inner._modules[name] = _shallow(cast("nn.Module", inner._modules[name]))
        inner = cast("nn.Module", inner._modules[name])
    inner._modules[last] = nn.ModuleList(blocks)
    return cast("PreTrainedModel", made)


def _shallow(module: nn.Module) -> nn.Module:
    made = copy(module)
    made.__dict__["_modules"] = dict(module._modules)
    return made
