"""Runs attention mechanisms on a sentence and returns an `AttentionTrace`.

Examples
--------
>>> from models import catalog, load
>>> "bahdanau-en-fr" in catalog()
True
>>> load("bahdanau-en-fr").attend("The cat sleeps.").sites
(Site(stack='decoder', layer=0, kind='cross', quantity=''),)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.edits import Edit
    from models.errors import InputError
    from models.keys import is_pretrained
    from models.loading import load, load_pretrained, load_translator
    from models.mechanisms import Mechanism
    from models.model import Model
    from models.registry import catalog, describe, pretrained, training_runs
    from models.sites import Site
    from models.trace import AttentionMap, AttentionTrace, TokenSequence
    from models.translation.beam import beam_search
    from models.translation.entry import Entry
    from models.translation.hypothesis import Hypothesis
    from models.writing import Writing

__all__ = [
    "AttentionMap",
    "AttentionTrace",
    "Edit",
    "Entry",
    "Hypothesis",
    "InputError",
    "Mechanism",
    "Model",
    "Site",
    "TokenSequence",
    "Writing",
    "beam_search",
    "catalog",
    "describe",
    "is_pretrained",
    "load",
    "load_pretrained",
    "load_translator",
    "pretrained",
    "training_runs",
]

_HOMES = {
    "AttentionMap": "trace",
    "AttentionTrace": "trace",
    "Edit": "edits",
    "Entry": "translation.entry",
    "Hypothesis": "translation.hypothesis",
    "InputError": "errors",
    "Mechanism": "mechanisms",
    "Model": "model",
    "Site": "sites",
    "TokenSequence": "trace",
    "Writing": "writing",
    "beam_search": "translation.beam",
    "catalog": "registry",
    "describe": "registry",
    "is_pretrained": "keys",
    "load": "loading",
    "load_pretrained": "loading",
    "load_translator": "loading",
    "pretrained": "registry",
    "training_runs": "registry",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing `models` stays light."""
    if name not in _HOMES:
        message = f"module 'models' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(importlib.import_module(f"models.{_HOMES[name]}"), name)
