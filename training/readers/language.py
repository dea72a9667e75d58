"""The language models with a memory: their sizes, what they are trained to give, and how far back they read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from models.hooks import capture
from models.networks.memory_models import MEMORY, N_GRAM, PARTS, LanguageModel
from training.loss import output_loss
from training.readers.batches import TextRow, read_batch
from training.readers.recipe import ReaderRecipe

NOTHING = -100

FAR = 15
"""How many tokens back a weight is told by itself; all that lie further are told together."""

TAPE = "Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading, EMNLP, arXiv:1601.06733"
"""The paper of the LSTMN, of 2016."""

SHORT_SPANS = (
    "Daniluk, Rocktäschel, Welbl and Riedel 2017, Frustratingly Short Attention Spans in Neural Language Modeling, "
    "ICLR, arXiv:1702.04521",
    2017,
)
"""The paper of the other four."""

TITLES = {
    "attention": "Attention language model",
    "key-value": "Key-value language model",
    "key-value-predict": "Key-value-predict language model",
    N_GRAM: "N-gram RNN",
    "lstmn": "LSTMN: memory tape",
}

_ALIKE = (
    "Small, and trained on the English of parallel text, each line read alone: pieces of bytes instead of words, the "
    "tokenizer of the small GPT; text, order and tokens seen are the same for all five models, the number of "
    "parameters within one in a hundred.",
    "One embedding for what is read, scaled to unit variance, and for what is predicted; so the last state has the "
    "size of an embedding.",
    "No dropout; Muon for the matrices inside the network, Adam for all else, clipped gradients; in training the "
    "output layer multiplies numbers of bfloat16.",
)
_READS = "The first token, before which nothing stands, reads itself: its weight is 1."
DEPARTURES = {
    "attention": (*_ALIKE, _READS),
    "key-value": (*_ALIKE, _READS),
    "key-value-predict": (*_ALIKE, _READS),
    N_GRAM: (*_ALIKE, "Where no output stands yet, its slice is of zeros."),
    "lstmn": (
        *_ALIKE,
        "One layer; the tape holds the whole text, 64 pieces at most. Before the first token it has one slot of zeros, "
        "which a map shows in that token's own cell: its weight is 1.",
        "A matrix turns h into a vector of the size of an embedding before the output layer.",
    ),
}


def language_sizes(recipe: ReaderRecipe) -> dict[str, int]:
    """Return what the network of a recipe is built from, for `models.readers.language.network_of`."""
    found = {"vocabulary": recipe.vocabulary, "d_embedding": recipe.width, "d_hidden": recipe.hidden}
    if recipe.memory in PARTS:
        return found | {"parts": PARTS[recipe.memory], "window": recipe.window}
    return found | ({"order": recipe.order} if recipe.memory == N_GRAM else {})


def language_loss(network: LanguageModel, rows: list[TextRow]) -> tuple[Tensor, int]:
    """Return the loss in nats per token that is to be written, and how many there are.

    In training the products with the output layer, two thirds of all, are of bfloat16 numbers.
    """
    ids, _, _ = read_batch(rows)
    states, labels = network.states(ids[:, :-1]), ids[:, 1:]
    precision = torch.bfloat16 if network.training else torch.float32
    table, bias = network.embedding.weight, network.output_bias
    return output_loss(states, table, bias, labels, ignore=NOTHING, precision=precision), labels.numel()


def card_of_language(recipe: ReaderRecipe) -> dict[str, Any]:
    """Return what a card says of a language model: title, paper, departures and sizes."""
    paper, year = (TAPE, 2016) if recipe.memory == "lstmn" else SHORT_SPANS
    return {
        "title": TITLES[recipe.memory],
        "paper": paper,
        "year": year,
        "departures": list(DEPARTURES[recipe.memory]),
        "network": language_sizes(recipe),
    }


@torch.no_grad()
def measure_reach(network: LanguageModel, batches: Iterable[list[TextRow]]) -> dict[str, Any]:
    """Return how the weight of a token is shared out over the tokens before it, a mean over held-out tokens.

    Only tokens with `FAR` others before them count, so that each distance is there for each.
    """
    total, count, distance = torch.zeros(FAR + 1, dtype=torch.float64), 0, 0.0
    for rows in batches:
        ids = read_batch(rows)[0][:, :-1]
        if ids.shape[1] <= FAR:
            continue
        with capture((str(MEMORY),), copies=False) as session:
            network.states(ids)
        weights = session[MEMORY.at("weights")][:, 0].double()  # [row, token, token]
        back = torch.arange(ids.shape[1])[FAR:, None] - torch.arange(ids.shape[1])
        place = back.clamp(1, FAR + 1) - 1  # nothing that is ahead has a weight
        shares = weights[:, FAR:].sum(dim=0)  # [token, token]
        total += torch.zeros(FAR + 1, dtype=torch.float64).index_add(0, place.flatten(), shares.flatten())
        distance += float((shares * back).sum())
        count += weights.shape[0] * (weights.shape[1] - FAR)
    means = (total / max(1, count)).tolist()
    return {
        "rows": count,
        "by_distance": [round(each, 5) for each in means[:FAR]],
        "further": round(means[FAR], 5),
        "last_five": round(sum(means[:5]), 4),
        "mean_distance": round(distance / max(1, count), 3),
    }
