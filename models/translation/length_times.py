"""How long one encoder layer takes by the length of the text, as `benchmarks.length` measured it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from models.messages import Message
from models.translation.checkpoints import WEIGHTS, CheckpointError

TIMES_FILE = "length-times.json"


@dataclass(frozen=True, slots=True)
class LengthTimes:
    """What was measured on one machine."""

    machine: str
    runs: int  # of each length; the fastest counts
    tokens: tuple[int, ...]
    sha256: Mapping[str, str]  # by model
    milliseconds: Mapping[str, tuple[float, ...]]  # by model, of one thread's time on a processor


def length_times(pair: str) -> LengthTimes | None:
    """Return the times of a language pair; None if none were measured, CheckpointError if they are not whole."""
    path = WEIGHTS / pair / TIMES_FILE
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf8"))
        times = {key: tuple(each) for key, each in found.pop("milliseconds").items()}
        return LengthTimes(**{**found, "tokens": tuple(found["tokens"]), "milliseconds": times})
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        message = Message(
            "{folder}/{file}: incomplete ({error}). Download it again.", folder=pair, file=path.name, error=error
        )
        raise CheckpointError(message) from error
