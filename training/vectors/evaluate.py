"""Measure static vectors on unseen lines: ``python -m training.vectors.evaluate RECIPE --data DIR``.

Writes the figures into the card of the shipped vectors. The loss and the ranks are of the test lines, which nothing was
trained on or chosen by; the odd ones out are `odd_one_out.txt`, written by hand for this project.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.command import run
from models.experiments.word_vectors import VECTORS, WordVectors, read_vectors
from models.translation.checkpoints import CARD_FILE, write_card
from models.translation.words import bare_words
from training.options import Data, RecipeFile
from training.readers.texts import read_lines, training_lines
from training.vectors.pairs import PairCorpus, drawn, kept_share, noise
from training.vectors.recipe import VectorRecipe, read_vector_recipe
from training.vectors.trainer import VectorScores

ODD_ONES = Path(__file__).parent / "odd_one_out.txt"
RANKED = 1000
"""The true neighbour stands among so many words: itself and others that the noise gives."""

Numbers = NDArray[np.float64]


def odd_sets() -> list[list[str]]:
    """Return the sets of words of `odd_one_out.txt`; of each the last does not belong."""
    lines = ODD_ONES.read_text(encoding="utf8").splitlines()
    return [line.split() for line in lines if not line.startswith("#")]


def losses(vectors: WordVectors, measured: VectorScores) -> Numbers:
    """Return what each pair costs by equation 4 of Mikolov et al. 2013, in nats, [pair]."""
    read = vectors.table[measured.centres].astype(np.float64)  # [pair, d]
    true = np.einsum("pd,pd->p", read, vectors.outputs[measured.contexts])
    false = np.einsum("pd,pkd->pk", read, vectors.outputs[measured.negatives])
    cost: Numbers = np.logaddexp(0, -true) + np.logaddexp(0, false).sum(axis=1)
    return cost


def ranks(scores: Numbers, true: Numbers) -> Numbers:
    """Return the rank of each true score among others, from 1; equal ones count as half above it.

    Shapes: `scores` [pair, other]; `true` [pair].
    """
    above = (scores > true[:, None]).sum(axis=1)
    equal = (scores == true[:, None]).sum(axis=1)
    rank: Numbers = 1 + above + equal / 2
    return rank


def measure_ranks(
    vectors: WordVectors, measured: VectorScores, cumulated: Numbers, counts: Numbers
) -> dict[str, float]:
    """Return where the true neighbour stands among words of the noise: by the vectors, and by frequency alone.

    Shapes: `cumulated` [word]; `counts` [word].
    """
    chance = np.random.default_rng(3)
    rows = slice(0, 20_000)
    centres, contexts = measured.centres[rows], measured.contexts[rows]
    by_vectors, by_frequency = [], []
    parts = list(zip(np.array_split(centres, 100), np.array_split(contexts, 100), strict=True))
    for centre, context in tqdm(parts, desc="ranks", disable=None):
        others = drawn(cumulated, (len(centre), RANKED - 1), chance)
        scores = np.einsum("pd,pkd->pk", vectors.table[centre], vectors.outputs[others])
        true = np.einsum("pd,pd->p", vectors.table[centre], vectors.outputs[context])
        by_vectors.append(ranks(scores, true))
        by_frequency.append(ranks(counts[others], counts[context]))
    found = {}
    for name, each in (("", by_vectors), ("_by_frequency", by_frequency)):
        rank = np.concatenate(each)
        found[f"median_rank{name}"] = float(np.median(rank))
        found[f"in_first_ten{name}"] = round(float((rank <= 10).mean()), 4)
    return found | {"ranked_pairs": len(centres), "ranked_among": RANKED}


def evaluate(recipe: VectorRecipe, data: Path, folder: Path) -> dict[str, Any]:
    """Return the figures of the vectors in `folder`."""
    vectors = read_vectors(folder)
    read = (line for _, own in training_lines(recipe, data) for line in own)
    training = PairCorpus.of(tqdm(read, desc="training text", unit="line", disable=None), vectors.places)
    counts = training.counts(len(vectors.words))
    share, cumulated = kept_share(counts, recipe.subsampling), noise(counts, recipe.noise_power).cumsum()
    lines = [line for file in recipe.test for line in read_lines(file, data)]
    corpus = PairCorpus.of(lines, vectors.places)
    measured = VectorScores.of(corpus, share, cumulated, recipe)
    total = sum(len(bare_words(line)) for line in lines)
    sets = [words for words in odd_sets() if all(word in vectors for word in words)]
    return {
        "lines": len(lines),
        "pairs": len(measured.centres),
        "loss": round(float(losses(vectors, measured).mean()), 4),
        "loss_of_zeros": round((1 + recipe.negatives) * float(np.log(2)), 4),
        **measure_ranks(vectors, measured, cumulated, counts.astype(np.float64)),
        "words_without_vector": round(1 - len(corpus.ids) / total, 4),
        "odd_ones_found": sum(vectors.odd_one(words) == words[-1] for words in sets),
        "odd_sets": len(sets),
    }


def main(recipe: RecipeFile, *, data: Data) -> None:
    """Measure vectors, and write their card."""
    read = read_vector_recipe(recipe)
    folder = VECTORS / read.key
    card = json.loads((folder / CARD_FILE).read_text(encoding="utf8"))
    write_card(folder, card | {"held_out": evaluate(read, data, folder)})


if __name__ == "__main__":
    run(main)
