"""Finds what can be loaded. Importing it does not import torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.checkpoints import TOKENIZER_FILE, WEIGHTS, CheckpointError, read_card, read_weights, shipped_folders
from models.mechanisms import Mechanism, mechanisms

if TYPE_CHECKING:
    from models.translator import Translator

LANGUAGES = {"en": "English", "fr": "French", "zh": "Chinese"}


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


def _entry(folder: Path) -> Entry:
    card = read_card(folder)
    if card["mechanism"] not in mechanisms():
        message = f"{folder.name}: mechanism {card['mechanism']!r} not known; there are {', '.join(mechanisms())}"
        raise CheckpointError(message)
    return Entry(card["key"], mechanisms()[card["mechanism"]], card["pair"], card, folder)


def catalog() -> tuple[str, ...]:
    """Give the keys that `load` takes: by language pair, older mechanisms first."""
    order = list(mechanisms())
    entries = (_entry(folder) for folder in shipped_folders().values())
    return tuple(e.key for e in sorted(entries, key=lambda e: (e.pair, order.index(e.mechanism.key))))


def describe(key: str) -> Entry:
    """Describe the checkpoint `key`; KeyError, naming those that there are, if it is not shipped."""
    if key not in shipped_folders():
        message = f"no checkpoint {key!r}; there are {', '.join(catalog()) or 'none'}"
        raise KeyError(message)
    return _entry(shipped_folders()[key])


def load(key: str | Path) -> Translator:
    """Load a model, on the CPU, in float32, ready to `attend`.

    Parameters
    ----------
    key : str or Path
        One of `catalog()`. A folder, given as a `Path`, is for Python and a server's configuration only: it
        has ``model.safetensors`` and ``card.json``, and ``tokenizer.json`` in it or shipped for its pair.

    Returns
    -------
    Translator

    Raises
    ------
    KeyError
        If there is no such key.
    CheckpointError
        If the files are not whole, or not those that the card names.
    """
    from models.tokenizer import PairTokenizer
    from models.translator import Translator

    entry = _entry(key) if isinstance(key, Path) else describe(key)
    network = entry.mechanism.build(**entry.card["network"])
    network.load_state_dict(read_weights(entry.folder, entry.card))
    own = entry.folder / TOKENIZER_FILE
    path = own if own.is_file() else WEIGHTS / entry.pair / TOKENIZER_FILE
    return Translator(entry, network, PairTokenizer.load(path))
