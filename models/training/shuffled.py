"""What the order of the source words is worth: ``python -m models.training.shuffled KEY ... --data DIR``.

Kalchbrenner and Blunsom 2013 shuffle the words of the source and find a clearly worse perplexity of the translation:
the vector that the pyramid makes knows their order. Here the perplexity a piece of the given translation, on held-out
text, with the words as they stand, shuffled (each text in one order drawn by the seed), and turned round; and with the
source of another sentence, of the next line, as what a model does that gets no help from its source.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from models.registry import load_translator
from models.training.data import read_pairs
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN

SEED = 1
Pair = tuple[str, str]


def shuffle_words(text: str, seed: int) -> str:
    """Return the words of `text`, cut at white space, in an order drawn from `seed`.

    Parameters
    ----------
    text : str
    seed : int

    Examples
    --------
    >>> sorted(shuffle_words("a b c", 1).split())
    ['a', 'b', 'c']
    """
    words = text.split()
    random.Random(f"{seed} {text}").shuffle(words)
    return " ".join(words)


ORDERS: dict[str, Callable[[str], str]] = {
    "as it stands": str,
    "shuffled": lambda text: shuffle_words(text, SEED),
    "turned round": lambda text: " ".join(text.split()[::-1]),
}


def held_out(path: Path, lines: int, least: int = 4) -> list[Pair]:
    """Return distinct pairs of a file whose sources have words to shuffle.

    Parameters
    ----------
    path : Path
        A ``.tsv.xz`` file.
    lines : int
        How many pairs at most, evenly drawn.
    least : int, optional
        Words of a source.
    """
    found = {source: target for source, target in read_pairs(path) if len(source.split()) >= least}
    pairs = list(found.items())
    return pairs[:: max(1, len(pairs) // lines)][:lines]


@torch.inference_mode()
def surprise(model: Translator, source: str, target: str) -> tuple[float, int]:
    """Return what a forced target costs in nats, and its pieces, the end among them.

    Parameters
    ----------
    model : Translator
    source, target : str
    """
    read = read_text(model.tokenizer, source, "sentence").ids
    written = read_text(model.tokenizer, target, "translation").ids
    memory = model.network.encode(torch.tensor([read]))
    logits = model.network.decode(memory, torch.tensor([(BEGIN, *written[:-1])]))[0]
    return float(torch.nn.functional.cross_entropy(logits, torch.tensor(written), reduction="sum")), len(written)


def perplexity(model: Translator, pairs: Sequence[Pair]) -> float:
    """Return the perplexity a target piece, the end among them, each target forced.

    Parameters
    ----------
    model : Translator
    pairs : sequence of (str, str)
        At least one.
    """
    found = [surprise(model, source, target) for source, target in pairs]
    return math.exp(sum(nats for nats, _ in found) / sum(pieces for _, pieces in found))


def figures(model: Translator, pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the perplexity for each order of the source words, and for the source of the next pair.

    Parameters
    ----------
    model : Translator
    pairs : sequence of (str, str)
        At least two.
    """
    found = {
        name: perplexity(model, [(order(source), target) for source, target in pairs]) for name, order in ORDERS.items()
    }
    turned = [*pairs[1:], pairs[0]]
    strange = [(other, target) for (other, _), (_, target) in zip(turned, pairs, strict=True)]
    return found | {"source of another": perplexity(model, strange)}


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("keys", nargs="+", help="what models.load takes: keys, or folders with a card")
    parser.add_argument("--data", type=Path, required=True, help="folder of the parallel text")
    parser.add_argument("--lines", type=int, default=500, help="pairs of tatoeba.test")
    parser.add_argument("--threads", type=int, default=1)
    choices = parser.parse_args()
    torch.set_num_threads(choices.threads)
    for key in choices.keys:
        model = load_translator(Path(key) if Path(key).is_dir() else key)
        pairs = held_out(choices.data / model.entry.pair / "tatoeba.test.tsv.xz", choices.lines)
        found = {name: round(value, 2) for name, value in figures(model, pairs).items()}
        sys.stdout.write(json.dumps({"key": key, "pairs": len(pairs), **found}) + "\n")


if __name__ == "__main__":
    main()
