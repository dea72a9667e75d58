"""Figures of the classifier on [CLS] by `training.readers.classifier`, and whether a model has one."""

from __future__ import annotations

import json
from typing import Any

from models.cards import WEIGHTS
from models.keys import identity_of

CLASSIFIER_FIGURES = WEIGHTS / "readers" / "bert-en" / "classifier.json"
CLASSIFIER_WEIGHTS = WEIGHTS / "readers" / "bert-en" / "classifier.safetensors"


def classifier_figures() -> dict[str, Any] | None:
    """Return how often each is right on held-out sentences, and which heads changed there; None if it is not there."""
    try:
        found: dict[str, Any] = json.loads(CLASSIFIER_FIGURES.read_text(encoding="utf8"))
    except (OSError, ValueError):
        return None
    return found if CLASSIFIER_WEIGHTS.is_file() else None


def classifies(key: str, sha256: str) -> bool:
    """Return whether there is a classifier on [CLS] of the model of `key` with weights of this hash."""
    found = classifier_figures()
    return found is not None and (found["base"], found["base_sha256"]) == (identity_of(key), sha256)
