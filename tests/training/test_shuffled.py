"""What word order is worth: orders keep the words, and perplexity is that of the logits."""

from __future__ import annotations

import math

import pytest
import torch

from models.vocabulary import BEGIN
from tests.support.small_models import translator
from training.forced import perplexity
from training.shuffled import ORDERS, figures, shuffle_words

PAIRS = [("the cat drank the milk", "le chat"), ("a dog sleeps in the hall", "un chien dort")]


def test_orders_keep_the_words_and_one_seed_gives_one_order() -> None:
    text = "one two three four five six"
    for order in ORDERS.values():
        assert sorted(order(text).split()) == sorted(text.split())
    assert shuffle_words(text, 1) == shuffle_words(text, 1)
    assert len({shuffle_words(text, seed) for seed in range(9)}) > 1
    assert ORDERS["turned round"](text) == "six five four three two one"


def test_perplexity_is_the_mean_of_the_surprise_of_every_piece() -> None:
    model = translator("rctm")
    source, target = PAIRS[0]
    read, written = (model.tokenizer.source(text).ids for text in (source, target))
    with torch.inference_mode():
        logits = model.network.decode(
            model.network.encode(torch.tensor([read])), torch.tensor([(BEGIN, *written[:-1])])
        )
    said = logits[0].log_softmax(-1)[torch.arange(len(written)), torch.tensor(written)]
    assert perplexity(model, PAIRS[:1]) == pytest.approx(math.exp(-float(said.mean())), rel=1e-5)
    found = figures(model, PAIRS)
    assert set(found) == {*ORDERS, "source of another"}
    assert found["as it stands"] == perplexity(model, PAIRS)
    assert found["as it stands"] != found["source of another"]
