"""What About says of a model's sizes, training and decoding: what its card and its network say, no more."""

from __future__ import annotations

import pytest

import models
from viz.pages.bench.about import about
from viz.pages.bench.built import built

CARDS = {key: models.describe(key).card for key in models.catalog() if not models.is_pretrained(key)}


@pytest.mark.parametrize("key", CARDS)
def test_sizes_and_dropout_are_those_of_the_card(key: str) -> None:
    card, text = CARDS[key], "; ".join(built(CARDS[key]))
    assert f"{card['parameters'] / 1e6:.1f} M parameters" in text
    assert f"subwords in the vocabulary: {card['network']['vocabulary']:,}" in text
    dropout = card["network"]["dropout"]
    assert ("no dropout in training" in text) == (dropout == 0)
    assert dropout == 0 or f"dropout in training: {dropout:g}" in text
    assert f"decay {card['recipe']['average_decay']:g}" in text
    assert ("Muon" in text) == (card["recipe"].get("optimizer") == "muon")
    assert "greedy" in text
    if "heads" in card["network"]:
        assert f"heads in each layer: {card['network']['heads']}" in text
    assert all(line in about(models.describe(key)).replace("\\", "") for line in built(card))


def test_the_number_of_parameters_is_that_of_the_network() -> None:
    for key in ("bahdanau-en-fr", "transformer-en-fr"):
        counted = sum(each.numel() for each in models.load(key).network.parameters())  # type: ignore[attr-defined]
        assert counted == CARDS[key]["parameters"]


def test_of_a_card_that_says_little_nothing_is_made_up() -> None:
    assert built({}) == ["decoding: greedy, the most likely subword at each step; no beam search"]
