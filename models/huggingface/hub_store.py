"""Where models of the hub lie on disk: so many bytes of them, those used least recently go.

Importing it does not import torch, transformers or huggingface_hub.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from models.huggingface.files import is_weights
from models.huggingface.hub_settings import HubError, HubSettings
from models.messages import Message


@dataclass(frozen=True, slots=True)
class HubModel:
    """What the hub says of a model, before anything is fetched."""

    identity: str  # ``owner/name``
    revision: str  # the commit that was looked up
    files: tuple[tuple[str, int], ...]  # what would be fetched, with sizes in bytes

    @property
    def size(self) -> int:
        """How many bytes would be fetched."""
        return sum(size for _, size in self.files)


def store() -> Path:
    """Return where models are kept: all of them were open to everybody when they were fetched.

    The usual cache of the hub may hold some that the owner of the server alone may open.
    """
    from huggingface_hub import constants

    return Path(constants.HF_HOME) / "attention-bench"


def stored(identity: str) -> Path | None:
    """Return the folder of a model that was fetched earlier, the latest of them; None if there is none."""
    from huggingface_hub import CacheNotFound, scan_cache_dir

    try:
        repositories = scan_cache_dir(store()).repos
    except CacheNotFound:
        return None
    revisions = [each for found in repositories if found.repo_id == identity for each in found.revisions]
    whole = [each for each in revisions if any(is_weights(file.file_name) for file in each.files)]
    return max(whole, key=lambda each: each.last_modified).snapshot_path if whole else None


def touch(folder: Path) -> None:
    """Note that a model was used now: of all that are kept, the one used least recently goes first."""
    if folder.parent.name == "snapshots":
        with suppress(OSError):  # a disk that can only be read
            (folder.parents[1] / _USED).touch()


def make_room(found: HubModel, settings: HubSettings) -> None:
    """Delete the models that were used least recently until `found` fits, too."""
    folder = store()
    own = f"models--{found.identity.replace('/', '--')}"
    others = [each for each in folder.glob("models--*") if each.name != own]
    sizes = {each: size_of(each) for each in sorted(others, key=_used)}
    here = size_of(folder / own)
    wanted = max(found.size, here)
    while sizes and sum(sizes.values()) + wanted > settings.disk:
        oldest = next(iter(sizes))
        shutil.rmtree(oldest, ignore_errors=True)
        del sizes[oldest]
    lacking = found.size - here - shutil.disk_usage(_existing(folder)).free
    if lacking > 0 or wanted > settings.disk:
        message = Message(
            "{identity} cannot be downloaded: the disk of this server does not have {size} free for it.",
            identity=found.identity,
            size=megabytes(found.size),
        )
        raise HubError(message)


def megabytes(size: int) -> str:
    """Say a number of bytes in megabytes."""
    return f"{size / 1_000_000:,.0f} MB"


_USED = "used"


def _used(repository: Path) -> float:
    marker = repository / _USED
    return (marker if marker.exists() else repository).stat().st_mtime


def size_of(folder: Path) -> int:
    """Return the bytes of the files in `folder`, links left out; 0 if it is not there."""
    return sum(each.lstat().st_size for each in folder.rglob("*") if each.is_file() and not each.is_symlink())


def _existing(folder: Path) -> Path:
    return next(each for each in (folder, *folder.parents) if each.exists())
