"""Order of steps that all mechanisms share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from viz.walk.steps import WalkStep

_ORDER = (
    "embed",
    "normalise",
    "convolve",
    "gate",
    "project",
    "rotate",
    "share",
    "vector",
    "keys",
    "features",
    "centre",
    "product",
    "distance",
    "scores",
    "scaling",
    "split",
    "mask",
    "softmax",
    "gaussian",
    "choose",
    "value",
    "context",
    "spread",
    "merge",
    "add",
    "renormalise",
    "expand",
    "feedforward",
    "residual",
    "next",
    "predict",
    "feed",
)
"""All steps, in an order that every mechanism keeps."""


def nearest_step(wanted: str, steps: Sequence[str]) -> str | None:
    """Return the one of `steps` that is furthest but not beyond `wanted`; None if no mechanism has such a step."""
    if wanted not in _ORDER:
        return None
    reached = [each for each in steps if _ORDER.index(each) <= _ORDER.index(wanted)]
    return reached[-1] if reached else steps[0]


def all_steps(walks: Sequence[Sequence[WalkStep]]) -> dict[str, str]:
    """Return the steps of several walks, each once: title by key, in order."""
    titles = {step.key: step.title for steps in reversed(walks) for step in steps}
    return {key: titles[key] for key in sorted(titles, key=_ORDER.index)}


def keep_step(pictures: Sequence[dict[str, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the pictures, each told which of its steps belongs to each of the steps of all."""
    told = []
    for picture in pictures:
        own = [step["key"] for step in picture["steps"]]
        told.append({**picture, "at": {key: own.index(nearest_step(key, own)) for key in titles}})
    return told
