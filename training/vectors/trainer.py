"""A run of a recipe of word vectors: its updates, and what it measures of itself.

It writes to ``OUT/<key>/``: ``words.txt``, ``corpus.npz`` and ``held_out.npz`` (lines as ids), ``log.jsonl`` (loss of
a pair, pairs seen, seconds, held-out loss), and ``state.safetensors``, the two tables, after each epoch.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import Tensor
from tqdm import tqdm

from models.experiments.word_vectors import WORDS_FILE
from training.readers.texts import read_lines, training_lines
from training.vectors.pairs import Ids, PairCorpus, commonest, drawn, epoch_pairs, kept_share, noise, pairs_of
from training.vectors.recipe import VectorRecipe
from training.vectors.skip_gram import SkipGram

LOG_STEPS, HELD_OUT_STEPS, HELD_OUT_PAIRS = 200, 1000, 100_000


@dataclass(frozen=True, eq=False)
class VectorScores:
    """Held-out pairs, each with its own words from the noise: the same at every measurement."""

    centres: Ids  # [pair]
    contexts: Ids  # [pair]
    negatives: Ids  # [pair, k]

    @classmethod
    def of(
        cls, corpus: PairCorpus, share: NDArray[np.float64], cumulated: NDArray[np.float64], recipe: VectorRecipe
    ) -> VectorScores:
        """Return pairs of a corpus, made as in training, by a chance of their own.

        Shapes: `share` [word]; `cumulated` [word].
        """
        chance = np.random.default_rng([recipe.seed, 2_000_000])
        stays = chance.random(len(corpus.ids)) < share[corpus.ids]
        centres, contexts = pairs_of(corpus.ids[stays], corpus.lines[stays], recipe.window, chance)
        some = chance.permutation(len(centres))[:HELD_OUT_PAIRS]
        negatives = drawn(cumulated, (len(some), recipe.negatives), chance)
        return cls(centres[some], contexts[some], negatives)


@torch.no_grad()
def held_out_loss(network: SkipGram, measured: VectorScores) -> float:
    """Return the mean of what a held-out pair costs, in nats, its negatives counted in."""
    parts = range(0, len(measured.centres), 8192)
    losses = [network(*_tensors(measured, slice(start, start + 8192))) for start in parts]
    return float(torch.cat(losses).double().mean())


def _tensors(measured: VectorScores, rows: slice) -> tuple[Tensor, ...]:
    arrays = (measured.centres[rows], measured.contexts[rows], measured.negatives[rows])
    return tuple(map(torch.from_numpy, arrays))


class VectorTrainer:
    """One run of one recipe."""

    def __init__(self, recipe: VectorRecipe, data: Path, out: Path) -> None:
        self.recipe, self.folder = recipe, out / recipe.key
        self.folder.mkdir(parents=True, exist_ok=True)
        self._prepare(data)
        words = (self.folder / WORDS_FILE).read_text(encoding="utf8").splitlines()
        self.corpus = PairCorpus.load(self.folder / "corpus.npz")
        counts = self.corpus.counts(len(words))
        self.share = kept_share(counts, recipe.subsampling)
        self.cumulated = noise(counts, recipe.noise_power).cumsum()
        self.measured = VectorScores.of(
            PairCorpus.load(self.folder / "held_out.npz"), self.share, self.cumulated, recipe
        )
        self.network = SkipGram(len(words), recipe.width, recipe.seed)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=recipe.learning_rate, fused=True)
        self.step, self.pairs, self.seconds = 0, 0, 0.0

    def _prepare(self, data: Path) -> None:
        """Count the words and write the lines as ids, unless that was done."""
        if (self.folder / "held_out.npz").is_file():
            return
        lines = [line for _, own in training_lines(self.recipe, data) for line in own]
        np.random.default_rng(self.recipe.seed).shuffle(lines)
        words, total = commonest(lines, self.recipe.words)
        (self.folder / WORDS_FILE).write_text("\n".join(words) + "\n", encoding="utf8")
        places = {word: place for place, word in enumerate(words)}
        corpus = PairCorpus.of(lines, places)
        corpus.save(self.folder / "corpus.npz")
        held_out = [line for file in self.recipe.held_out for line in read_lines(file, data)]
        PairCorpus.of(held_out, places).save(self.folder / "held_out.npz")
        self.log({"lines": len(lines), "words": total, "words_with_vector": len(corpus.ids)})

    def update(self, centres: Ids, contexts: Ids, negatives: Ids) -> float:
        """Make one update on the mean of what the pairs cost; return that mean.

        Shapes: `centres` [pair]; `contexts` [pair]; `negatives` [pair, k].
        """
        self.network.zero_grad(set_to_none=True)
        loss = self.network(*map(torch.from_numpy, (centres, contexts, negatives))).mean()
        loss.backward()
        self.optimizer.step()
        self.step += 1
        self.pairs += len(centres)
        return float(loss.detach())

    def log(self, entry: dict[str, Any]) -> None:
        """Add a line to the log."""
        with (self.folder / "log.jsonl").open("a", encoding="utf8") as file:
            file.write(json.dumps(entry) + "\n")

    def save(self) -> None:
        """Write the two tables, by a rename, so that a cut run leaves a whole file."""
        partial = self.folder / "state.partial"
        told = {"step": self.step, "pairs": self.pairs, "seconds": self.seconds}
        tables = {name: value.detach().clone() for name, value in self.network.named_parameters()}
        save_file(tables, partial, {"progress": json.dumps(told)})
        partial.rename(self.folder / "state.safetensors")

    def run(self) -> None:
        """Train for the recipe's epochs; the rate falls linearly to 0, by the share of the corpus that is done."""
        begun = time.monotonic()
        for epoch in tqdm(range(self.recipe.epochs), unit="epoch", disable=None):
            chance = np.random.default_rng([self.recipe.seed, epoch])
            for done, centres, contexts in epoch_pairs(self.corpus, self.share, self.recipe.window, chance):
                rate = self.recipe.learning_rate * (1 - (epoch + done) / self.recipe.epochs)
                self.optimizer.param_groups[0]["lr"] = rate
                self._part(centres, contexts, chance, begun)
            self.save()
        self.seconds = time.monotonic() - begun
        self.log(self._told() | {"held_out_loss": round(held_out_loss(self.network, self.measured), 4)})
        self.save()

    def _told(self) -> dict[str, Any]:
        return {"step": self.step, "pairs": self.pairs, "seconds": round(self.seconds, 1)}

    def _part(self, centres: Ids, contexts: Ids, chance: np.random.Generator, begun: float) -> None:
        """Make the updates of one part of the corpus."""
        size, losses = self.recipe.pairs_per_batch, []
        for start in range(0, len(centres), size):
            rows = slice(start, start + size)
            shape = (len(centres[rows]), self.recipe.negatives)
            losses.append(self.update(centres[rows], contexts[rows], drawn(self.cumulated, shape, chance)))
            self.seconds = time.monotonic() - begun
            if self.step % LOG_STEPS == 0:
                entry = self._told() | {"loss": round(sum(losses[-LOG_STEPS:]) / len(losses[-LOG_STEPS:]), 4)}
                if self.step % HELD_OUT_STEPS == 0:
                    entry["held_out_loss"] = round(held_out_loss(self.network, self.measured), 4)
                self.log(entry)
