"""Figures and attention patterns of an induction head through its training (`training.induction`)."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.cards import WEIGHTS
from models.experiments.stability_table import frozen
from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, Provenance, TokenSequence

INDUCTION_TABLE = WEIGHTS / "training" / "induction.json"
FULL = 255  # of a stored weight: 1
ABOUT = Provenance(
    mechanism="attention-only",
    title="Attention alone",
    year=2022,
    paper="Olsson et al. 2022, In-context Learning and Induction Heads",
    equation="softmax(q k' / sqrt(d_head))",
    checkpoint="",
    sha256="",
    versions=(),
    decoding="none",
    exact=False,  # stored in steps of 1 / 255
)


@dataclass(frozen=True, slots=True)
class InductionRun:
    """One run, measured at the points of its table; heads of layer 1 first, then of layer 2."""

    layers: int
    seed: int
    first: tuple[float, ...]  # [point] loss of the first copy, nats a token
    second: tuple[float, ...]  # [point] loss of the second copy
    induction: tuple[tuple[float, ...], ...]  # [point, head] weight on the token that came after, last time
    shifted: tuple[tuple[float, ...], ...]  # [point, head] weight one token further on: a control
    previous: tuple[tuple[float, ...], ...]  # [point, head] weight on the previous token, in the first copy

    @property
    def best(self) -> tuple[float, ...]:
        """The highest induction score of its heads at each point."""
        return tuple(map(max, self.induction))


@dataclass(frozen=True, slots=True)
class InductionTable:
    """What was trained, on what, and what came of it."""

    tokens: int  # of the vocabulary
    shortest: int  # tokens of a segment in training
    longest: int
    width: int
    heads: int  # of a layer
    parameters: int  # with two layers
    sequences: int  # of a batch
    learning_rate: float
    held_out: int  # sequences
    segment: int  # tokens of a segment when measured
    shown: int  # tokens of the segment whose patterns are kept
    even: float  # induction score of rows that spread their weight evenly
    seconds: int  # of all runs
    machine: str
    points: tuple[int, ...]  # updates
    runs: tuple[InductionRun, ...]
    text: tuple[str, ...]  # the sequence of the patterns
    patterns: str  # weights of the first run on it as bytes, `FULL` is 1, in base64: [point, head, query, key]

    def weights(self, point: int) -> NDArray[np.float32]:
        """Return the weights of the first run on the table's text at one of the points, each row with sum 1.

        Shapes: returns [head, query, key].
        """
        count = len(self.text)
        stored = np.frombuffer(b64decode(self.patterns), dtype=np.uint8)
        found = stored.reshape(len(self.points), -1, count, count)[point] / np.float32(FULL)
        whole: NDArray[np.float32] = found / found.sum(axis=-1, keepdims=True)
        return whole

    def trace(self, point: int) -> AttentionTrace:
        """Return these weights as the record that figures take: a map a layer."""
        tokens, nothing = TokenSequence.from_words(self.text), TokenSequence((), (), (), ())
        maps = tuple(
            AttentionMap(Site("decoder", layer, "self"), weights, tokens, tokens)
            for layer, weights in enumerate(np.split(self.weights(point), self.runs[0].layers))
        )
        text = " ".join(self.text)
        return AttentionTrace(tokens, nothing, nothing, maps, (), text, "", ABOUT)


def induction_table() -> InductionTable | None:
    """Return the figures; None if they are not there, or not whole."""
    try:
        found = json.loads(INDUCTION_TABLE.read_text(encoding="utf8"))
        runs = tuple(InductionRun(**{name: frozen(value) for name, value in each.items()}) for each in found["runs"])
        return InductionTable(**{name: frozen(value) for name, value in found.items()} | {"runs": runs})
    except (OSError, KeyError, TypeError, ValueError):
        return None
