"""GGUF files as folders of plain numbers: where these are kept, and the process with limits that makes them.

``python -m models.huggingface.unpacked FILE FOLDER TITLE BYTES SECONDS`` unpacks one file. Importing this module
imports neither torch nor transformers.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from models.errors import InputError
from models.huggingface.apart import limit, refuse, run_limited
from models.huggingface.embedded import Local
from models.huggingface.hub_store import size_of
from models.huggingface.offers import MARK, OFFERS, origin, unpacked_folder

if sys.platform != "win32":
    import fcntl

SECONDS = 600
SPARE_BYTES = 2**30
"""Memory that unpacking may take beyond what the libraries take, and a few times the file."""


KEPT_BYTES = 6_000_000_000
"""Bytes of unpacked files that are kept on disk, as of the hub's models."""


def opened(known: Local, most: int = KEPT_BYTES) -> Local:
    """Return the model of a GGUF file as a folder of plain numbers, unpacked now if it is not there yet.

    Of those that nobody has open, the least recently used go until all take `most` bytes.
    """
    path = known.folder
    digest = sha256_of(path)
    folder = unpacked_folder(f"{path.stem[:80]}-{digest[:16]}")
    if origin(folder) is None:
        unpack(path, folder, known.title)
    _hold(folder / MARK, (folder / MARK).stat().st_ino)
    with suppress(OSError):  # a disk that can only be read
        (folder / MARK).touch()
    _bound(folder.parent, folder, most)
    found = origin(folder)
    title = (
        known.title if found is None or found.quantisation in known.title else f"{known.title} ({found.quantisation})"
    )
    return replace(known, folder=folder, title=title, kind="transformers")


@cache
def _hold(mark: Path, _inode: int) -> int:
    """Hold a shared lock on an unpacked model while this process runs: no other deletes it."""
    file = os.open(mark, os.O_RDONLY)
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_SH)
    return file


def _bound(store: Path, own: Path, most: int) -> None:
    """Delete unpacked files, the least recently used first, until all take `most` bytes; none that is open."""
    offered = {offer.folder for offer in OFFERS}  # which may need a network to come back
    kept = [each for each in store.iterdir() if each not in offered and origin(each) is not None]
    sizes = {each: size_of(each) for each in sorted(kept, key=lambda each: (each / MARK).stat().st_mtime)}
    for folder in list(sizes):
        if sum(sizes.values()) <= most:
            return
        if folder != own and not _is_open(folder / MARK):
            del sizes[folder]
            with suppress(OSError), tempfile.TemporaryDirectory(dir=store, prefix=".leaving-") as away:
                folder.rename(Path(away) / "whole")  # at once, so that nobody finds half of it


def _is_open(mark: Path) -> bool:
    """Return whether a process has the model of this mark open; on a system without locks its files cannot be moved."""
    if sys.platform == "win32":
        return False
    try:
        with mark.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def unpack(path: Path, folder: Path, title: str, *, shown: bool = False) -> None:
    """Unpack a GGUF file in a process of its own; if `shown`, with a progress bar in a terminal."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".unpacking-") as made:
        whole = Path(made) / "whole"
        whole.mkdir()
        memory = SPARE_BYTES + 4 * path.stat().st_size
        run_limited(__name__, (str(path), str(whole), title), memory=memory, seconds=SECONDS, shown=shown)
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # another process was first
            whole.rename(folder)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    """Unpack the file that the command line names, under its limits."""
    path, folder, (title, memory, seconds) = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    try:
        from models.huggingface.gguf_header import read_header

        header = read_header(path, title)
        import torch

        from models.huggingface.gguf_unpacking import unpack_into

        torch.set_num_threads(1)
        limit(int(memory), int(seconds))
        unpack_into(folder, path, header, title)
    except InputError as error:
        refuse(error)
    made = {"sha256": sha256_of(path), "quantisation": header.quantisation}
    (folder / MARK).write_text(json.dumps(made), encoding="utf8")
    os._exit(0)


if __name__ == "__main__":
    main()
