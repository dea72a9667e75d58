"""Contextual against static: the vectors of one word in two sentences, layer by layer; numpy alone.

A cosine alone misleads: the vectors of a layer may all point much the same way (Ethayarajh 2019, How Contextual are
Contextualized Word Representations?, arXiv:1909.00512). Beside it stands the mean cosine of different words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.errors import InputError
from models.messages import Message
from models.trace import AttentionTrace
from models.translation.words import bare

if TYPE_CHECKING:
    from models.model import Model

Numbers = NDArray[np.float64]
Closest = tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False)
class WordStates:
    """The words of a sentence, each with its vector in every layer."""

    words: tuple[str, ...]  # as they stand in the sentence; marks and special tokens left out
    # [layer + 1, word, d_model] The mean of its pieces' vectors. The first are those that go into the first layer, with
    # what the model adds for the place of a token; then those that leave each layer.
    vectors: Numbers
    pieces: tuple[tuple[str, ...], ...]  # what each word is read as

    def place_of(self, word: str) -> int:
        """Return where a word stands first; InputError if it does not."""
        found = [place for place, each in enumerate(self.words) if bare(each) == bare(word)]
        if not found:
            message = Message("“{word}” is not in “{text}”.", word=word, text=" ".join(self.words))
            raise InputError(message)
        return found[0]


@dataclass(frozen=True, eq=False)
class WordInContext:
    """One word in two sentences."""

    word: str  # in small letters
    cosines: Numbers  # [layer + 1] Between its two vectors
    baseline: Numbers  # [layer + 1] The mean cosine of two different words, one of each sentence
    # the word of the same sentence whose vector has the largest cosine with that of `word`
    closest: tuple[Closest, Closest]


def has_states(model: Model) -> bool:
    """Return whether the hidden states of a model can be captured: one stack, or the encoder of a Transformer."""
    reads = any(place.kind == "self" for place in model.heads) and model.kind != "encoder-decoder"
    return reads and (model.kind != "translator" or any(place.stack == "encoder" for place in model.heads))


def state_sites(model: Model) -> tuple[str, ...]:
    """Return what to capture for `word_states`."""
    stack = model.stacks[0]
    return (f"{stack}.*.self.final", f"{stack}.0.self.input")


def word_states(trace: AttentionTrace) -> WordStates:
    """Return the words of a text that was read, with their vectors in every layer."""
    stack = trace.sites[0].stack
    layers = [each for each in trace if each.site.stack == stack and each.site.kind == "self"]
    if not layers or "input" not in layers[0].companions:
        message = "the trace holds no states of its layers: capture it at state_sites(model)"
        raise KeyError(message)
    states = [layers[0].companions["input"][0], *(each.companions["final"][0] for each in layers)]  # each [token, d]
    tokens = trace.source
    pieces: dict[int, list[int]] = {}
    for place, word in enumerate(tokens.words):
        if place not in tokens.specials and bare(tokens.word_texts[word]):
            pieces.setdefault(word, []).append(place)
    means = [[layer[places].mean(axis=0, dtype=np.float64) for places in pieces.values()] for layer in states]
    width = states[0].shape[1]
    return WordStates(
        words=tuple(tokens.word_texts[word].strip() for word in pieces),
        vectors=np.array(means).reshape(len(states), -1, width),
        pieces=tuple(tuple(tokens.texts[place] for place in places) for places in pieces.values()),
    )


def shared_words(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the words that stand in both, in small letters, each once, in the order of the first."""
    there = set(map(bare, other))
    return tuple(dict.fromkeys(word for word in map(bare, one) if word and word in there))


def word_in_context(one: WordStates, other: WordStates, word: str) -> WordInContext:
    """Return how alike the vectors of a word are in two sentences, layer by layer; of each its first occurrence."""
    units = [_unit(each.vectors) for each in (one, other)]
    places = one.place_of(word), other.place_of(word)
    between = np.einsum("lad,lbd->lab", *units)  # [layer + 1, word of one, word of other]
    differ = np.array([[bare(a) != bare(b) for b in other.words] for a in one.words])
    closest = tuple(
        _closest(each.words, unit, place) for each, unit, place in zip((one, other), units, places, strict=True)
    )
    return WordInContext(
        word=bare(word),
        cosines=between[:, places[0], places[1]],
        baseline=between[:, differ].mean(axis=1) if differ.any() else np.full(len(between), np.nan),
        closest=(closest[0], closest[1]),
    )


def compare_word(model: Model, one: str, other: str, word: str) -> WordInContext:
    """Run a model on two sentences and return how alike the vectors of a word are in both, layer by layer."""
    sites = state_sites(model)
    states = [word_states(model.attend(text, sites=sites)) for text in (one, other)]
    return word_in_context(states[0], states[1], word)


def _unit(vectors: Numbers) -> Numbers:
    sizes = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Numbers = vectors / np.maximum(sizes, np.finfo(np.float64).tiny)
    return unit


def _closest(words: Sequence[str], unit: Numbers, place: int) -> Closest:
    """Return the word that is closest to that at `place` in each layer, the word itself left out wherever it stands."""
    others = [at for at, word in enumerate(words) if bare(word) != bare(words[place])]
    if not others:
        return ()
    cosines = np.einsum("lad,ld->la", unit[:, others], unit[:, place])  # [layer + 1, other word]
    best = cosines.argmax(axis=1)
    return tuple((words[others[at]], float(row[at])) for at, row in zip(best, cosines, strict=True))
