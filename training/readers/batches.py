"""Batches of rows of one length each: nothing is padded, so that no row needs a mask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from training.batches import shown_in
from training.data import EncodedText
from training.readers.recipe import ReaderRecipe
from training.readers.texts import BERT_SPECIALS, sentences_of

MASKED, BY_MASK, BY_ANOTHER = 0.15, 0.8, 0.1
"""Share of the tokens that a BERT has to give; of these, those that read [MASK], and those that read another token."""

FEWEST = 4
"""Pieces of a sentence that a classifier is asked about."""

Ids = NDArray[np.uint16]


@dataclass(frozen=True)
class TextRow:
    """What one row of a batch reads."""

    ids: Ids  # [token] A GPT's are one longer than it reads: the last is only written
    second: int  # where the second sentence begins; the length if there is none
    follows: int  # whether the second sentence follows the first: 1 or 0; -1 if there is none
    label: int = -1  # of a classifier: the place of what it is to say in the recipe's labels


@dataclass(frozen=True)
class BatchCorpus:
    """The lines of one or more files as ids, special tokens left out."""

    texts: EncodedText
    cuts: EncodedText  # where in its line a sentence other than the first begins, of each line
    repeats: NDArray[np.float64]  # [line] How often an epoch shows each
    files: NDArray[np.int64]  # [line] Of which file each is

    def save(self, path: Path) -> None:
        """Write the corpus, so that a run that goes on need not encode it again."""
        np.savez(
            path,
            ids=self.texts.ids,
            starts=self.texts.starts,
            cuts=self.cuts.ids,
            cut_starts=self.cuts.starts,
            repeats=self.repeats,
            files=self.files,
        )

    @classmethod
    def load(cls, path: Path) -> BatchCorpus:
        """Return what `save` wrote."""
        with np.load(path) as kept:
            texts, cuts = EncodedText(kept["ids"], kept["starts"]), EncodedText(kept["cuts"], kept["cut_starts"])
            return cls(texts, cuts, kept["repeats"], kept["files"])


def encode(tokenizer: Tokenizer, parts: Iterable[tuple[float, Sequence[str]]], longest: int) -> BatchCorpus:
    """Return lines as ids; those that are longer than `longest` are left out."""
    lines: list[list[int]] = []
    cuts: list[list[int]] = []
    repeats, files = [], []
    for index, (repeat, texts) in enumerate(parts):
        sentences = [sentences_of(text) for text in texts]
        encoded = tokenizer.encode_batch([each for own in sentences for each in own], add_special_tokens=False)
        ids = iter([each.ids for each in encoded])
        for own in sentences:
            pieces = [next(ids) for _ in own]
            if 0 < sum(map(len, pieces)) <= longest:
                lines.append([each for piece in pieces for each in piece])
                cuts.append(list(accumulate(map(len, pieces)))[:-1])
                repeats.append(repeat)
                files.append(index)
    return BatchCorpus(_end_to_end(lines), _end_to_end(cuts), np.array(repeats), np.array(files, dtype=np.int64))


def _end_to_end(parts: Sequence[Sequence[int]]) -> EncodedText:
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return EncodedText(np.fromiter(chain.from_iterable(parts), np.uint16, int(starts[-1])), starts)


def gpt_rows(corpus: BatchCorpus, shown: NDArray[np.int64], recipe: ReaderRecipe, seed: int) -> list[TextRow]:
    """Return each line between two boundaries (id 0), alone or, some of them, after one another up to the context.

    Shapes: `shown` [row].
    """
    packed = np.random.default_rng(seed).random(len(shown)) < recipe.packed_share
    edge, most = np.zeros(1, np.uint16), recipe.context + 1
    found = [np.concatenate([edge, corpus.texts[line], edge]) for line in shown[~packed]]
    block = edge
    for line in shown[packed]:
        block = np.concatenate([block, corpus.texts[line], edge])
        if len(block) >= most:
            found.append(block[:most])
            block = edge
    return [TextRow(ids[:most], min(len(ids), most), -1) for ids in found]


def bert_rows(corpus: BatchCorpus, shown: NDArray[np.int64], recipe: ReaderRecipe, seed: int) -> list[TextRow]:
    """Return each line as [CLS] line [SEP], or cut in two as [CLS] first [SEP] second [SEP].

    The second part of every other pair is that of another line, of the same file or of any.

    Shapes: `shown` [row].
    """
    chance = np.random.default_rng(seed)
    first, end = ([BERT_SPECIALS.index(each)] for each in ("[CLS]", "[SEP]"))
    found: list[TextRow] = []
    before: dict[int, Ids] = {}
    for line in shown:
        ids, cuts = corpus.texts[line], corpus.cuts[line]
        file = 0 if recipe.wrong_from == "corpus" else int(corpus.files[line])
        if not len(cuts) or chance.random() >= recipe.pair_share:
            row = np.concatenate([first, ids, end]).astype(np.uint16)[: recipe.context]
            found.append(TextRow(row, len(row), -1))
            continue
        cut = int(cuts[chance.integers(len(cuts))])
        second = ids[cut:]
        other = before.get(file)
        before[file] = second
        follows = other is None or bool(chance.random() < 0.5)
        chosen = second if follows or other is None else other
        row = np.concatenate([first, ids[:cut], end, chosen, end]).astype(np.uint16)
        if len(row) <= recipe.context:
            found.append(TextRow(row, cut + 2, int(follows)))
    return found


def sentence_rows(corpus: BatchCorpus, shown: NDArray[np.int64], recipe: ReaderRecipe, _seed: int) -> list[TextRow]:
    """Return each sentence of each line by itself, with what kind of text it is of; none shorter than `FEWEST` pieces.

    Shapes: `shown` [row].
    """
    labels = [recipe.labels.index(file.label) for file in recipe.files]
    found: list[TextRow] = []
    for line in shown:
        for ids in np.split(corpus.texts[line], corpus.cuts[line].astype(np.int64)):
            if FEWEST <= len(ids) <= recipe.context:
                found.append(TextRow(ids, len(ids), -1, labels[corpus.files[line]]))
    return found


Rows = Callable[[BatchCorpus, "NDArray[np.int64]", ReaderRecipe, int], list[TextRow]]
ROWS: dict[str, Rows] = {"gpt": gpt_rows, "bert": bert_rows, "hops": sentence_rows, "memory": gpt_rows}


def epoch_batches(corpus: BatchCorpus, recipe: ReaderRecipe, epoch: int) -> list[list[TextRow]]:
    """Return the batches of an epoch: rows of one length each, shuffled."""
    chance = np.random.default_rng((recipe.seed, epoch))
    times = shown_in(corpus.repeats, epoch, recipe.seed)
    shown = chance.permutation(np.repeat(np.arange(len(times)), times))
    by_length: dict[int, list[TextRow]] = defaultdict(list)
    for row in ROWS[recipe.kind](corpus, shown, recipe, recipe.seed + epoch):
        by_length[len(row.ids)].append(row)
    batches = []
    for length, rows in by_length.items():
        size = max(1, recipe.tokens_per_batch // length)
        batches += [rows[start : start + size] for start in range(0, len(rows), size)]
    return [batches[index] for index in chance.permutation(len(batches))]


def read_batch(rows: Sequence[TextRow]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the ids, the segments (0, and 1 from the second sentence on) and whether each second one follows.

    Shapes: returns [row, token], [row].
    """
    ids = torch.from_numpy(np.stack([row.ids for row in rows]).astype(np.int64))
    begins = torch.tensor([row.second for row in rows])
    segments = (torch.arange(ids.shape[1])[None, :] >= begins[:, None]).long()
    return ids, segments, torch.tensor([row.follows for row in rows])


def mask(ids: Tensor, vocabulary: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return what a BERT reads of `ids`, and where it has to give the token that stood there.

    Shapes: `ids` [row, token]; returns [row, token].
    """
    chance: Any = torch.Generator().manual_seed(seed)
    specials = len(BERT_SPECIALS)
    chosen = (torch.rand(ids.shape, generator=chance) < MASKED) & (ids >= specials)
    fate = torch.rand(ids.shape, generator=chance)
    others = torch.randint(specials, vocabulary, ids.shape, generator=chance)
    read = torch.where(chosen & (fate < BY_MASK), BERT_SPECIALS.index("[MASK]"), ids)
    return torch.where(chosen & (fate >= BY_MASK) & (fate < BY_MASK + BY_ANOTHER), others, read), chosen
