"""Figures of four small Transformers, pre- and post-LN, with and without warm-up (`training.stability`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from models.cards import WEIGHTS

STABILITY_TABLE = WEIGHTS / "training" / "stability.json"


@dataclass(frozen=True, slots=True)
class StabilityRun:
    """One run, measured at the points of its table."""

    pre_norm: bool
    warmup: int  # updates until the full learning rate; 1: none
    seed: int
    losses: tuple[float, ...]  # [point] held-out, nats a target token
    aligned: tuple[float, ...]  # [point] share of target words whose strongest source token is the right one
    gradients: tuple[tuple[float, ...], ...]  # [point, layer] L2 length; encoder layers, then decoder layers

    @property
    def twin(self) -> tuple[bool, bool]:
        """Which of the four it is: whether pre-LN, whether with warm-up."""
        return self.pre_norm, self.warmup > 1


@dataclass(frozen=True, slots=True)
class StabilityTable:
    """What was trained, on what, and what came of it."""

    words: int
    shortest: int  # words of a sentence
    longest: int
    layers: int  # of the encoder, and as many of the decoder
    width: int
    heads: int
    feed_forward: int
    parameters: int
    sentences: int  # of a batch
    learning_rate: float
    warmup: int  # updates until it is reached, of the twins with warm-up
    held_out: int  # sentences
    seconds: int  # of all runs
    machine: str
    chance: float  # share of target words that a source token at random would be right for
    points: tuple[int, ...]  # updates
    runs: tuple[StabilityRun, ...]


def stability_table() -> StabilityTable | None:
    """Return the figures; None if they are not there, or not whole."""
    try:
        found = json.loads(STABILITY_TABLE.read_text(encoding="utf8"))
        runs = tuple(StabilityRun(**{name: frozen(value) for name, value in each.items()}) for each in found["runs"])
        return StabilityTable(**{name: frozen(value) for name, value in found.items()} | {"runs": runs})
    except (OSError, KeyError, TypeError, ValueError):
        return None


def frozen(value: Any) -> Any:
    """Return a value of a JSON file, its lists as tuples."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value
