"""What it costs to read one place alone: ``python -m training.hardened KEY ... --data DIR``.

Xu et al. 2015 find attention that is trained to draw the place it reads at least as good as attention that reads the
mean of all. Here, of any translator with one map, on held-out text: the perplexity a piece of the given translation as
the model reads, with each row hardened to its likeliest place, and with each place drawn from its row, by several
seeds; and how peaked the rows are: their entropy, which is 0 where one place has all, and their largest weight. Of
hard attention the rows are the probabilities that it draws from, and to harden them changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

import torch

from models.command import run
from models.edits import harden, sample
from models.hooks import capture
from models.sites import Site
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN
from training.forced import Pair, measure_keys, perplexity

SEEDS = (1, 2, 3)


def place_of(model: Translator) -> Site:
    """Return where `model` reads its source."""
    places = [place for place, heads in model.heads.items() if place.kind == "cross" and heads == 1]
    if len(places) != 1 or len(model.heads) != 1:
        message = f"{model.key} has no single map of one head to harden; give a recurrent model with attention"
        raise ValueError(message)
    return places[0]


@torch.inference_mode()
def peakedness(model: Translator, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return the mean entropy, in bits, and the mean largest weight of the rows that a place is read by."""
    place = place_of(model)
    bits, largest, rows = 0.0, 0.0, 0
    for source, target in pairs:
        read = read_text(model.tokenizer, source, "sentence").ids
        written = read_text(model.tokenizer, target, "translation").ids
        with capture([f"{place}.*"], copies=False) as session:
            memory = model.network.encode(torch.tensor([read]))
            model.network.decode(memory, torch.tensor([(BEGIN, *written[:-1])]))
        chances = place.at("probabilities")
        shares = session[chances if chances in session.sites else place.at("weights")][0, 0]  # [target, source]
        bits -= float(torch.special.xlogy(shares, shares).sum()) / math.log(2)
        largest += float(shares.amax(-1).sum())
        rows += len(shares)
    return bits / rows, largest / rows


def figures(model: Translator, pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the perplexities and what tells how peaked the rows are."""
    place = str(place_of(model))
    found = {"as it reads": perplexity(model, pairs)}
    with capture((), [harden(place, None, None)]):
        found["likeliest place"] = perplexity(model, pairs)
    drawn = []
    for seed in SEEDS:
        with capture((), [sample(place, None, None, seed)]):
            drawn.append(perplexity(model, pairs))
    found["drawn place"] = fmean(drawn)
    found["bits a row"], found["largest of a row"] = peakedness(model, pairs)
    return found


main = measure_keys(figures)


if __name__ == "__main__":
    run(main)
