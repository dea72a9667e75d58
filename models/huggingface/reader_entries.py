"""The readers of one text that were trained here: what each is called, and what can be shown of it.

Importing it does not import torch or transformers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from models.keys import identity_of, pretrained_key
from models.messages import mark


@dataclass(frozen=True, slots=True)
class ReaderEntry:
    """What can be shown of a pretrained model; of one that was not trained here nothing is declared."""

    key: str  # what `models.load` takes
    title: str = ""  # as on its card; empty if it was not trained here
    year: int = 0  # of its paper
    hops: bool = False  # whether learned vectors read the text, so that a row is no token
    memory: bool = False  # whether it is a language model of the family whose reach is compared
    has_attention: bool = True
    is_windowed: bool = False  # whether it attends to the last so many tokens alone: the `window` of its card's recipe
    headline: str = ""  # of the one that stands for its paper: what the timeline calls that, with the place `year`
    about: str = ""  # of the same one: what the timeline says of it

    @property
    def name(self) -> str:
        """What links to the Steps call it."""
        return identity_of(self.key).removesuffix("-en")


_ENTRIES = (
    ReaderEntry(pretrained_key("gpt-en"), mark("Small GPT (trained here)"), 2019),
    ReaderEntry(pretrained_key("bert-en"), mark("Small BERT (trained here)"), 2019),
    ReaderEntry(
        pretrained_key("self-attentive-en"),
        mark("Self-attentive, penalty"),
        2017,
        hops=True,
        headline=mark("**Structured self-attentive sentence embedding**, Lin et al. {year}"),
        about=mark(
            "It does not translate. Eight learned vectors, the hops, each spread a weight of 1 over the words of "
            "one sentence. A classifier then predicts the kind of text. It was trained twice: with a penalty that "
            "makes the hops attend to different words, and without it."
        ),
    ),
    ReaderEntry(pretrained_key("self-attentive-free-en"), mark("Self-attentive, no penalty"), 2017, hops=True),
    ReaderEntry(
        pretrained_key("attention-lm-en"), mark("Attention language model"), 2017, memory=True, is_windowed=True
    ),
    ReaderEntry(pretrained_key("key-value-en"), mark("Key-value language model"), 2017, memory=True, is_windowed=True),
    ReaderEntry(
        pretrained_key("key-value-predict-en"),
        mark("Key-value-predict language model"),
        2017,
        memory=True,
        is_windowed=True,
        headline=mark("**Key-value-predict attention and its variants**, Daniluk et al. {year}"),
        about=mark(
            "It does not translate. An LSTM reads a text, predicts each next word, and attends to its own last "
            "outputs. An output is key, value and prediction at once, or is split into two or three parts. A "
            "variant without attention concatenates slices of its last outputs. Heads shows how short their reach "
            "is."
        ),
    ),
    ReaderEntry(
        pretrained_key("lstmn-en"),
        mark("LSTMN: memory tape"),
        2016,
        memory=True,
        headline=mark("**Long short-term memory-network**, Cheng et al. {year}"),
        about=mark(
            "It does not translate. This LSTM keeps the state and cell of every word on a memory tape. Each step "
            "starts from a weighted sum of them all, not from the last one. This is attention inside one text, a "
            "year before the Transformer."
        ),
    ),
    ReaderEntry(pretrained_key("n-gram-rnn-en"), mark("N-gram RNN"), 2017, memory=True, has_attention=False),
)

READER_ENTRIES: Mapping[str, ReaderEntry] = MappingProxyType({each.key: each for each in _ENTRIES})
"""By key."""


def reader_entry(key: str) -> ReaderEntry:
    """Return what is declared of the pretrained model `key`; nothing of one that was not trained here."""
    return READER_ENTRIES.get(key) or ReaderEntry(key)
