"""Held-out pairs, the perplexity of forced targets, and the command line of what is measured on them."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from models.registry import load_translator
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN
from training.data import read_pairs

Pair = tuple[str, str]


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


def measure_keys(says: str | None, figures: Callable[[Translator, Sequence[Pair]], Mapping[str, Any]]) -> None:
    """For each model named on the command line, print a JSON line of `figures` on held-out pairs."""
    parser = argparse.ArgumentParser(description=says.splitlines()[0] if says else None)
    parser.add_argument("keys", nargs="+", help="what models.load takes: keys, or folders with a card")
    parser.add_argument("--data", type=Path, required=True, help="folder of the parallel text")
    parser.add_argument("--lines", type=int, default=500, help="pairs of tatoeba.test")
    parser.add_argument("--threads", type=int, default=1)
    choices = parser.parse_args()
    torch.set_num_threads(choices.threads)
    for key in choices.keys:
        model = load_translator(Path(key) if Path(key).is_dir() else key)
        pairs = held_out(choices.data / model.entry.pair / "tatoeba.test.tsv.xz", choices.lines)
        found = {
            name: round(each, 3) if isinstance(each, float) else each for name, each in figures(model, pairs).items()
        }
        sys.stdout.write(json.dumps({"key": key, "pairs": len(pairs), **found}) + "\n")
