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
from pathlib import Path

from models.errors import InputError
from models.huggingface.apart import limit, refuse, run_limited
from models.huggingface.embedded import Local
from models.huggingface.offers import MARK, origin, unpacked_folder

SECONDS = 600
SPARE_BYTES = 2**30
"""Memory that unpacking may take beyond what the libraries take, and a few times the file."""


def opened(known: Local) -> Local:
    """Return the model of a GGUF file as a folder of plain numbers, unpacked now if it is not there yet."""
    path = known.folder
    digest = sha256_of(path)
    folder = unpacked_folder(f"{path.stem[:80]}-{digest[:16]}")
    if origin(folder) is None:
        unpack(path, folder, known.title)
    found = origin(folder)
    title = (
        known.title if found is None or found.quantisation in known.title else f"{known.title} ({found.quantisation})"
    )
    return replace(known, folder=folder, title=title, kind="transformers")


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
