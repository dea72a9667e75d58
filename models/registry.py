"""Finds what can be loaded. Importing it does not import torch."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import InputError, UnknownModelError, shortly
from models.huggingface.embedded import Local, local, local_models
from models.huggingface.files import ADAPTER_FILE
from models.huggingface.hub_settings import HubSettings
from models.huggingface.offers import offer_of
from models.huggingface.placement import ON_CPU, Placement
from models.keys import check_key, identity_of, is_of_hub, is_pretrained, mechanism_of, pair_of, split_point
from models.mechanisms import mechanisms
from models.messages import Message
from models.translation.checkpoints import (
    CARD_FILE,
    CheckpointError,
    find_tokenizer,
    kept_folders,
    read_weights,
    shipped_folders,
)

if TYPE_CHECKING:
    from models.huggingface.hub import Progress
    from models.huggingface.model import PretrainedModel
    from models.model import Model
    from models.networks.base import TranslationNetwork
    from models.readers.language import LanguageReader
    from models.readers.self_attentive import SelfAttentiveReader
    from models.translation.tokenizer import PairTokenizer
    from models.translation.translator import Translator
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
        One of `catalog()`, or of `training_runs()` with a point.

    Raises
    ------
    UnknownModelError
        An InputError and a KeyError: if it is not shipped; names those that there are.
    InputError
        If it can be no key.
    """
    check_key(key)
    base, point = split_point(key)
    folder = (shipped_folders() if point is None else kept_folders()).get(base)
    if folder is None:
        known = ", ".join(catalog()) or Message("none")
        raise UnknownModelError(Message("no checkpoint {key}; there are {known}", key=shortly(key), known=known))
    if point is not None:
        return at_point(_described_in(folder), point)
    return _described_in(folder)


def _described_in(folder: Path) -> Entry:
    card = folder / CARD_FILE
    if not card.is_file():
        return read_entry(folder)  # which says what is missing
    written = card.stat()
    return _read_once(folder, written.st_mtime_ns, written.st_size)


@lru_cache(maxsize=128)
def _read_once(folder: Path, _changed: int, _size: int) -> Entry:
    """Return what the card in `folder` says, read again only when its file has changed: a page asks at every run."""
    entry = read_entry(folder)
    if not set(entry.pair.split("-")) <= LANGUAGES.keys() or entry.pair.count("-") != 1:
        message = Message("{folder}: the pair {pair!r} is of no known languages", folder=folder.name, pair=entry.pair)
        raise CheckpointError(message)
    if entry.key != folder.name or entry.key != f"{entry.mechanism.key}-{entry.pair}":
        message = Message("{folder}/{file}: it is the card of {key}", folder=folder.name, file=CARD_FILE, key=entry.key)
        raise CheckpointError(message)
    return entry


def load(key: str | Path, *, device: str = "cpu", dtype: str = "float32") -> Model:
    """Load a model, ready to `attend`.

    Parameters
    ----------
    key : str or Path
        One of `catalog()` or `pretrained()`, one of `training_runs()` with a point of its training behind it
        (``bahdanau-en-fr@07``), or ``hf:owner/name`` for a model of the hub, which is fetched if it is
        not here yet. A folder, given as a `Path`, is for Python and a server's configuration only: it has
        ``model.safetensors`` and either ``card.json`` (and ``tokenizer.json`` in it or shipped for its pair) or the
        ``config.json`` and tokenizer of a transformers model.
    device : {'cpu', 'auto', 'cuda', 'mps'}, optional
        Where a transformers model computes; ``auto`` takes the first of CUDA, MPS and the CPU that there is. Models
        that were trained here are small, and compute on the CPU.
    dtype : {'float32', 'bfloat16', 'float16'}, optional
        The numbers of its weights. Its softmax and all that is recorded are float32.

    Returns
    -------
    Model
        A `Translator` of `catalog()` and of a folder with a card, else a `PretrainedModel`, a `SelfAttentiveReader`
        or a `LanguageReader`.

    Raises
    ------
    UnknownModelError
        An InputError and a KeyError: if there is no such key.
    CheckpointError
        If the files are not whole, or not those that the card names.
    InputError
        If it can be no key, or a pretrained model cannot be had, opened or observed, or there is no such device; says
        why.
    """
    placement = Placement(device, dtype)
    if isinstance(key, Path):
        _check_path(key)
        found = local(key)
        if found.kind == "gguf":
            from models.huggingface.unpacked import opened

            found = opened(found)
        foreign = any((found.folder / name).is_file() for name in ("config.json", ADAPTER_FILE))
        foreign = foreign and not (key / CARD_FILE).is_file()
        return _load_folder(found, placement) if foreign else load_translator(key)
    if is_pretrained(key):
        return load_pretrained(key, settings=HubSettings(placement=placement))
    return load_translator(key)


