"""The shipped captioners, described without loading them. Importing it does not import torch."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from models.cards import WEIGHTS, kept_while_unchanged
from models.mechanisms import INHERITED, Mechanism
from models.messages import Message, mark
from models.scenes.things import CELLS
from models.translation.checkpoints import CheckpointError, read_card
from models.translation.entry import Entry

PAIR = "scene-en"
CAPTIONERS = WEIGHTS / "captioners"
"""The folders of their weights."""

SOFT = Mechanism(
    key="show-tell-soft",
    title=mark("Soft attention"),
    year=2015,
    formula=(
        r"z_t = \beta_t \sum_i \alpha_{ti} a_i, \quad \alpha_t = \operatorname{softmax}(e_t), \quad "
        r"e_{ti} = v^\top \tanh(W h_{t-1} + U a_i)"
    ),
    paper=(
        "Xu, Ba, Kiros, Cho, Courville, Salakhutdinov, Zemel and Bengio 2015, Show, Attend and Tell: Neural Image "
        "Caption Generation with Visual Attention, ICML, arXiv:1502.03044"
    ),
    equation=mark("section 4.2 (deterministic “soft” attention), equations 4 to 6 and 13"),
    departures=(
        mark(
            "The pictures are drawn scenes of nine cells, 36 by 36 pixels. The captions follow fixed rules. In the "
            "paper the pictures are photographs and people wrote the captions."
        ),
        mark(
            "The encoder has three convolutions and one layer that adds to each annotation vector what it and the mean "
            "of all nine give, trained with the decoder. In the paper it is a VGG network, trained on ImageNet and "
            "then fixed, with 196 annotation vectors. Here there are 9, one a cell."
        ),
        mark(
            "A learned vector for the place of the cell is added to each annotation vector. In the paper none is added."
        ),
        mark(
            "The first state is one tanh layer over the mean of the annotation vectors. In the paper it is a deeper "
            "network. The output layer is the embedding of the words (in the paper a matrix of its own)."
        ),
        mark("Adam with an average of the weights. In the paper RMSProp or Adam, and early stopping by BLEU."),
    ),
    network="models.networks.show_tell:ShowTellNetwork",
    is_small=True,
)
REGULAR = replace(
    SOFT,
    key="show-tell-regular",
    title=mark("Soft attention, doubly stochastic"),
    equation=mark("section 4.2.1 (doubly stochastic attention), equation 14"),
    departures=(
        *SOFT.departures,
        INHERITED,
        mark(
            "The penalty asks each cell for the same sum of weights over the caption: the number of words divided by "
            "9. In the paper this sum is 1."
        ),
    ),
)
HARD = replace(
    SOFT,
    key="show-tell-hard",
    title=mark("Hard attention"),
    formula=(
        r"z_t = \beta_t a_{i_t}, \quad i_t \sim \operatorname{softmax}(e_t), \quad "
        r"e_{ti} = v^\top \tanh(W h_{t-1} + U a_i)"
    ),
    equation=mark("section 4.1 (stochastic “hard” attention)"),
    departures=(
        *SOFT.departures,
        INHERITED,
        mark(
            "Trained with the straight-through Gumbel-softmax estimator: the forward pass draws a cell, the backward "
            "pass uses the gradient of a relaxation. The paper uses REINFORCE with a moving baseline and the entropy "
            "of the row. Half of the time it uses the mean instead of the sample."
        ),
    ),
    options=(("hard", True),),
    draws=True,
)
MECHANISMS = {each.key: each for each in (SOFT, REGULAR, HARD)}


@lru_cache(maxsize=1)
def captioners() -> tuple[str, ...]:
    """Return the keys of the captioners of scenes that `models.load` takes: soft, regularised, hard."""
    return tuple(key for name in MECHANISMS if (CAPTIONERS / (key := f"{name}-{PAIR}")).is_dir())


def is_captioner(key: object) -> bool:
    """Return whether `key` is of a shipped captioner."""
    return key in captioners()


def describe_captioner(key: str) -> Entry:
    """Return what the card of the captioner `key` says; CheckpointError if it is not whole."""
    return _described_in(CAPTIONERS / key)


@kept_while_unchanged
def _described_in(folder: Path) -> Entry:
    key, card = folder.name, read_card(folder)
    if card["key"] != key or card["mechanism"] not in MECHANISMS:
        message = Message("{folder}/{file}: this is the card of {key}", folder=key, file="card.json", key=card["key"])
        raise CheckpointError(message)
    return Entry(key, MECHANISMS[card["mechanism"]], card["pair"], card, folder)


def first_text(key: str) -> str:
    """Return what a model of this key can run on when it has just been loaded: an empty scene, or a sentence."""
    return "," * (CELLS - 1) if is_captioner(key) else "A first run."
