"""Ways to read a second segment with a model of absolute positions, and figures of them by `training.segments`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, get_args

from models.cards import WEIGHTS

SEGMENT_TABLE = WEIGHTS / "readers" / "segments.json"

Way = Literal["off", "boundary", "anew", "on"]
WAYS: tuple[Way, ...] = get_args(Way)
"""Recurrence off; off, the boundary token before it; on, positions beginning anew; on, positions going on."""


@dataclass(frozen=True, slots=True)
class WayFigures:
    """What one way of reading gives on held-out text."""

    perplexity: float  # of the tokens of the second segment but the first
    in_memory: float  # share of the attention weight on the segment before, mean of all heads and tokens
    by_distance: tuple[float, ...]  # the same share, token by token back from the last of the segment before


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """What was read, and what came of it."""

    data: str
    model: str
    texts: int
    tokens: int  # predicted
    segment: int  # tokens of a segment
    context: int  # positions that the model has
    ways: dict[Way, WayFigures]


def segment_table() -> SegmentTable | None:
    """Return the figures; None if they are not there, or not whole."""
    try:
        found = json.loads(SEGMENT_TABLE.read_text(encoding="utf8"))
        ways = {way: WayFigures(**found["ways"][way]) for way in WAYS}
        return SegmentTable(**found | {"ways": ways})
    except (OSError, KeyError, TypeError, ValueError):
        return None
