"""A checkpoint on disk: ``model.safetensors`` (float16), ``card.json``, and a tokenizer shared by a pair's models.

No pickle anywhere; the SHA-256 of the weights, and of the tokenizer where the card names one, stand in the card and
are checked before they are read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.cards import CARD_FILE as CARD_FILE
from models.cards import NUMBER, CardError, Fields, lacking, read_fields
from models.cards import WEIGHTS as WEIGHTS
from models.messages import Message
from models.sites import Site
from models.trace import Alignment

if TYPE_CHECKING:
    from torch import Tensor, nn

MODEL_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"

_MEASURED = {"target_tokens_seen": NUMBER, "held_out_loss": NUMBER, "aer": {"*": NUMBER, "everyday.gold": NUMBER}}
_NEEDED: Fields = {
    "key": str,
    "mechanism": str,
    "pair": str,
    "network": dict,
    "sha256": str,
    "tokenizer?": str,
    "tokenizer_sha256?": str,
    "parameters?": NUMBER,
    "data?": [{"name": str, "licence": str, "credit": str}],
    "recipe?": {"files?": [{"path": str}], "label_smoothing?": NUMBER, "average_decay?": NUMBER},
    "target_tokens_seen?": NUMBER,
    "start?": {"key": str, "target_tokens": NUMBER},
    "examples_in_training?": {"*": bool},
    "bleu?": {"*": {"bleu": NUMBER}},
    "aer?": {"*": NUMBER},
    "points?": [_MEASURED],
}
"""What is read of a card: most of it only where it stands."""


class CheckpointError(RuntimeError):
    """A checkpoint that is incomplete, or whose weights are not those that its card names."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_card(folder: Path) -> dict[str, Any]:
    """Read ``card.json`` in `folder`; CheckpointError if it is not there or not whole."""
    try:
        card = read_fields(folder, _NEEDED)
    except CardError as error:
        raise CheckpointError(error.args[0]) from error
    try:
        alignment_of(card)
    except (KeyError, TypeError, ValueError) as error:
        message = Message(
            "{folder}/{file}: its alignment does not name an attention map ({error})",
            folder=folder.name,
            file=CARD_FILE,
            error=error,
        )
        raise CheckpointError(message) from error
    return card


def read_weights(folder: Path, card: Mapping[str, Any]) -> dict[str, Tensor]:
    """Read the weights in `folder` as float32, after their hash is checked against `card`."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    path = folder / MODEL_FILE
    if not path.is_file():
        message = Message("{folder}: no {file}", folder=folder.name, file=MODEL_FILE)
        raise CheckpointError(lacking(folder) or message)
    raw = path.read_bytes()
    found = hashlib.sha256(raw).hexdigest()
    if found != card["sha256"]:
        message = Message(
            "{folder}/{file}: SHA-256 {found}; its card expects {expected}. Download it again.",
            folder=folder.name,
            file=MODEL_FILE,
            found=found,
            expected=card["sha256"],
        )
        raise CheckpointError(message)
    prefix = f"{card['point']:02}." if "point" in card else ""
    try:
        found_there = {name: values for name, values in load(raw).items() if name.startswith(prefix)}
        return {name.removeprefix(prefix): values.float() for name, values in found_there.items()}
    except SafetensorError as error:
        message = Message(
            "{folder}/{file}: not a safetensors file ({error}); no other format is supported",
            folder=folder.name,
            file=MODEL_FILE,
            error=error,
        )
        raise CheckpointError(message) from error


def leave_in_file(network: nn.Module, folder: Path, card: Mapping[str, Any]) -> None:
    """Let a network that is ready to run have its float16 matrices where they are stored, as far as they are.

    The system reads them from the file when they are used, and once for all processes; products use what was packed.
    """
    import torch
    from safetensors import safe_open

    halves = {name: each for name, each in network.named_parameters() if each.dtype == torch.float16}
    if not halves or not (folder / MODEL_FILE).is_file():
        return
    prefix = f"{card['point']:02}." if "point" in card else ""
    with safe_open(folder / MODEL_FILE, framework="pt") as file:
        for name in {prefix + name for name in halves}.intersection(file.keys()):
            stored = file.get_tensor(name)
            if stored.dtype == torch.float16:
                halves[name.removeprefix(prefix)].data = stored


def find_tokenizer(folder: Path, card: Mapping[str, Any], weights: Path | None = None) -> Path:
    """Return the tokenizer of a checkpoint: in its folder, or the one of its pair that its card names.

    A pair may ship several for a while, models that were trained on an older one among its models.
    """
    name = Path(str(card.get("tokenizer", TOKENIZER_FILE))).name
    own = folder / TOKENIZER_FILE
    path = own if own.is_file() else (weights or WEIGHTS) / card["pair"] / name
    if not path.is_file():
        message = Message(
            "{folder}: no {file} in it, and no {name} is included for the pair {pair!r}",
            folder=folder.name,
            file=TOKENIZER_FILE,
            name=name,
            pair=card["pair"],
        )
        raise CheckpointError(message)
    expected = card.get("tokenizer_sha256")
    if expected and file_hash(path) != expected:
        message = Message(
            "{folder}: the SHA-256 of {file} differs from the one on its card ({expected}). Download it again.",
            folder=folder.name,
            file=path.name,
            expected=expected,
        )
        raise CheckpointError(message)
    return path


def write_checkpoint(folder: Path, weights: Mapping[str, Tensor], card: Mapping[str, Any]) -> dict[str, Any]:
    """Write `weights` as float16 and `card`, with the weights' hash, to `folder`; give the card as written."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    raw = save({name: values.detach().half().contiguous().cpu() for name, values in weights.items()})
    (folder / MODEL_FILE).write_bytes(raw)
    whole = {**card, "sha256": hashlib.sha256(raw).hexdigest()}
    write_card(folder, whole)
    return whole


def write_card(folder: Path, card: Mapping[str, Any]) -> None:
    """Write ``card.json`` to `folder`."""
    (folder / CARD_FILE).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf8")


def alignment_of(card: Mapping[str, Any]) -> Alignment:
    """Return the map, head and reading that the card says are closest to word alignment."""
    stored = card.get("alignment")
    if not stored:
        return Alignment()
    return Alignment(Site.parse(stored["site"]), stored["head"], stored["reading"])


@cache
def shipped_folders() -> dict[str, Path]:
    """Return the folder of each shipped checkpoint by its key."""
    return _folders(WEIGHTS)


@cache
def kept_folders() -> dict[str, Path]:
    """Return the folder of each run of which points of its training are kept, by the run's key."""
    return _folders(WEIGHTS / "training")


def _folders(place: Path) -> dict[str, Path]:
    """Return the folders with weights or a card, by name: that one of the two is missing is said where it is opened."""
    found = {path.parent for name in (CARD_FILE, MODEL_FILE) for path in place.glob(f"*/{name}")}
    return {each.name: each for each in sorted(found)}
