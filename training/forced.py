"""Held-out pairs, the perplexity of forced targets, and the command line of what is measured on them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from tqdm import tqdm

from models.command import Threads
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN
from training.data import read_pairs
from training.options import Data, Keys, translator

Pair = tuple[str, str]
Lines = Annotated[int, typer.Option(help="Pairs of tatoeba.test.", min=1)]


def held_out(path: Path, lines: int, least: int = 4) -> list[Pair]:
    """Return distinct pairs of a file whose sources have words to shuffle."""
    found = {source: target for source, target in read_pairs(path) if len(source.split()) >= least}
    pairs = list(found.items())
    return pairs[:: max(1, len(pairs) // lines)][:lines]


@torch.inference_mode()
def surprise(model: Translator, source: str, target: str) -> tuple[float, int]:
    """Return what a forced target costs in nats, and its pieces, the end among them."""
    read = read_text(model.tokenizer, source, "sentence").ids
    written = read_text(model.tokenizer, target, "translation").ids
    memory = model.network.encode(torch.tensor([read]))
    logits = model.network.decode(memory, torch.tensor([(BEGIN, *written[:-1])]))[0]
    return float(torch.nn.functional.cross_entropy(logits, torch.tensor(written), reduction="sum")), len(written)


def perplexity(model: Translator, pairs: Sequence[Pair]) -> float:
    """Return the perplexity a target piece, the end among them, each target forced."""
    found = [surprise(model, source, target) for source, target in pairs]
    return math.exp(sum(nats for nats, _ in found) / sum(pieces for _, pieces in found))


def measure_keys(figures: Callable[[Translator, Sequence[Pair]], Mapping[str, Any]]) -> Callable[..., None]:
    """Return a command that prints a JSON line of `figures` on held-out pairs for each model."""

    def main(keys: Keys, *, data: Data, lines: Lines = 500, threads: Threads = 1) -> None:
        torch.set_num_threads(threads)
        for key in tqdm(keys, disable=None):
            model = translator(key)
            pairs = held_out(data / model.entry.pair / "tatoeba.test.tsv.xz", lines)
            found = {
                name: round(each, 3) if isinstance(each, float) else each
                for name, each in figures(model, pairs).items()
            }
            typer.echo(json.dumps({"key": key, "pairs": len(pairs), **found}))

    main.__module__ = figures.__module__
    return main
