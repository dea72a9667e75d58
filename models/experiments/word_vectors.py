"""Static vectors: one vector a word, whatever stands around it; trained here, read with numpy alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from models.cards import WEIGHTS, CardError, read_fields
from models.errors import InputError
from models.messages import Message
from models.translation.words import bare

VECTORS = WEIGHTS / "vectors"
"""The static vectors that were trained here: a folder each, with its card."""

STATIC = "skip-gram-en"
"""The key of the English ones."""

WORDS_FILE, TABLES_FILE = "words.txt", "model.safetensors"


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vector for each word of a list."""

    words: tuple[str, ...]  # as `bare` writes them, the commonest first
    table: NDArray[np.float32]  # [word, d] v_w of Mikolov et al. 2013: what a word is read by.
    outputs: NDArray[np.float32]  # [word, d] v'_w: what a word is predicted by

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each word stands."""
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def _unit(self) -> NDArray[np.float32]:
        unit: NDArray[np.float32] = self.table / np.linalg.norm(self.table, axis=1, keepdims=True)
        return unit

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bare(word) in self.places

    def unit(self, word: str) -> NDArray[np.float32]:
        """Return the vector of a word, of length 1, [d]; KeyError if it has none."""
        vector: NDArray[np.float32] = self._unit[self.places[bare(word)]]
        return vector

    def cosine(self, one: str, other: str) -> float:
        """Return the cosine of two words; KeyError if one has no vector."""
        return float(self.unit(one) @ self.unit(other))

    def nearest(self, word: str, count: int = 5) -> list[tuple[str, float]]:
        """Return the words whose vectors have the largest cosine with that of `word`, itself left out."""
        cosines = self._unit @ self.unit(word)
        cosines[self.places[bare(word)]] = -np.inf
        best = np.argsort(-cosines, kind="stable")[:count]
        return [(self.words[place], float(cosines[place])) for place in best]

    def mean_cosine(self, one: Sequence[str], other: Sequence[str]) -> float:
        """Return the mean cosine of two different words, one of each list; NaN if no two have vectors."""
        found = [self.cosine(a, b) for a in one if a in self for b in other if b in self and bare(a) != bare(b)]
        return float(np.mean(found)) if found else float("nan")

    def odd_one(self, words: Sequence[str]) -> str:
        """Return the word whose mean cosine with the others is smallest; KeyError if one has no vector."""
        units = np.stack([self.unit(word) for word in words])
        cosines = units @ units.T
        np.fill_diagonal(cosines, 0.0)
        return words[int(cosines.sum(axis=1).argmin())]


def read_vectors(folder: Path) -> WordVectors:
    """Return the vectors of a folder: ``words.txt``, a word a line, and ``model.safetensors``."""
    words = tuple((folder / WORDS_FILE).read_text(encoding="utf8").splitlines())
    tables = load_file(folder / TABLES_FILE)
    read, predicted = (tables[name].astype(np.float32) for name in ("input", "output"))
    return WordVectors(words, read, predicted)


NO_VECTORS = WordVectors((), np.zeros((0, 1), dtype=np.float32), np.zeros((0, 1), dtype=np.float32))
"""Vectors of no word: what is shown where the files are not whole."""


@lru_cache(maxsize=1)
def static_vectors() -> WordVectors:
    """Return the static vectors of English that are shipped, read once; InputError if they are not whole."""
    folder = VECTORS / STATIC
    try:
        for name, expected in static_card()["sha256"].items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
                message = Message(
                    "{title}: its {file} is not the one expected. Install it again.", title=STATIC, file=name
                )
                raise InputError(message)
        return read_vectors(folder)
    except (OSError, CardError) as error:
        said = error.args[0] if isinstance(error, CardError) else error
        message = Message("{title} cannot be opened: {reason}", title=STATIC, reason=said)
        raise InputError(message) from error


@lru_cache(maxsize=1)
def static_card() -> dict[str, Any]:
    """Return the card of the shipped vectors: data, credit, recipe, departures and figures."""
    return read_fields(VECTORS / STATIC, {"sha256": {"*": str, WORDS_FILE: str, TABLES_FILE: str}})
