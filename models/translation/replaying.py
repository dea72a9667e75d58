"""What it is to run the texts of a trace again and again: for sweeps and bands of chance, wherever the model runs.

Stands on numpy alone, so that a process without networks can ask another for the runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.edits import Edit
from models.errors import InputError, shortly
from models.messages import Message
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence

BATCH = 24
"""Texts that run at once, if they are short."""

CELLS = 2**24
"""How many weights of one layer are held at once: fewer long texts run at once than short ones."""

Orders = NDArray[np.int64]
"""Positions of the source that are read, in the order in which they are: [text, position]."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a batch of runs gave."""

    # [text, written] Natural logarithm of the probability of each token of `Replay.written`
    log_probabilities: NDArray[np.float64]
    # [text, token, d_model] The final vectors of what was read, of a model of one stack
    vectors: NDArray[np.float32] | None = None
    # [text, answer] Of a causal text, the log-probability of each of `Replay.answers` as its next token
    answers: NDArray[np.float64] | None = None


class Replay(ABC):
    """The texts of one trace, ready to be run again."""

    def __init__(
        self,
        trace: AttentionTrace,
        written: TokenSequence,
        baseline: NDArray[np.float64],
        *,
        logits: int = 0,
        most_logits: int = 2**24,
    ) -> None:
        self.trace, self.written, self.baseline = trace, written, baseline
        cells = max((each.weights.size for each in trace), default=0)
        self.most = max(1, min(BATCH, CELLS // max(cells, 1), most_logits // max(logits, 1)))
        """How many runs are made at once at most."""

    answers: tuple[int, ...] = ()
    """Tokens of which a causal text's outcome says how likely each is to come next, instead of its own tokens."""

    def asking(self, answers: tuple[int, ...]) -> Replay:
        """Return the same texts, asked for `answers`."""
        asked = copy(self)
        asked.answers = answers
        return asked

    def beginning_at(self, _place: Site) -> Replay:
        """Return the same texts, whose runs begin at the layer of a place: earlier ones are as in the unedited run.

        Only for runs of the whole source in its order, whose edits are at that layer or later. Where a model cannot
        begin later, its whole is run.
        """
        return self

    @abstractmethod
    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`, [text, position], all in one batch, under `edits`.

        Shapes: `orders` [text, position].
        """

    @abstractmethod
    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights at `place`, run once for each row of `orders`: [text, head, query, key].

        Shapes: `orders` [text, position].
        """

    def states(self, orders: Orders, place: Site, edits: Iterable[Edit] = ()) -> NDArray[np.float32]:
        """Return what leaves the layer of `place`, run once for each row of `orders`: [text, token, d_model].

        Shapes: `orders` [text, position].
        """
        raise InputError(Message("The vectors between the layers of this model are not seen."))

    @abstractmethod
    def fresh(self, seed: int) -> Replay:
        """Return the same texts through a network of the same architecture, with weights that `seed` gives."""

    def as_it_is(self, count: int) -> Orders:
        """Return the whole source, in its order, `count` times.

        Shapes: returns [count, position].
        """
        return np.tile(np.arange(len(self.trace.source)), (count, 1))

    @property
    def free_words(self) -> tuple[int, ...]:
        """The words of the source that can be moved or left out: all that are no special token."""
        source = self.trace.source
        kept = {source.words[position] for position in source.specials}
        return tuple(word for word in range(len(source.word_texts)) if word not in kept)


def log_probabilities_of(trace: AttentionTrace) -> NDArray[np.float64]:
    """Return the log-probability of each token that `trace` wrote, [target].

    Shapes: returns [target].
    """
    return np.array([step.log_probability for step in trace.steps], dtype=np.float64)


def check_record(trace: object) -> None:
    """Raise InputError if `trace` is no record of a run."""
    if not isinstance(trace, AttentionTrace):
        raise InputError(Message("replay takes the trace that attend returned; got {given}", given=shortly(trace)))


def told_by(trace: AttentionTrace) -> tuple[TokenSequence, NDArray[np.float64]]:
    """Return the tokens whose log-probability `trace` tells, and these: of a causal text those that follow another.

    Of a classifier the class that it holds for likeliest, as one token.

    Shapes: returns [written].
    """
    check_record(trace)
    if trace.is_translation:
        return trace.target, log_probabilities_of(trace)
    if trace.classes:
        place = max(range(len(trace.classes)), key=lambda each: trace.classes[each][1])
        name, share = trace.classes[place]
        return TokenSequence.from_words([name], [place]), np.log([share])
    found = {each.position + 1: each.log_probability for each in trace.predictions}
    told = {position: value for position, value in found.items() if value is not None}
    texts = [trace.source.texts[position] for position in told]
    ids = [trace.source.ids[position] for position in told]
    return TokenSequence.from_words(texts, ids), np.array(list(told.values()), dtype=np.float64)
