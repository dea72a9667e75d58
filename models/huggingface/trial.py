"""A model of strangers, opened once in a process of its own that may take so much memory and time and no more.

What a server takes over has come through here: ``python -m models.huggingface.trial FOLDER KEY DTYPE TITLE BYTES
SECONDS`` opens the folder as `models.load` does and lets the model read a sentence. What it has to say stands on its
last line. Importing this module imports neither torch nor transformers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from models.errors import InputError
from models.huggingface.apart import limit, refuse, run_limited
from models.huggingface.embedded import Local

SPARE_BYTES = 2**30
"""Memory that opening any model may take beyond what the libraries took before."""

BYTES_PER_BYTE = 4
"""Memory for each byte of the files: half precision becomes single, and is held twice while it is copied."""

SECONDS = 120
"""Time that opening a model may take, and the processor's time for it."""


def try_out(known: Local, dtype: str = "float32", *, seconds: float = SECONDS, spare: int = SPARE_BYTES) -> None:
    """Open a model in a process of its own, on the processor, and let it go again."""
    files = sum(path.stat().st_size for path in known.folder.iterdir() if path.is_file())
    given = (str(known.folder), known.key, dtype, known.title)
    run_limited(__name__, given, memory=spare + BYTES_PER_BYTE * files, seconds=seconds)


def main() -> None:
    """Open the model that the command line names, under its limits."""
    folder, key, dtype, title, memory, seconds = sys.argv[1:]
    import torch

    from models.huggingface.loading import load_folder
    from models.huggingface.placement import Placement

    torch.set_num_threads(1)
    limit(int(memory), int(seconds))
    try:
        load_folder(Path(folder), Local(key, title, Path(folder)), Placement(dtype=dtype)).attend("A first run.")
    except InputError as error:
        refuse(error)
    os._exit(0)


if __name__ == "__main__":
    main()
