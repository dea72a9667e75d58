"""An induction head being born: ``python -m training.induction --out FILE``.

A network of two layers of attention and nothing else (Olsson et al. 2022) learns to predict a segment of random tokens
that is said twice. Its length differs from batch to batch, so that no fixed distance helps: the second copy is
predictable only by what came after the same token before. Beside it a network of one layer, which cannot compose two
heads.
"""

from __future__ import annotations

import json
import platform
import time
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from models.command import Threads, run
from models.experiments.induction_table import FULL, INDUCTION_TABLE, InductionRun, InductionTable
from models.hooks import capture
from models.measures.induction import induction_scores
from models.networks.multi_head import MultiHeadAttention
from models.sites import Site
from models.softmax import causal_mask

HELD_OUT_SEED = 0
BETAS = (0.9, 0.98)
SPREAD = 0.5  # standard deviation of embeddings and positions before training
SYLLABLES = tuple("".join(each) for each in product("bdfghjklmnprstvz", "aeiu"))
"""What the tokens are called."""


@dataclass(frozen=True, slots=True)
class InductionRecipe:
    """What the networks have in common."""

    tokens: int = len(SYLLABLES)
    shortest: int = 6  # tokens of a segment
    longest: int = 20
    width: int = 64
    heads: int = 2  # of a layer
    sequences: int = 64  # of a batch
    learning_rate: float = 1e-3
    segment: int = 12  # tokens of a segment when measured
    shown: int = 8  # tokens of the segment whose patterns are kept
    points: tuple[int, ...] = (*range(0, 1200, 50), *range(1200, 2001, 200))  # updates


