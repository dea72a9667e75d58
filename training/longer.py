"""Texts longer than those of training: ``python -m training.longer KEY ... --data DIR``.

Networks are trained here on texts of 64 tokens at most. A sinusoid of a farther position was never added to a token; a
distance farther than was learnt has the vector of the farthest that was (Shaw et al. 2018). Here held-out lines stand
alone, then as many consecutive ones together as fit into 64 tokens, 128, 192 and 240 (a model takes 250): the same
lines each time, so that nats a target token compare from length to length. Up to 64 is joined as well, and no longer
than in training: what rises there is due to joining, what rises after it to length. BLEU (greedy) and how much is
written, against the reference, say what becomes of a translation; BLEU of longer texts counts more that is alike, so
that it compares the models of one length alone. Intervals hold 95% of a bootstrap over the texts; differences are of
the same texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from tqdm import tqdm

from models.command import Threads, run
from models.translation.tokenizer import PairTokenizer
from models.translation.translator import Translator
from training.data import read_pairs
from training.evaluate import translate
from training.forced import surprise
from training.options import Data, Keys, translator
from training.unseen import training_sources, unseen
from training.varying import Pair

TRAINED = 64
"""Tokens of the longest texts of training."""
LENGTHS = (64, 128, 192, 240)
FILE = "europarl.dev"
SAMPLES = 1000

Floats = NDArray[np.float64]


def counted(tokenizer: PairTokenizer, pair: Pair) -> int:
    """Return the tokens of the longer side of a pair, the end not among them."""
    return max(map(len, tokenizer.encode_batch(list(pair))))


def joined(pairs: Sequence[Pair], tokens: Sequence[int], most: int) -> Iterator[Pair]:
    """Yield texts of as many consecutive pairs as have `most` tokens together at most, each pair in one of them."""
    kept: list[Pair] = []
    total = 0
    for pair, count in zip(pairs, tokens, strict=True):
        if kept and total + count > most:
            yield _together(kept)
            kept, total = [], 0
        kept.append(pair)
        total += count
    if kept:
        yield _together(kept)


def _together(pairs: Sequence[Pair]) -> Pair:
    return " ".join(source for source, _ in pairs), " ".join(target for _, target in pairs)


def nats(model: Translator, pairs: Sequence[Pair]) -> tuple[Floats, Floats]:
    """Return what each forced target costs a model in nats, and the tokens of each, the end among them.

    Shapes: returns [text].
    """
    found = np.array([surprise(model, source, target) for source, target in pairs])
    return found[:, 0], found[:, 1]


def interval(costs: Floats, counts: Floats, *, samples: int = SAMPLES) -> tuple[float, float, float]:
    """Return the sum of `costs` over that of `counts`, and the 95% interval of a bootstrap over the texts.

    Shapes: `costs` [text]; `counts` [text].
    """
    drawn = np.random.default_rng(0).integers(0, len(costs), (samples, len(costs)))
    low, high = np.quantile(costs[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.025, 0.975))
    return float(costs.sum() / counts.sum()), float(low), float(high)


def written(model: Translator, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return BLEU of the greedy translations with its interval, and their words over those of the references."""
    outputs = translate(model, [source for source, _ in pairs])
    score = BLEU().corpus_score(outputs, [[target for _, target in pairs]], n_bootstrap=SAMPLES)
    return {
        "bleu": round(score.score, 1),
        "bleu_interval": [round(score._mean - score._ci, 1), round(score._mean + score._ci, 1)],
        "written": round(score.sys_len / score.ref_len, 3),
    }


def figures(found: Sequence[Translator], pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Yield a row a model on these texts, and one for each after the first: its nats less those of the first."""
    sizes = [counted(found[0].tokenizer, pair) for pair in pairs]
    shared = {"texts": len(pairs), "mean_tokens": round(float(np.mean(sizes)), 1), "most_tokens": max(sizes)}
    first: Floats | None = None
    for model in found:
        costs, counts = nats(model, pairs)
        yield {"key": model.key} | shared | _rounded(interval(costs, counts)) | written(model, pairs)
        if first is not None:
            yield {"key": f"{model.key} less {found[0].key}"} | shared | _rounded(interval(costs - first, counts))
        first = costs if first is None else first


def _rounded(found: tuple[float, float, float]) -> dict[str, Any]:
    mean, low, high = (round(each, 3) for each in found)
    return {"nats": mean, "nats_interval": [low, high]}


def held_out(found: Sequence[Translator], data: Path) -> tuple[list[Pair], list[int]]:
    """Return held-out lines that no model was trained on and that fit into training, with their tokens."""
    path = data / found[0].entry.pair / f"{FILE}.tsv.xz"
    pairs = unseen(read_pairs(path), training_sources((model.card for model in found), data))
    tokens = [counted(found[0].tokenizer, pair) for pair in pairs]
    kept = [place for place, count in enumerate(tokens) if count <= TRAINED]
    return [pairs[place] for place in kept], [tokens[place] for place in kept]


def main(keys: Keys, *, data: Data, threads: Threads = 1) -> None:
    """Measure models on texts joined up to each length."""
    torch.set_num_threads(threads)
    found = [translator(key) for key in keys]
    pairs, tokens = held_out(found, data)
    for most in tqdm((0, *LENGTHS), disable=None):
        for row in figures(found, list(joined(pairs, tokens, most))):
            typer.echo(json.dumps({"joined_up_to": most or None} | row))


if __name__ == "__main__":
    run(main)
