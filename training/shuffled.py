"""What the order of the source words is worth: ``python -m training.shuffled KEY ... --data DIR``.

Kalchbrenner and Blunsom 2013 shuffle the words of the source and find a clearly worse perplexity of the translation:
the vector that the pyramid makes knows their order. Here the perplexity a piece of the given translation, on held-out
text, with the words as they stand, shuffled (each text in one order drawn by the seed), and turned round; and with the
source of another sentence, of the next line, as what a model does that gets no help from its source.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from models.command import run
from models.translation.translator import Translator
from training.forced import Pair, measure_keys, perplexity

SEED = 1


def shuffle_words(text: str, seed: int) -> str:
    """Return the words of `text`, cut at white space, in an order drawn from `seed`."""
    words = text.split()
    random.Random(f"{seed} {text}").shuffle(words)
    return " ".join(words)


ORDERS: dict[str, Callable[[str], str]] = {
    "as it stands": str,
    "shuffled": lambda text: shuffle_words(text, SEED),
    "turned round": lambda text: " ".join(text.split()[::-1]),
}


def figures(model: Translator, pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the perplexity for each order of the source words, and for the source of the next pair."""
    found = {
        name: perplexity(model, [(order(source), target) for source, target in pairs]) for name, order in ORDERS.items()
    }
    turned = [*pairs[1:], pairs[0]]
    strange = [(other, target) for (other, _), (_, target) in zip(turned, pairs, strict=True)]
    return found | {"source of another": perplexity(model, strange)}


main = measure_keys(figures)


if __name__ == "__main__":
    run(main)
