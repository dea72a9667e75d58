"""What a teacher writes: the sources of a training file, translated by a trained model.

A smaller or simpler network learns more from that than from the references (Kim and Rush 2016, "Sequence-level
knowledge distillation"): there is one way to say each thing, in the order of the source. A recipe names the teacher
of a file; a run has it write before it begins, once for all recipes that keep their encoded text in one place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

import torch
from tqdm import tqdm

from models.loading import load
from models.translation.beam import search
from models.translation.translator import Translator
from models.vocabulary import END
from training.data import pairs_of, taught_path
from training.recipes import Recipe, RecipeError
from training.varying import Pair

BLOCK = 4000
"""Sentences that are sorted by length together, the better half of whose translations is kept."""
BATCH = 32
WIDTH = 4
"""Of the beam."""
MOST_WORDS = 14
"""Longer sources are left out: a teacher errs there most."""
RATIO = 2.0
"""How much longer or shorter than the reference a translation may be, in words, three more counted on each side."""


def looks_broken(translation: str, reference: str) -> bool:
    """Return whether a translation is unlikely to be one: empty, of another length, or with a word thrice in a row."""
    words = translation.split()
    lengths = len(words) + 3, len(reference.split()) + 3
    stutters = any(len(set(words[place : place + 3])) == 1 for place in range(len(words) - 2))
    return not words or stutters or max(lengths) > RATIO * min(lengths)


def scored(model: Translator, sources: Sequence[str]) -> list[tuple[str, float]]:
    """Return the translation of each source by beam search, and its mean log-probability a token."""
    by_length: dict[int, list[int]] = defaultdict(list)
    encoded = model.tokenizer.encode_batch(list(sources))
    for index, ids in enumerate(encoded):
        by_length[len(ids)].append(index)
    batches = [rows[start : start + BATCH] for rows in by_length.values() for start in range(0, len(rows), BATCH)]
    found = [("", 0.0)] * len(sources)
    for rows in tqdm(batches, desc="teach", unit="batch", disable=None):
        source = torch.tensor([[*encoded[row], END] for row in rows])
        for row, [(ids, worth), *_others] in zip(rows, search(model.network, source, WIDTH), strict=True):
            found[row] = model.tokenizer.decode(ids), sum(worth) / len(worth)
    return found


def taught(model: Translator, references: Mapping[str, str]) -> Iterator[Pair]:
    """Return (source, translation) of the sources that a model translates soundly, and of which it is surest."""
    sources = (source for source in references if len(source.split()) <= MOST_WORDS)
    while block := list(islice(sources, BLOCK)):
        found = scored(model, block)
        middle = median(mean for _translation, mean in found)
        for source, (translation, mean) in zip(block, found, strict=True):
            if mean >= middle and not looks_broken(translation, references[source]):
                yield source, translation


def write_taught(recipe: Recipe, data: Path, cache: Path) -> None:
    """Have the teachers of a recipe write what is not there yet, each file at `taught_path`."""
    for file in recipe.files:
        path = taught_path(file, cache)
        if not file.teacher or path.exists():
            continue
        model = load(file.teacher)
        if not isinstance(model, Translator) or model.entry.pair != recipe.pair:
            message = f"{file.path}: {file.teacher} cannot teach {recipe.pair}, it is no model of that pair"
            raise RecipeError(message)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        with partial.open("w", encoding="utf8") as out, torch.inference_mode():
            references = dict(pairs_of(file, data))
            out.writelines(f"{source}\t{translation}\n" for source, translation in taught(model, references))
        partial.rename(path)
