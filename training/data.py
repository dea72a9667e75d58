"""Parallel text to batches of ids. Takes a folder of ``*.tsv.xz`` files; keeps encoded copies beside the run."""

from __future__ import annotations

import hashlib
import lzma
import math
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.translation.tokenizer import PairTokenizer
from training.characters import learn
from training.recipes import DataFile, Recipe, RecipeError
from training.varying import Pair, mistype, vary

KEPT = Path(__file__).parent
"""Text that is written by hand, kept with the recipes in a folder a language pair."""


def locate(path: str, data: Path) -> Path:
    """Return the file that a recipe calls `path`: below the data folder, or one that is kept with the recipes."""
    kept = KEPT / path
    return kept if kept.is_file() else data / path


def read_pairs(path: Path) -> Iterator[Pair]:
    """Return (source, target) for each line of a ``.tsv.xz`` or ``.tsv`` file."""
    if path.suffix == ".xz":
        with lzma.open(path, "rt", encoding="utf8") as packed:
            yield from map(_pair, packed)
    else:
        with path.open(encoding="utf8") as lines:
            yield from map(_pair, lines)


def _pair(line: str) -> Pair:
    source, target = line.rstrip("\n").split("\t")[:2]
    return source, target


def pairs_of(file: DataFile, data: Path) -> Iterator[Pair]:
    """Return the pairs that a recipe takes of a file, with their references."""
    pairs = islice(read_pairs(locate(file.path, data)), file.lines or None)
    return (pair for pair in pairs if file.containing in pair[0])


def taught_path(file: DataFile, cache: Path) -> Path:
    """Return where the translations of a file by its teacher are kept."""
    return cache / "taught" / file.teacher / f"{file.path}.{file.lines}.tsv"


@dataclass(frozen=True)
class EncodedText:
    """Many texts as ids, end to end."""

    ids: NDArray[np.uint16]  # [token]
    starts: NDArray[np.int64]  # [text + 1]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of ids of each text."""
        return np.diff(self.starts)

    def __getitem__(self, index: int) -> NDArray[np.uint16]:
        return self.ids[self.starts[index] : self.starts[index + 1]]


@dataclass(frozen=True)
class EncodedPairs:
    """Parallel text as ids, without special tokens; `repeats` says how often an epoch shows each pair on average."""

    source: EncodedText
    target: EncodedText
    repeats: NDArray[np.float64]


def encode_texts(tokenizer: PairTokenizer, texts: list[str], block: int = 20_000) -> EncodedText:
    """Encode `texts`, in blocks, with a progress bar."""
    parts: list[NDArray[np.uint16]] = []
    lengths = [0]
    for start in tqdm(range(0, len(texts), block), desc="encode", unit="block", disable=None):
        for ids in tokenizer.encode_batch(texts[start : start + block]):
            parts.append(np.asarray(ids, dtype=np.uint16))
            lengths.append(len(ids))
    return EncodedText(np.concatenate(parts), np.cumsum(lengths))


def encode_pairs(tokenizer: PairTokenizer, pairs: Sequence[Pair]) -> EncodedPairs:
    """Encode `pairs`, each to be shown once; one whose source is empty never."""
    source, target = (encode_texts(tokenizer, [pair[side] for pair in pairs]) for side in (0, 1))
    return EncodedPairs(source, target, (source.lengths > 0).astype(float))


def load_tokenizer(recipe: Recipe, data: Path, path: Path) -> PairTokenizer:
    """Read the pair's tokenizer at `path`, or learn it from the recipe's files and write it there."""
    if not path.exists():
        choice = random.Random(recipe.seed)
        texts = (text for file in recipe.files for text in _tokenizer_texts(file, data, choice))
        train = learn if recipe.whole_characters else PairTokenizer.train
        tokenizer = train(tqdm(texts, desc="tokenizer", unit="text", disable=None), recipe.vocabulary)
        path.parent.mkdir(parents=True, exist_ok=True)
        tokenizer.save(path)
    found = PairTokenizer.load(path)
    if len(found) != recipe.vocabulary:
        message = f"{path} has {len(found)} pieces; the recipe's vocabulary is {recipe.vocabulary}. Make them agree."
        raise RecipeError(message)
    return found


def _tokenizer_texts(file: DataFile, data: Path, choice: random.Random) -> Iterator[str]:
    whole, part = divmod(file.tokenizer_share, 1)
    for pair in pairs_of(file, data):
        for _ in range(int(whole) + (choice.random() < part)):
            yield from pair


def load_pairs(recipe: Recipe, data: Path, tokenizer_path: Path, cache: Path) -> EncodedPairs:
    """Return the recipe's training pairs as ids; encoded once and kept in `cache` for all recipes alike in this."""
    signature = (
        f"{recipe.files}{recipe.longest}{recipe.vary_share}{recipe.typo_share or ''}{recipe.seed}".encode()
        + tokenizer_path.read_bytes()
    )
    path = cache / f"pairs-{hashlib.sha256(signature).hexdigest()[:16]}.npz"
    if not path.exists():
        encoded = _encode_pairs(recipe, data, PairTokenizer.load(tokenizer_path), cache)
        cache.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.npz")  # two runs may make the same at once
        np.savez(
            partial,
            source_ids=encoded.source.ids,
            source_starts=encoded.source.starts,
            target_ids=encoded.target.ids,
            target_starts=encoded.target.starts,
            repeats=encoded.repeats,
        )
        partial.rename(path)
    kept = np.load(path)
    source = EncodedText(kept["source_ids"], kept["source_starts"])
    return EncodedPairs(source, EncodedText(kept["target_ids"], kept["target_starts"]), kept["repeats"])


def _encode_pairs(recipe: Recipe, data: Path, tokenizer: PairTokenizer, cache: Path) -> EncodedPairs:
    choice = random.Random(recipe.seed)
    sources: list[str] = []
    targets: list[str] = []
    repeats: list[float] = []
    for file in recipe.files:
        copies = math.ceil(file.repeat)
        pairs = read_pairs(taught_path(file, cache)) if file.teacher else pairs_of(file, data)
        for pair, _ in product(pairs, range(copies)):
            shown = vary(pair, choice) if choice.random() < recipe.vary_share else pair
            if recipe.typo_share and choice.random() < recipe.typo_share:
                shown = mistype(shown[0], choice), shown[1]
            sources.append(shown[0])
            targets.append(shown[1])
            repeats.append(file.repeat / copies)
    source, target = encode_texts(tokenizer, sources), encode_texts(tokenizer, targets)
    lengths = np.stack((source.lengths, target.lengths))
    ratio = (lengths.max(axis=0) + 3) / (lengths.min(axis=0) + 3)
    fits = (lengths.min(axis=0) > 0) & (lengths.max(axis=0) <= recipe.longest) & (ratio < 2.2)
    return EncodedPairs(source, target, np.asarray(repeats) * fits)
