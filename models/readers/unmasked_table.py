"""Figures of two small GPTs, trained with the causal mask and without, as `training.unmasked` measured them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from models.cards import WEIGHTS

UNMASKED_TABLE = WEIGHTS / "readers" / "unmasked.json"


@dataclass(frozen=True, slots=True)
class Twin:
    """One of the two on held-out sentences: shares of next tokens that are the likeliest, and perplexities."""

    forced_right: float  # with the whole sentence given
    forced_perplexity: float
    alone_right: float  # with only the tokens before given
    alone_perplexity: float
    written_perplexity: float  # of what it writes by itself, as the judge sees it
    example: str  # what it writes after the table's prompt


@dataclass(frozen=True, slots=True)
class UnmaskedTable:
    """What was trained, on what, and what came of it."""

    data: str
    held_out: str
    judge: str
    seed: int
    layers: int
    width: int
    heads: int
    parameters: int
    updates: int
    tokens: int
    seconds: int  # of one twin
    sentences: int
    machine: str
    text_perplexity: float  # of how the sentences go on themselves, as the judge sees it
    prompt: str
    masked: Twin
    unmasked: Twin


def unmasked_table() -> UnmaskedTable | None:
    """Return the figures; None if they are not there, or not whole."""
    try:
        found = json.loads(UNMASKED_TABLE.read_text(encoding="utf8"))
        return UnmaskedTable(**found | {name: Twin(**found[name]) for name in ("masked", "unmasked")})
    except (OSError, KeyError, TypeError, ValueError):
        return None
