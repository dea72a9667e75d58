"""What hooks cost: one forced forward pass, bare, with hook points, and with a session. `python -m benchmarks.capture`.

Bare is the same network with every hook point taken out: a plain function stands in its place, no module is called.
It is timed twice, so that the noise of the machine stands beside the ratios.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

import models
from benchmarks.measure import Json, Keys, Rounds, interleaved, ratio, report, summary
from models.command import run
from models.hooks import AttentionWeights, HookPoint, capture
from models.networks.moved import GramPoint
from models.softmax import masked_softmax

SENTENCE = (
    "the members of the committee have asked the council to publish the report on safety at work before next month"
)


def _untouched(values: Tensor, first_query: int = 0) -> Tensor:
    return values


def _nothing(*_values: Any) -> None:
    """Show nothing."""


def _softmax_alone(scores: Tensor, mask: Tensor | None, first_query: int = 0) -> Tensor:
    return masked_softmax(scores, mask)


def without_hooks(network: nn.Module) -> nn.Module:
    """Return a copy of `network` in which no hook point is left."""
    bare = copy.deepcopy(network)
    for parent in list(bare.modules()):
        for name, child in list(parent.named_children()):
            plain = type(child) is AttentionWeights  # those of hard and of local attention do more than a softmax
            if plain or isinstance(child, HookPoint):
                delattr(parent, name)
                silent = SimpleNamespace(show=_nothing, show_by_distance=_nothing)
                instead = _softmax_alone if plain else silent if isinstance(child, GramPoint) else _untouched
                setattr(parent, name, instead)
    left = [name for name, each in bare.named_modules() if isinstance(each, HookPoint)]
    if left:
        message = f"hook points left in the bare network: {', '.join(left)}"
        raise RuntimeError(message)
    return bare


def ways_of(model: Any) -> dict[str, Callable[[], Tensor]]:
    """Return the forward passes to compare, on the same source and forced target, and check that they agree."""
    trace = model.attend(SENTENCE)
    source, inputs = torch.tensor([trace.source.ids]), torch.tensor([trace.target_input.ids])
    hooked, bare = model.network, without_hooks(model.network)

    def forward(network: Any) -> Tensor:
        with torch.inference_mode():
            result: Tensor = network.decode(network.encode(source), inputs)
        return result

    def captured() -> Tensor:
        with capture(("*.weights",) if model.heads else (), copies=False):  # as `attend` does
            return forward(hooked)

    ways: dict[str, Callable[[], Tensor]] = {
        "bare": lambda: forward(bare),
        "bare again": lambda: forward(bare),
        "no session": lambda: forward(hooked),
        "session": captured,
    }
    for name, way in ways.items():
        if not torch.allclose(way(), forward(hooked), atol=1e-4):  # an LSTMN that is watched sums over padding too
            message = f"{name} gives other logits: the ways compared are not the same network"
            raise RuntimeError(message)
    return ways


def main(keys: Keys = None, *, rounds: Rounds = 200, json: Json = False) -> None:
    """Measure models and write a table."""
    torch.set_num_threads(1)
    rows = []
    for key in keys or models.catalog():
        times = interleaved(ways_of(models.load(key)), rounds=rounds)
        row = {"model": key, "bare, ms": summary(times["bare"])["median"]}
        row |= {f"{name} / bare": ratio(times[name], times["bare"]) for name in list(times)[1:]}
        rows.append(row)
    title = f"Forward of {len(SENTENCE.split())} words, one thread, medians of {rounds} interleaved rounds"
    report(title, rows, as_json=json)


if __name__ == "__main__":
    run(main)
