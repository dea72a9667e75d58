"""Parallel text to batches of ids. Takes a folder of ``*.tsv.xz`` files; keeps encoded copies beside the run."""

from __future__ import annotations

import hashlib
import lzma
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from models.training.characters import learn
from models.training.recipes import DataFile, Recipe, RecipeError
from models.training.varying import Pair, vary
from models.translation.tokenizer import PairTokenizer
from models.vocabulary import BEGIN, END, PAD

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


def _pairs_of(file: DataFile, data: Path) -> Iterator[Pair]:
    return (pair for pair in read_pairs(locate(file.path, data)) if file.containing in pair[0])


@dataclass(frozen=True)
class EncodedText:
    """Many texts as ids, end to end.

    Parameters
    ----------
    ids : uint16 array, [token]
    starts : int64 array, [text + 1]
    """

    ids: NDArray[np.uint16]
    starts: NDArray[np.int64]

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
    for start in tqdm(range(0, len(texts), block), desc="encode", unit="block"):
        for ids in tokenizer.encode_batch(texts[start : start + block]):
            parts.append(np.asarray(ids, dtype=np.uint16))
            lengths.append(len(ids))
    return EncodedText(np.concatenate(parts), np.cumsum(lengths))


def load_tokenizer(recipe: Recipe, data: Path, path: Path) -> PairTokenizer:
    """Read the pair's tokenizer at `path`, or learn it from the recipe's files and write it there.

    Raises
    ------
    RecipeError
        If it has not as many pieces as the recipe says: the network would write pieces that there are not.
    """
    if not path.exists():
        choice = random.Random(recipe.seed)
        texts = (text for file in recipe.files for text in _tokenizer_texts(file, data, choice))
        train = learn if recipe.whole_characters else PairTokenizer.train
        tokenizer = train(tqdm(texts, desc="tokenizer", unit="text"), recipe.vocabulary)
        path.parent.mkdir(parents=True, exist_ok=True)
        tokenizer.save(path)
    found = PairTokenizer.load(path)
    if len(found) != recipe.vocabulary:
        message = f"{path} has {len(found)} pieces; the recipe's vocabulary is {recipe.vocabulary}. Make them agree."
        raise RecipeError(message)
    return found


def _tokenizer_texts(file: DataFile, data: Path, choice: random.Random) -> Iterator[str]:
    whole, part = divmod(file.tokenizer_share, 1)
    for pair in _pairs_of(file, data):
        for _ in range(int(whole) + (choice.random() < part)):
            yield from pair


def load_pairs(recipe: Recipe, data: Path, tokenizer_path: Path, cache: Path) -> EncodedPairs:
    """Return the recipe's training pairs as ids; encoded once and kept in `cache` for all recipes alike in this."""
    signature = f"{recipe.files}{recipe.longest}{recipe.vary_share}{recipe.seed}".encode() + tokenizer_path.read_bytes()
    path = cache / f"pairs-{hashlib.sha256(signature).hexdigest()[:16]}.npz"
    if not path.exists():
        encoded = _encode_pairs(recipe, data, PairTokenizer.load(tokenizer_path))
        cache.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial.npz")
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


def _encode_pairs(recipe: Recipe, data: Path, tokenizer: PairTokenizer) -> EncodedPairs:
    choice = random.Random(recipe.seed)
    sources: list[str] = []
    targets: list[str] = []
    repeats: list[float] = []
    for file in recipe.files:
        copies = math.ceil(file.repeat)
        for pair, _ in product(_pairs_of(file, data), range(copies)):
            shown = vary(pair, choice) if choice.random() < recipe.vary_share else pair
            sources.append(shown[0])
            targets.append(shown[1])
            repeats.append(file.repeat / copies)
    source, target = encode_texts(tokenizer, sources), encode_texts(tokenizer, targets)
    lengths = np.stack((source.lengths, target.lengths))
    ratio = (lengths.max(axis=0) + 3) / (lengths.min(axis=0) + 3)
    fits = (lengths.min(axis=0) > 0) & (lengths.max(axis=0) <= recipe.longest) & (ratio < 2.2)
    return EncodedPairs(source, target, np.asarray(repeats) * fits)


@dataclass(frozen=True)
class Batch:
    """One batch; every source has the same length, so that no source is padded.

    Parameters
    ----------
    source : int64 Tensor, [batch, source]
        Closed by ``</s>``.
    inputs, labels : int64 Tensor, [batch, target]
        ``<s>``, y1, ... and y1, ..., ``</s>``, padded.
    """

    source: Tensor
    inputs: Tensor
    labels: Tensor

    def to(self, device: str) -> Batch:
        """Return the same batch on `device`."""
        return Batch(self.source.to(device), self.inputs.to(device), self.labels.to(device))


def shown_in(repeats: NDArray[np.float64], epoch: int, seed: int) -> NDArray[np.int64]:
    """Return how often `epoch` shows each pair: as whole numbers whose mean over the epochs is `repeats`.

    Each pair begins at a place of its own between two epochs, so that a half shows one half of the pairs in the first
    epoch and the other half in the second.
    """
    begin = np.random.default_rng(seed).integers(0, 1 << 20, len(repeats)) / (1 << 20)
    until, since = np.floor(repeats * (epoch + 1) + begin), np.floor(repeats * epoch + begin)
    return (until - since).astype(np.int64)


def epoch_batches(pairs: EncodedPairs, tokens: int, epoch: int, seed: int) -> list[NDArray[np.int64]]:
    """Cut one epoch into batches of pair indices: one source length each, alike target lengths, shuffled.

    Parameters
    ----------
    pairs : EncodedPairs
    tokens : int
        Target tokens of a batch at most, padding counted.
    epoch, seed : int
        The same two give the same batches.
    """
    generator = np.random.default_rng((seed, epoch))
    order = generator.permutation(np.repeat(np.arange(len(pairs.repeats)), shown_in(pairs.repeats, epoch, seed)))
    source, target = pairs.source.lengths[order], pairs.target.lengths[order] + 1
    order = order[np.lexsort((target + generator.integers(0, 3, target.size), source))]
    source, target = pairs.source.lengths[order], pairs.target.lengths[order] + 1
    starts = [0]
    longest = 0
    for index in range(order.size):
        longest = max(longest, int(target[index]))
        if index > starts[-1] and (source[index] != source[index - 1] or longest * (index - starts[-1] + 1) > tokens):
            starts.append(index)
            longest = int(target[index])
    cuts = list(pairwise((*starts, order.size)))
    return [order[a:b] for a, b in (cuts[index] for index in generator.permutation(len(cuts)))]


def make_batch(pairs: EncodedPairs, indices: NDArray[np.int64]) -> Batch:
    """Gather the pairs at `indices`, which have one source length."""
    targets = [pairs.target[int(index)].astype(np.int64) for index in indices]
    width = max(len(target) for target in targets) + 1
    inputs = np.full((len(targets), width), PAD, dtype=np.int64)
    labels = inputs.copy()
    inputs[:, 0] = BEGIN
    for row, target in enumerate(targets):
        inputs[row, 1 : len(target) + 1] = target
        labels[row, : len(target)] = target
        labels[row, len(target)] = END
    source = np.stack([np.append(pairs.source[int(index)].astype(np.int64), END) for index in indices])
    return Batch(torch.from_numpy(source), torch.from_numpy(inputs), torch.from_numpy(labels))
