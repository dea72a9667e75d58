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
    """Give the keys that `load` takes: by language pair, older mechanisms first.

    Only the names of the folders are read, so that a checkpoint that is not whole hides none of the others:
    `describe` and `load` say what is wrong with it.
    """
    return tuple(sorted(shipped_folders(), key=_place))


def _place(key: str) -> tuple[str, int, str]:
    """Give where `key` stands in lists: its pair, then its mechanism's place; one of no known mechanism is last."""
    for place, mechanism in enumerate(mechanisms()):
        pair = key.removeprefix(f"{mechanism}-")
        if pair != key and pair.count("-") == 1:
            return pair, place, key
    return "-".join(key.rsplit("-", 2)[1:]), len(mechanisms()), key


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
    weights = read_weights(entry.folder, entry.card)
    try:
        network = entry.mechanism.build(**entry.card["network"])
        network.load_state_dict(weights)
    except (TypeError, RuntimeError) as error:
        message = f"{entry.folder.name}: the weights are not of the network that its card names. {error}"
        raise CheckpointError(message) from error
    own = entry.folder / TOKENIZER_FILE
    path = own if own.is_file() else WEIGHTS / entry.pair / TOKENIZER_FILE
    if not path.is_file():
        message = f"{entry.folder.name}: no {TOKENIZER_FILE} in it, and none is shipped for the pair {entry.pair!r}"
        raise CheckpointError(message)
    return Translator(entry, network, PairTokenizer.load(path))
