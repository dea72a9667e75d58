"""A shipped checkpoint, described without loading it. Importing it does not import torch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models import keys
from models.errors import UnknownModelError
from models.mechanisms import Mechanism, mechanisms
from models.messages import Message, mark
from models.translation.checkpoints import (
    CARD_FILE,
    CheckpointError,
    read_card,
)

LANGUAGES = {"en": mark("English"), "fr": mark("French"), "zh": mark("Chinese")}


@dataclass(frozen=True)
class Entry:
    """What can be loaded, described without loading it.

    Parameters
    ----------
    key : str
        What `load` takes, such as ``bahdanau-en-fr``.
    mechanism : Mechanism
    pair : str
        Language pair, such as ``en-fr``.
    card : dict
        What ``card.json`` says: data, credit, recipe, figures.
    folder : Path
        Where it lies.
    """

    key: str
    mechanism: Mechanism
    pair: str
    card: dict[str, Any]
    folder: Path

    @property
    def source_language(self) -> str:
        """The language that it reads, in English."""
        return LANGUAGES[self.pair.split("-")[0]]

    @property
    def target_language(self) -> str:
        """The language that it writes, in English."""
        return LANGUAGES[self.pair.split("-")[1]]

    @property
    def sha256(self) -> str:
        """The hash of the weights file."""
        return str(self.card["sha256"])


def read_entry(folder: Path) -> Entry:
    """Return what the card in `folder` says; CheckpointError if it is not whole or of no known mechanism."""
    card = read_card(folder)
    if card["mechanism"] not in mechanisms():
        message = Message(
            "{folder}: unknown mechanism {name!r}; available are {known}",
            folder=folder.name,
            name=card["mechanism"],
            known=", ".join(mechanisms()),
        )
        raise CheckpointError(message)
    return Entry(card["key"], mechanisms()[card["mechanism"]], card["pair"], card, folder)


def at_point(entry: Entry, point: int) -> Entry:
    """Return what the card says of a model as it was at a point of its training that is kept."""
    if "points" not in entry.card:
        lacking = Message("{folder}/{file}: {names} missing", folder=entry.key, file=CARD_FILE, names="points")
        raise CheckpointError(lacking)
    points, key = entry.card["points"], keys.at_point(entry.key, point)
    if not 1 <= point <= len(points):
        known = f"{keys.at_point(entry.key, 1)} … {keys.at_point(entry.key, len(points))}"
        raise UnknownModelError(Message("no checkpoint {key}; available are {known}", key=key, known=known))
    return replace(entry, key=key, card={**entry.card, **points[point - 1], "key": key, "point": point})
