"""What a pattern of attention leaves of a map, and of the ways between tokens."""

from __future__ import annotations

import numpy as np

from models.edits import TopK
from models.edits.edit import Array
from models.edits.patterns import Limit
from models.trace import AttentionTrace


def share_kept(weights: Array, edit: Limit) -> float:
    """Return the share of weights, [head, query, key], on the keys that `edit` leaves."""
    left = edit.apply(weights) > 0 if isinstance(edit, TopK) else edit.apply(np.ones(weights.shape, dtype=bool))
    return float((weights * left).sum(axis=-1).mean())


def pairs_met(trace: AttentionTrace) -> float:
    """Return the share of pairs of tokens whose states can know of each other after all encoder layers."""
    known = np.eye(len(trace.source), dtype=bool)
    for each in trace:
        if each.site.stack == "encoder":
            known = (each.weights > 0).any(axis=0).astype(int) @ known > 0
    return float(known.mean())
