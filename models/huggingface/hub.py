"""Models of the Hugging Face hub: looked up before anything is fetched, then fetched as plain files.

No token of the server is ever used, and what is fetched lies apart from what its owner fetched, so that a visitor
reaches only what the public reaches. Importing this module does not import torch, transformers or huggingface_hub.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from errno import EDQUOT, ENOSPC
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from models.huggingface.files import ADAPTER_FILE, is_read, is_weights, lack_of_tokenizer
from models.huggingface.hub_settings import NO_NAME, HubError, HubSettings, OfflineError, check_identity
from models.huggingface.hub_store import HubModel, make_room, megabytes, store, touch
from models.messages import Message

if TYPE_CHECKING:
    from tqdm import tqdm

_SECONDS = 15.0


Progress = Callable[[int, int], None]
"""Called with the bytes that are here and the bytes in all; from another thread."""


def look_up(text: str, settings: HubSettings | None = None) -> HubModel:
    """Ask the hub what a model is, without fetching it."""
    from huggingface_hub import HfApi

    allowed = HubSettings() if settings is None else settings
    identity = check_identity(text, allowed)
    try:
        info = HfApi(token=False).model_info(identity, files_metadata=True, timeout=_SECONDS)
    except Exception as error:
        _explain(identity, error)
    siblings = {each.rfilename: each.size for each in info.siblings or ()}
    _check_kind(identity, info, siblings)
    wanted = sorted(filter(is_read, siblings))
    if unknown := [name for name in wanted if siblings[name] is None]:
        message = Message("{identity}: the hub does not say how large {file} is.", identity=identity, file=unknown[0])
        raise HubError(message)
    found = HubModel(identity, info.sha or "", tuple((name, siblings[name] or 0) for name in wanted))
    if found.size > allowed.largest:
        message = Message(
            "{identity} is too large: {size}. The limit here is {most}.",
            identity=identity,
            size=megabytes(found.size),
            most=megabytes(allowed.largest),
        )
        raise HubError(message)
    return found


def _check_kind(identity: str, info: Any, siblings: Mapping[str, int | None]) -> None:
    """Raise HubError if a model is closed, or of no kind that is read here; `siblings` are its files with sizes."""
    if info.gated or info.private or info.disabled:
        message = Message("{identity} is not public. Only public models can be shown here.", identity=identity)
        raise HubError(message)
    if ADAPTER_FILE in siblings and "config.json" not in siblings:
        message = Message("{identity} is an adapter (LoRA) of another model, not a model by itself.", identity=identity)
        raise HubError(message)
    if not any(map(is_weights, siblings)):
        message = Message(
            "{identity} has no weights in safetensors, the only format supported here.", identity=identity
        )
        raise HubError(message)
    if "config.json" not in siblings:
        message = Message(
            "{identity} has no config.json: it is not a model that transformers can open.", identity=identity
        )
        raise HubError(message)
    kind = (info.config or {}).get("model_type")
    if "custom_code" in (info.tags or ()) and not _is_known(kind):
        message = Message("{identity} needs to run its own code. This server never runs such code.", identity=identity)
        raise HubError(message)
    if lack := lack_of_tokenizer(siblings, str(kind)):
        message = Message("{identity} cannot be opened: {lack}.", identity=identity, lack=lack)
        raise HubError(message)


def fetch(found: HubModel, progress: Progress | None = None, settings: HubSettings | None = None) -> Path:
    """Fetch the files of a model that was looked up, those that are not here yet, and return their folder."""
    from huggingface_hub import snapshot_download

    make_room(found, HubSettings() if settings is None else settings)
    try:
        folder = snapshot_download(
            found.identity,
            revision=found.revision,
            allow_patterns=[name for name, _ in found.files],
            cache_dir=store(),
            token=False,
            tqdm_class=_reporting(progress or _bar(found), found.size),
        )
    except Exception as error:
        _explain(found.identity, error)
    touch(Path(folder))
    return Path(folder)


def _is_known(kind: Any) -> bool:
    from transformers import CONFIG_MAPPING

    return kind in CONFIG_MAPPING


def _explain(identity: str, error: Exception) -> NoReturn:
    """Raise what a failure of the hub means to whoever typed `identity`; what is no such failure as it is."""
    from huggingface_hub import errors

    if isinstance(error, errors.HFValidationError):
        message = NO_NAME
    elif isinstance(error, errors.GatedRepoError):
        message = Message("{identity} is not public. Only public models can be shown here.", identity=identity)
    elif isinstance(error, errors.RepositoryNotFoundError | errors.RevisionNotFoundError):
        message = Message("The hub has no public model called {identity}. Check the name.", identity=identity)
    elif isinstance(error, errors.HfHubHTTPError):
        message = Message("The hub gave an unexpected answer for {identity}. Try again later.", identity=identity)
    elif isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT):
        message = Message("{identity} cannot be downloaded: the disk of this server is full.", identity=identity)
    elif isinstance(error, errors.HTTPError | OSError):  # type: ignore[attr-defined]
        message = Message(
            "{identity} cannot be downloaded: no connection to the hub. Models already downloaded still work.",
            identity=identity,
        )
        raise OfflineError(message) from error
    else:
        raise error
    raise HubError(message) from error


def _bar(found: HubModel) -> Progress:
    """Return what draws a progress bar, in a terminal alone."""
    from tqdm import tqdm

    bar = tqdm(total=found.size, unit="B", unit_scale=True, desc=found.identity, disable=None)

    def draw(done: int, _total: int) -> None:
        bar.update(done - bar.n)

    return draw


def _reporting(progress: Progress, total: int) -> type[tqdm[Any]]:
    """Make the class of progress bar that `snapshot_download` wants; it draws nothing and calls `progress`."""
    from tqdm import tqdm

    lock, done = Lock(), 0

    class Reporting(tqdm):  # type: ignore[misc]
        """A bar that tells `progress` of bytes; of those that count bytes, the one that is furthest on."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs | {"file": io.StringIO(), "mininterval": 1.0})

        def update(self, n: float | None = 1) -> bool | None:
            nonlocal done
            drawn: bool | None = super().update(n)
            with lock:
                if self.unit == "B" and self.n > done:
                    done = int(self.n)
                    progress(min(done, total), total)
            return drawn

    return Reporting
