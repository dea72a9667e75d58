"""Which sentences the training text holds: what is measured must not be among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from models.translation.words import normalise
from training.data import locate, read_pairs
from training.varying import Pair

CLOSING_MARKS = ".!?\u3002\uff01\uff1f"


def bare(text: str) -> str:
    """Return `text` as sentences are compared: whatever their capitals and their closing mark."""
    return normalise(text).rstrip(CLOSING_MARKS).rstrip().casefold()


def training_sources(cards: Iterable[Mapping[str, Any]], data: Path) -> frozenset[str]:
    """Return the sources, bare, of all files that any of some models was trained on; none if no card names files."""
    files = {file["path"] for card in cards for file in card.get("recipe", {}).get("files", ())}
    return frozenset(bare(source) for file in sorted(files) for source, _ in read_pairs(locate(file, data)))


def unseen(pairs: Iterable[Pair], seen: frozenset[str]) -> list[Pair]:
    """Return those of `pairs` whose sources, bare, are not among `seen`."""
    return [pair for pair in pairs if bare(pair[0]) not in seen]