def _check_path(path: Path) -> None:
    """Raise InputError if no file system can have such a path."""
    try:
        path.stat()
    except FileNotFoundError:
        return  # whoever opens it says what is missing
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        message = Message("The folder {folder} cannot be opened ({error}).", folder=shortly(str(path)), error=reason)
        raise InputError(message) from error


def _load_folder(found: Local, placement: Placement) -> PretrainedModel:
    from models.huggingface.loading import load_folder

    return load_folder(found.folder, found, placement)


def load_pretrained(
    key: str, progress: Progress | None = None, settings: HubSettings | None = None, *, tried: bool = False
) -> PretrainedModel | SelfAttentiveReader | LanguageReader:
    """Load the pretrained model ``hf:<id>``; raises as `find_pretrained` does, or if it cannot be opened.

    Parameters
    ----------
    key, progress, settings, tried
        As of `find_pretrained`.
    """
    from models.huggingface.loading import load_folder

    found = find_pretrained(key, progress, settings, tried=tried)
    if found.kind == "hops":
        from models.readers.self_attentive import load_reader

        return load_reader(found)
    if found.kind == "memory":
        from models.readers.language import load_language

        return load_language(found)
    return load_folder(found.folder, found, settings.placement if settings else ON_CPU)


def find_pretrained(
    key: str, progress: Progress | None = None, settings: HubSettings | None = None, *, tried: bool = False
) -> Local:
    """Return where the pretrained model ``hf:<id>`` lies; one of the hub is fetched if it is not here."""
    from models.huggingface.hub import fetch, look_up
    from models.huggingface.hub_settings import OfflineError
    from models.huggingface.hub_store import stored, touch
    from models.huggingface.trial import try_out

    check_key(key)
    known = local_models(settings.folders if settings else ())
    if key in known:
        if (broken := known[key].broken) is not None:
            raise InputError(broken)
        if known[key].kind == "gguf":
            from models.huggingface.unpacked import opened

            return opened(known[key])
        return known[key]
    if (offer := offer_of(key)) is not None:
        raise UnknownModelError(offer.missing)
    identity = identity_of(key)
    if not is_of_hub(key):
        there = ", ".join(known) or Message("none")
        message = Message(
            "no pretrained model {key}; there are {known}, and hf:owner/name of the hub", key=shortly(key), known=there
        )
        raise UnknownModelError(message)
    try:
        folder = fetch(look_up(identity, settings), progress, settings)
    except OfflineError:
        earlier = stored(identity)
        if earlier is None:
            raise
        folder = earlier
        touch(folder)
    found = Local(key, identity, folder)
    if tried:
        try_out(found, (settings.placement if settings else ON_CPU).dtype)
    return found


def load_translator(key: str | Path, *, at_rest: bool = False) -> Translator:
    """Load a model of `catalog()`, or of a folder with a ``card.json``; raises as `load` does.

    Parameters
    ----------
    key : str or Path
    at_rest : bool, optional
        Whether its files are checked now, and its network is made when it is first run: for a process in which it
        may never be.
    """
    from models.translation.translator import Translator

    if isinstance(key, Path):
        _check_path(key)
    entry = read_entry(key) if isinstance(key, Path) else describe(key)
    network = _build(entry, at_rest=at_rest)
    path = find_tokenizer(entry.folder, entry.card)
    written = path.stat()
    try:
        tokenizer = _tokenizer_in(path, written.st_mtime_ns, written.st_size)
    except Exception as error:  # the library raises nothing more exact
        message = Message(
            "{folder}: {file} is not whole ({error}). Fetch it again.",
            folder=entry.folder.name,
            file=path.name,
            error=error,
        )
        raise CheckpointError(message) from error
    return Translator(entry, network, tokenizer, partial(_build, entry) if at_rest else None)


@lru_cache(maxsize=8)
def _tokenizer_in(path: Path, _changed: int, _size: int) -> PairTokenizer:
    """Return the tokenizer of a file, one for all models that share it: it takes 10 MB, and never changes."""
    from models.translation.tokenizer import PairTokenizer

    return PairTokenizer.load(path)


def _build(entry: Entry, *, at_rest: bool = False) -> TranslationNetwork:
    """Return the network of a checkpoint with its weights; `at_rest` an outline of it, which these would fit."""
    import torch

    from models.networks.seeding import building

    device = torch.device("meta" if at_rest else "cpu")
    weights = {name: values.to(device) for name, values in read_weights(entry.folder, entry.card).items()}
    try:
        with building(), device:
            network: TranslationNetwork = entry.mechanism.build(**entry.card["network"])
        network.load_state_dict(weights)
    except Exception as error:
        message = Message(
            "{folder}: the weights are not of the network that its card names. {error}",
            folder=entry.folder.name,
            error=error,
        )
        raise CheckpointError(message) from error
    return network
