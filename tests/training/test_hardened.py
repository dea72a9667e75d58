"""What it costs to read one place alone: perplexities under both readings, and how peaked rows are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support.small_models import translator
from training.hardened import figures, peakedness, place_of

PAIRS = [("the cat drank the milk", "le chat"), ("a dog sleeps in the hall", "un chien dort")]
PLACE = "decoder.0.cross"


@pytest.mark.parametrize(("key", "quantity"), [("bahdanau", "weights"), ("hard", "probabilities")])
def test_entropy_and_largest_are_means_over_the_rows_that_a_place_is_read_by(key: str, quantity: str) -> None:
    model = translator(key)
    bits, largest = [], []
    for source, target in PAIRS:
        found = model.attend(source, target, sites=("*",))[PLACE]
        rows = (found.weights if quantity == "weights" else found.companions[quantity])[0].astype(float)
        bits += [-sum(share * math.log2(share) for share in row if share) for row in rows]
        largest += rows.max(-1).tolist()
    assert peakedness(model, PAIRS) == pytest.approx((np.mean(bits), np.mean(largest)), rel=1e-5)


def test_to_harden_hard_attention_costs_nothing_and_a_soft_one_something() -> None:
    hard, soft = (figures(translator(key), PAIRS) for key in ("hard", "bahdanau"))
    assert hard["likeliest place"] == hard["as it reads"] != hard["drawn place"]
    assert soft["likeliest place"] != soft["as it reads"]
    assert set(hard) == set(soft)


@pytest.mark.parametrize("key", ["transformer", "seq2seq"])
def test_a_model_without_one_map_of_one_head_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="no single map of one head"):
        place_of(translator(key))
