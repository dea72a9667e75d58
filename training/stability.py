"""Four twins, pre- and post-LN, with and without warm-up: ``python -m training.stability --out FILE``.

Small Transformers learn to translate sentences of made-up words: a dictionary, and a change of order (an adjective
before a noun comes after it), so that the right alignment is known. Twins of one seed see the same batches; pre- and
post-LN begin with the same matrices. Adam, one learning rate, no dropout, no label smoothing, no clipping of gradients.
Measured are the held-out loss, the length of each layer's gradient (Xiong et al. 2020) and how well
cross-attention aligns.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from torch import Tensor, nn
from tqdm import tqdm

from models.command import Threads, run
from models.experiments.stability_table import STABILITY_TABLE, StabilityRun, StabilityTable
from models.hooks import capture
from models.networks.transformer import TransformerNetwork
from models.vocabulary import BEGIN, END

SPECIAL = 3  # ids before the words: <pad>, <s>, </s>
HELD_OUT_SEED = 0
BETAS = (0.9, 0.98)


@dataclass(frozen=True, slots=True)
class StabilityRecipe:
    """What the twins have in common."""

    words: int = 64  # of each language; the first half are adjectives, the others nouns
    shortest: int = 5
    longest: int = 10
    layers: int = 6
    width: int = 64
    heads: int = 4
    feed_forward: int = 128
    sentences: int = 32  # of a batch, all of one length
    learning_rate: float = 2e-3  # of four in a trial the best of post-LN with warm-up: docs/training.md
    warmup: int = 300
    points: tuple[int, ...] = (0, 10, 20, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500)  # updates


@dataclass(frozen=True)
class Sentences:
    """Pairs of one length with their alignment."""

    source: Tensor  # [sentence, word + 1] closed by ``</s>``
    inputs: Tensor  # [sentence, word + 1] ``<s>``, y1, ...
    labels: Tensor  # [sentence, word + 1] y1, ..., ``</s>``
    order: NDArray[np.int64]  # [sentence, word] the source word that each target word translates


def draw(recipe: StabilityRecipe, chance: np.random.Generator, length: int) -> Sentences:
    """Draw a batch of sentences of `length` words."""
    source = chance.integers(0, recipe.words, (recipe.sentences, length))
    adjective = source < recipe.words // 2
    order = np.tile(np.arange(length), (recipe.sentences, 1))
    for place in range(length - 1):
        before_noun = adjective[:, place] & ~adjective[:, place + 1]
        order[before_noun, place], order[before_noun, place + 1] = place + 1, place
    target = SPECIAL + recipe.words + np.take_along_axis(source, order, axis=1)
    begin, end = (np.full((recipe.sentences, 1), special) for special in (BEGIN, END))
    read, inputs, labels = (
        torch.from_numpy(np.hstack(text)) for text in ((SPECIAL + source, end), (begin, target), (target, end))
    )
    return Sentences(read, inputs, labels, order)


def held_out(recipe: StabilityRecipe) -> list[Sentences]:
    """Return a batch of each length, the same for all."""
    chance = np.random.default_rng(HELD_OUT_SEED)
    return [draw(recipe, chance, length) for length in range(recipe.shortest, recipe.longest + 1)]


def build(recipe: StabilityRecipe, seed: int, *, pre_norm: bool) -> TransformerNetwork:
    """Return a twin before its training: one seed, the same matrices in both orders of normalisation."""
    torch.manual_seed(seed)
    return TransformerNetwork(
        vocabulary=SPECIAL + 2 * recipe.words,
        d_model=recipe.width,
        heads=recipe.heads,
        layers=recipe.layers,
        d_feedforward=recipe.feed_forward,
        dropout=0.0,
        pre_norm=pre_norm,
    )


def loss_of(network: TransformerNetwork, batch: Sentences) -> Tensor:
    """Return the mean cross entropy of a batch, in nats a target token."""
    logits = network.decode(network.encode(batch.source), batch.inputs)
    return nn.functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten())


def gradient_lengths(network: TransformerNetwork, batches: Sequence[Sentences]) -> tuple[float, list[float]]:
    """Return the mean loss of `batches`, and the L2 length of its gradient in each layer, encoder first."""
    loss = torch.stack([loss_of(network, batch) for batch in batches]).mean()
    layers = [list(layer.parameters()) for layer in (*network.encoder, *network.decoder)]
    found = iter(torch.autograd.grad(loss, [each for layer in layers for each in layer]))
    lengths = [torch.stack([next(found).norm() for _ in layer]).norm() for layer in layers]
    return float(loss.detach()), [float(each) for each in lengths]


@torch.no_grad()
def right_links(network: TransformerNetwork, batch: Sentences) -> NDArray[np.bool_]:
    """Return for each cross-attention head whether the strongest source token of a target word is the right one.

    Shapes: returns [head, target word].
    """
    with capture(("decoder.*.cross.weights",)) as session:
        loss_of(network, batch)
    weights = torch.cat([session[site] for site in session.sites], dim=1)  # [sentence, head, target, source]
    strongest = weights.argmax(dim=-1)[:, :, :-1].numpy()  # without the row that writes </s>
    right: NDArray[np.bool_] = strongest == batch.order[:, None]  # [sentence, head, target]
    return right.swapaxes(0, 1).reshape(weights.shape[1], -1)


def aligned(network: TransformerNetwork, batches: Sequence[Sentences]) -> float:
    """Return the share of right links of the head that is best on the other half of the sentences."""
    right = [right_links(network, batch) for batch in batches]
    halves = [np.concatenate([each[:, side::2] for each in right], axis=1).mean(axis=1) for side in (0, 1)]
    return float(np.mean([halves[1][halves[0].argmax()], halves[0][halves[1].argmax()]]))


def train(
    recipe: StabilityRecipe, seed: int, batches: Sequence[Sentences], *, pre_norm: bool, warmup: int
) -> StabilityRun:
    """Train one twin and measure it at the points."""
    network, chance = build(recipe, seed, pre_norm=pre_norm), np.random.default_rng(seed)
    optimizer = torch.optim.Adam(network.parameters(), betas=BETAS, fused=True)
    losses, links, gradients = [], [], []
    for step in tqdm(range(recipe.points[-1] + 1), desc=f"{pre_norm=} {warmup=} {seed=}", disable=None):
        if step in recipe.points:
            loss, lengths = gradient_lengths(network, batches)
            losses.append(round(loss, 4))
            links.append(round(aligned(network, batches), 4))
            gradients.append(tuple(float(f"{each:.3g}") for each in lengths))
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * min(1.0, (step + 1) / warmup)
        optimizer.zero_grad()
        length = int(chance.integers(recipe.shortest, recipe.longest, endpoint=True))
        loss_of(network, draw(recipe, chance, length)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return StabilityRun(pre_norm, warmup, seed, tuple(losses), tuple(links), tuple(gradients))


def measured(recipe: StabilityRecipe, seeds: int) -> StabilityTable:
    """Train the four twins, `seeds` of each, and return the figures."""
    begun, batches = time.monotonic(), held_out(recipe)
    runs = tuple(
        train(recipe, seed, batches, pre_norm=pre_norm, warmup=warmup)
        for seed, pre_norm, warmup in product(range(1, seeds + 1), (False, True), (recipe.warmup, 1))
    )
    words = sum(batch.order.size for batch in batches)
    return StabilityTable(
        **{name: getattr(recipe, name) for name in StabilityRecipe.__slots__},
        parameters=sum(each.numel() for each in build(recipe, 1, pre_norm=True).parameters()),
        held_out=sum(len(batch.order) for batch in batches),
        seconds=round(time.monotonic() - begun),
        machine=f"{platform.machine()}, torch {torch.__version__}, threads: {torch.get_num_threads()}",
        chance=round(sum(batch.order.size / batch.source.shape[1] for batch in batches) / words, 4),
        runs=runs,
    )


def main(
    *,
    out: Annotated[Path, typer.Option(help="JSON file to write.")] = STABILITY_TABLE,
    seeds: Annotated[int, typer.Option(help="Runs of each twin.", min=1)] = 3,
    threads: Threads = 1,
) -> None:
    """Train the four twins, some seeds of each, and write what was measured."""
    torch.set_num_threads(threads)
    out.write_text(json.dumps(asdict(measured(StabilityRecipe(), seeds))) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
