"""Loads models: a translator trained here, a pretrained one, one of a folder. Importing it does not import torch."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from models.captioning.entry import is_captioner
from models.errors import InputError, UnknownModelError, shortly
from models.huggingface.embedded import Local, local, local_models
from models.huggingface.files import ADAPTER_FILE
from models.huggingface.hub_settings import HubSettings
from models.huggingface.offers import offer_of
from models.huggingface.placement import ON_CPU, Placement
from models.keys import check_key, identity_of, is_of_hub, is_pretrained
from models.messages import Message
from models.registry import describe
from models.translation.checkpoints import CARD_FILE, CheckpointError, find_tokenizer, read_weights
from models.translation.entry import Entry, read_entry

if TYPE_CHECKING:
    from models.huggingface.hub import Progress
    from models.huggingface.model import PretrainedModel
    from models.model import Model
    from models.networks.base import TranslationNetwork
    from models.readers.language import LanguageReader
    from models.readers.self_attentive import SelfAttentiveReader
    from models.translation.tokenizer import PairTokenizer
    from models.translation.translator import Translator


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
    if is_captioner(key):
        from models.captioning.captioner import load_captioner

        return load_captioner(describe(key))
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
            from models.huggingface.unpacked import KEPT_BYTES, opened

            return opened(known[key], settings.disk if settings else KEPT_BYTES)
        return known[key]
    if (offer := offer_of(key)) is not None:
        raise UnknownModelError(offer.missing)
    identity = identity_of(key)
    if not is_of_hub(key):
        there = ", ".join(known) or Message("none")
        message = Message(
            "no pretrained model {key}; available are {known}, and hf:owner/name from the hub",
            key=shortly(key),
            known=there,
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
            "{folder}: {file} is incomplete ({error}). Download it again.",
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
    from models.networks.seeding import Unfilled, building

    device = "meta" if at_rest else "cpu"
    weights = {name: values.to(device) for name, values in read_weights(entry.folder, entry.card).items()}
    try:
        with building(), Unfilled():
            network: TranslationNetwork = entry.mechanism.build(**entry.card["network"])
        network.to(device).load_state_dict(weights)
    except Exception as error:
        message = Message(
            "{folder}: the weights do not fit the network named on its card. {error}",
            folder=entry.folder.name,
            error=error,
        )
        raise CheckpointError(message) from error
    return network
