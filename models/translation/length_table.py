"""The table of BLEU by source length that `training.lengths` measured, as it lies beside the weights."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Any

from models.messages import Message
from models.translation.checkpoints import WEIGHTS, CheckpointError

LENGTHS_FILE = "lengths.csv"


@dataclass(frozen=True, slots=True)
class LengthRow:
    """One model on the sources of one span of lengths."""

    key: str  # of the model
    file: str  # the held-out file
    fewest: int  # words of the sources, as white space parts them
    most: int  # words of the sources, as white space parts them
    sentences: int
    bleu: float
    low: float  # the 95% interval of a bootstrap over the sentences
    high: float  # the 95% interval of a bootstrap over the sentences
    target_tokens: int  # that the model saw in training


def trained_on(card: Mapping[str, Any], file: str) -> bool:
    """Return whether a model's training text has lines of the source that a held-out file is from."""
    source = file.partition(".")[0]
    return any(PurePosixPath(each["path"]).name.startswith(source) for each in card.get("recipe", {}).get("files", ()))


def length_table(pair: str) -> tuple[LengthRow, ...]:
    """Return the table of a language pair; nothing if it was not measured, CheckpointError if it is not whole."""
    path = WEIGHTS / pair / LENGTHS_FILE
    if not path.is_file():
        return ()
    kinds = {"str": str, "int": int, "float": float}
    try:
        with path.open(encoding="utf8", newline="") as lines:
            found = tuple(
                LengthRow(**{each.name: kinds[str(each.type)](row[each.name]) for each in fields(LengthRow)})
                for row in csv.DictReader(lines)
            )
        if not found:
            raise EOFError
    except (OSError, KeyError, TypeError, ValueError, EOFError, csv.Error) as error:
        message = Message(
            "{folder}/{file}: incomplete ({error}). Download it again.", folder=pair, file=path.name, error=error
        )
        raise CheckpointError(message) from error
    return found
