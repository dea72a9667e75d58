"""How far a run is: what it has seen, the rate that follows from it, where it started, when it keeps a copy."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from safetensors import safe_open

from models.translation.checkpoints import CARD_FILE, read_card


class Schedule(Protocol):
    """What a recipe says of its rate; see `training.recipes.Recipe`."""

    @property
    def learning_rate(self) -> float:
        """The peak."""

    @property
    def warmup_steps(self) -> int:
        """Updates until the peak."""

    @property
    def target_tokens(self) -> int:
        """When to stop."""

    @property
    def decay_share(self) -> float:
        """Over which share of the tokens, the last, the rate falls."""


@dataclass
class Progress:
    """Where a run stands."""

    # updates made; target tokens seen, padding not counted, those of a sibling that it started from among them; epoch
    # and the next batch in it
    step: int = 0
    # updates made; target tokens seen, padding not counted, those of a sibling that it started from among them; epoch
    # and the next batch in it
    tokens: int = 0
    # updates made; target tokens seen, padding not counted, those of a sibling that it started from among them; epoch
    # and the next batch in it
    epoch: int = 0
    # updates made; target tokens seen, padding not counted, those of a sibling that it started from among them; epoch
    # and the next batch in it
    batch: int = 0
    seconds: float = 0.0  # time spent training


def kept_points(target_tokens: int, count: int = 20, first: int = 20_000) -> list[int]:
    """Return the numbers of target tokens at which a run keeps a copy: evenly spaced in their logarithm, to the end."""
    ratio = max(1.0, target_tokens / first)
    return [round(target_tokens / ratio ** (1 - index / (count - 1))) for index in range(count)]


def read_progress(path: Path) -> Progress:
    """Return the progress that a saved state, or averaged weights, carry with them."""
    with safe_open(path, framework="pt") as saved:
        return Progress(**json.loads(saved.metadata()["progress"]))


def learning_rate(recipe: Schedule, progress: Progress) -> float:
    """Return the rate now: a linear rise, a plateau, and a cosine to 0 over the last share of the tokens."""
    rise = min(1.0, (progress.step + 1) / recipe.warmup_steps)
    left = max(0.0, 1 - progress.tokens / recipe.target_tokens)
    fall = 1.0 if left >= recipe.decay_share else 0.5 - 0.5 * math.cos(math.pi * left / recipe.decay_share)
    return recipe.learning_rate * rise * fall


@dataclass(frozen=True)
class ProgressStart:
    """The checkpoint that a run took its first weights from; its target tokens count as seen by the run too."""

    key: str  # such as ``luong-general-en-fr``
    target_tokens: int  # what it had seen


def read_start(path: Path) -> ProgressStart | None:
    """Return where the run of a saved state, or of averaged weights, started from; None if from random weights."""
    with safe_open(path, framework="pt") as saved:
        stored = saved.metadata().get("start")
    return None if stored is None else ProgressStart(**json.loads(stored))


def start_of(path: Path) -> ProgressStart:
    """Say which checkpoint `path` is: weights with their card beside them, or a run's, in the folder of its key."""
    if (path.parent / CARD_FILE).is_file():
        card = read_card(path.parent)
        return ProgressStart(card["key"], card["target_tokens_seen"])
    return ProgressStart(path.parent.name, read_progress(path).tokens)


def curve_of(log: Path) -> str:
    """Return the lines of a run's log that tell of a held-out loss: the curve that is shipped with the weights."""
    lines = log.read_text(encoding="utf8").splitlines(keepends=True)
    return "".join(line for line in lines if "held_out_loss" in json.loads(line))


def last_held_out(log: str) -> float:
    """Return the held-out loss at the end of a run, in nats a target token."""
    return float(json.loads(log.splitlines()[-1])["held_out_loss"])
