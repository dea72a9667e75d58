"""BLEU of encoders limited to a pattern of attention, as `training.patterns` measured it and left it by the weights."""

from __future__ import annotations

import json
from dataclasses import dataclass

from models.messages import Message
from models.translation.checkpoints import WEIGHTS, CheckpointError

PATTERNS_FILE = "patterns.json"


@dataclass(frozen=True, slots=True)
class PatternRow:
    """BLEU of one pattern."""

    pattern: str  # One of `models.edits.PATTERNS`; empty where nothing is limited
    size: int
    keys: float  # that a query may attend to, mean over all tokens
    bleu: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PatternTable:
    """What was measured of one model."""

    sha256: str
    file: str
    sentences: int
    tokens: float  # of a sentence, mean
    rows: tuple[PatternRow, ...]


def pattern_table(pair: str) -> dict[str, PatternTable]:
    """Return the figures of a language pair by model; CheckpointError if they are not whole."""
    path = WEIGHTS / pair / PATTERNS_FILE
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        return {
            key: PatternTable(**{**table, "rows": tuple(PatternRow(**row) for row in table["rows"])})
            for key, table in found.items()
        }
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        message = Message(
            "{folder}/{file}: incomplete ({error}). Download it again.", folder=pair, file=path.name, error=error
        )
        raise CheckpointError(message) from error