class AttentionOnly(nn.Module):
    """x <- x + attention(LN(x)), layer by layer, then LN and a linear map to logits: no feed-forward part."""

    def __init__(self, recipe: InductionRecipe, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(recipe.tokens, recipe.width)
        self.positions = nn.Embedding(2 * recipe.longest, recipe.width)
        places = [Site("decoder", layer, "self") for layer in range(layers)]
        self.layers = nn.ModuleList(MultiHeadAttention(place, recipe.width, recipe.heads, 0.0) for place in places)
        self.norms = nn.ModuleList(nn.LayerNorm(recipe.width) for _ in range(layers + 1))
        self.output = nn.Linear(recipe.width, recipe.tokens)
        for table in (self.embedding, self.positions):
            nn.init.normal_(table.weight, std=SPREAD)

    def forward(self, ids: Tensor) -> Tensor:
        """Return logits [batch, token, vocabulary] for ids [batch, token].

        Shapes: `ids` [batch, token].
        """
        count = ids.shape[1]
        states = self.embedding(ids) + self.positions.weight[:count]
        mask = causal_mask(count)[None, None]  # [1, 1, query, key]
        for norm, layer in zip(self.norms, self.layers, strict=False):
            attention, read = cast("MultiHeadAttention", layer), norm(states)
            states = states + attention(read, attention.read(read), mask)
        logits: Tensor = self.output(self.norms[-1](states))
        return logits


def draw(recipe: InductionRecipe, chance: np.random.Generator, segment: int) -> Tensor:
    """Return sequences [sequence, 2 segment]: tokens at random, all different, then the same again."""
    once = chance.random((recipe.sequences, recipe.tokens)).argsort(axis=1)[:, :segment]
    return torch.from_numpy(np.concatenate((once, once), axis=1))


def losses(network: AttentionOnly, ids: Tensor) -> Tensor:
    """Return the cross entropy of each next token, in nats.

    Shapes: `ids` [sequence, token]; returns [sequence, token - 1].
    """
    return nn.functional.cross_entropy(network(ids[:, :-1]).mT, ids[:, 1:], reduction="none")


def scores(weights: NDArray[Any], ids: Sequence[int]) -> tuple[list[float], list[float], list[float]]:
    """Return of each head its induction score, the same one token further on, and its previous-token score.

    Shapes: `weights` [head, query, key].
    """
    induction, _even = induction_scores(weights, ids)
    later = np.roll(weights, -1, axis=-1)  # the weight of the key after it is read in each cell
    shifted, _even = induction_scores(later, ids)
    first_copy = weights[:, : len(set(ids)), : len(set(ids))]
    previous = first_copy.diagonal(-1, 1, 2).mean(axis=1)
    return induction.tolist(), shifted.tolist(), previous.tolist()


@torch.no_grad()
def patterns(network: AttentionOnly, ids: Tensor) -> NDArray[np.float32]:
    """Return the weights of all heads, [sequence, head, query, key], for ids [sequence, token].

    Shapes: `ids` [sequence, token]; returns [sequence, head, query, key].
    """
    with capture(("*.weights",)) as session:
        network(ids)
    found: NDArray[np.float32] = torch.cat([session[site] for site in session.sites], dim=1).numpy()
    return found


@dataclass
class _Record:
    """What is measured of a run, point by point."""

    ids: Tensor  # [sequence, token] held out
    text: Tensor  # [1, token] whose patterns are kept
    found: list[tuple[Any, ...]]
    patterns: list[NDArray[np.uint8]]

    def measure(self, network: AttentionOnly) -> None:
        """Add a point."""
        ids = self.ids
        segment = ids.shape[1] // 2
        with torch.no_grad():
            each = losses(network, ids).mean(dim=0)
        weights = patterns(network, ids[:, :-1])
        of_text = [scores(one, names) for one, names in zip(weights, ids[:, :-1].tolist(), strict=True)]
        means = map(tuple, np.array(of_text).mean(axis=0).round(4).tolist())  # [score, head]
        # the first token of the second copy cannot be known
        first, second = each[: segment - 1], each[segment:]
        self.found.append((round(float(first.mean()), 4), round(float(second.mean()), 4), *means))
        self.patterns.append((patterns(network, self.text)[0] * FULL).round().astype(np.uint8))


def held_out(recipe: InductionRecipe) -> tuple[Tensor, Tensor]:
    """Return the sequences that networks are measured on, and the one whose patterns are kept, without its last token.

    Shapes: returns [sequence, token] and [1, token].
    """
    chance = np.random.default_rng(HELD_OUT_SEED)
    return draw(recipe, chance, recipe.segment), draw(recipe, chance, recipe.shown)[:1, :-1]


def train(recipe: InductionRecipe, layers: int, seed: int) -> tuple[InductionRun, NDArray[np.uint8]]:
    """Train one network and measure it at the points; its patterns with it.

    Shapes: returns [point, head, query, key].
    """
    torch.manual_seed(seed)
    network, chance = AttentionOnly(recipe, layers), np.random.default_rng((seed, 1))
    record = _Record(*held_out(recipe), [], [])
    optimizer = torch.optim.Adam(network.parameters(), lr=recipe.learning_rate, betas=BETAS)
    for step in tqdm(range(recipe.points[-1] + 1), desc=f"{layers=} {seed=}", disable=None):
        if step in recipe.points:
            record.measure(network)
        optimizer.zero_grad()
        segment = int(chance.integers(recipe.shortest, recipe.longest, endpoint=True))
        losses(network, draw(recipe, chance, segment)).mean().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return InductionRun(layers, seed, *map(tuple, zip(*record.found, strict=True))), np.stack(record.patterns)


def measured(recipe: InductionRecipe, seeds: int) -> InductionTable:
    """Train networks of two layers and of one, `seeds` of each, and return the figures."""
    begun, (ids, text) = time.monotonic(), held_out(recipe)
    found = [train(recipe, layers, seed) for layers, seed in product((2, 1), range(1, seeds + 1))]
    names = ids[0, :-1].tolist()
    return InductionTable(
        **{name: getattr(recipe, name) for name in InductionRecipe.__slots__},
        parameters=sum(each.numel() for each in AttentionOnly(recipe, 2).parameters()),
        held_out=len(ids),
        even=round(induction_scores(np.zeros((1, len(names), len(names))), names)[1], 4),
        seconds=round(time.monotonic() - begun),
        machine=f"{platform.machine()}, torch {torch.__version__}, threads: {torch.get_num_threads()}",
        runs=tuple(each for each, _patterns in found),
        text=tuple(SYLLABLES[token] for token in text[0].tolist()),
        patterns=b64encode(found[0][1].tobytes()).decode(),
    )


def main(
    *,
    out: Annotated[Path, typer.Option(help="JSON file to write.")] = INDUCTION_TABLE,
    seeds: Annotated[int, typer.Option(help="Runs of each depth.", min=1)] = 3,
    threads: Threads = 1,
) -> None:
    """Train both depths, some seeds of each, and write what was measured."""
    torch.set_num_threads(threads)
    out.write_text(json.dumps(asdict(measured(InductionRecipe(), seeds))) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
