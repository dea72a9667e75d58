"""Finds and describes what can be loaded. Importing it does not import torch."""

from __future__ import annotations

from pathlib import Path

from models.captioning.entry import describe_captioner, is_captioner
from models.cards import CARD_FILE, kept_while_unchanged
from models.errors import UnknownModelError, shortly
from models.huggingface.embedded import local_models
from models.keys import check_key, mechanism_of, pair_of, split_point
from models.mechanisms import mechanisms
from models.messages import Message
from models.translation.checkpoints import CheckpointError, kept_folders, shipped_folders
from models.translation.entry import LANGUAGES, Entry, at_point, read_entry


def catalog() -> tuple[str, ...]:
    """Return the keys of the translation models that `load` takes: by language pair, older mechanisms first.

    Only the names of the folders are read, so that a checkpoint that is not whole hides none of the others:
    `describe` and `load` say what is wrong with it.
    """
    return tuple(sorted(shipped_folders(), key=_place))


def training_runs() -> tuple[str, ...]:
    """Return the keys of the runs of which points of their training are kept, older mechanisms first.

    `load` and `describe` take such a key with a point behind it, ``bahdanau-en-fr@07``, from 1 on; how many there are,
    and what each had seen, is in ``card["points"]`` of any of them. They are small models of their own, trained for
    this, and none of `catalog()`.
    """
    return tuple(sorted(kept_folders(), key=_place))


def pretrained() -> tuple[str, ...]:
    """Return the keys of the pretrained models that `load` takes without a network: ``hf:minilm`` if it is installed.

    ``hf:owner/name`` of the hub is in no list.
    """
    return tuple(local_models())


def _place(key: str) -> tuple[str, int, str]:
    """Return where `key` stands in lists: its pair, then its mechanism's place; one of no known mechanism is last."""
    known = list(mechanisms())
    own = mechanism_of(key)
    return pair_of(key), known.index(own) if own in known else len(known), key


def describe(key: str) -> Entry:
    """Describe the checkpoint `key`.

    Parameters
    ----------
    key : str
        One of `catalog()` or `captioners()`, or of `training_runs()` with a point.

    Raises
    ------
    UnknownModelError
        An InputError and a KeyError: if it is not shipped; names those that there are.
    InputError
        If it can be no key.
    """
    check_key(key)
    if is_captioner(key):
        return describe_captioner(key)
    base, point = split_point(key)
    folder = (shipped_folders() if point is None else kept_folders()).get(base)
    if folder is None:
        known = ", ".join(catalog()) or Message("none")
        raise UnknownModelError(Message("no checkpoint {key}; available are {known}", key=shortly(key), known=known))
    if point is not None:
        return at_point(_described_in(folder), point)
    return _described_in(folder)


@kept_while_unchanged
def _described_in(folder: Path) -> Entry:
    entry = read_entry(folder)
    if not set(entry.pair.split("-")) <= LANGUAGES.keys() or entry.pair.count("-") != 1:
        message = Message("{folder}: the language pair {pair!r} is not supported", folder=folder.name, pair=entry.pair)
        raise CheckpointError(message)
    if entry.key != folder.name or entry.key != f"{entry.mechanism.key}-{entry.pair}":
        message = Message(
            "{folder}/{file}: this is the card of {key}", folder=folder.name, file=CARD_FILE, key=entry.key
        )
        raise CheckpointError(message)
    return entry
