"""The figures of one wrong word over a corpus that `training.wrong_words` measured, as they lie beside the weights."""

from __future__ import annotations

import json
from dataclasses import dataclass

from models.messages import Message
from models.translation.checkpoints import WEIGHTS, CheckpointError

WRONG_WORDS_FILE = "wrong-words.json"
MOST_WORDS = 12
"""Words after the wrong one that are looked at."""


@dataclass(frozen=True, slots=True)
class WrongWordRow:
    """One model."""

    key: str
    sentences: int
    differ: tuple[float, ...]  # share of translations that differ still, by words after the wrong one
    lost: tuple[float, ...]  # nats that the right words lose, forced


def wrong_word_table(pair: str) -> tuple[WrongWordRow, ...]:
    """Return the figures of a language pair; nothing if none were measured, CheckpointError if they are not whole."""
    path = WEIGHTS / pair / WRONG_WORDS_FILE
    if not path.is_file():
        return ()
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        return tuple(
            WrongWordRow(key, row["sentences"], tuple(row["differ"]), tuple(row["lost"])) for key, row in found.items()
        )
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        message = Message(
            "{folder}/{file}: incomplete ({error}). Download it again.", folder=pair, file=path.name, error=error
        )
        raise CheckpointError(message) from error
