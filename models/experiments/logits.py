"""What makes up a predicted word's logit, and what each layer would predict: the records, numpy alone."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from models.trace.json_text import read_json
from models.trace.plain import fields_of, read_site

Words = tuple[tuple[str, float], ...]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LogitAttribution:
    """What makes up the logit of one word; every number is less its mean over the vocabulary."""

    answer: str  # the word that was written, or is likeliest
    probability: float  # what the model gives it
    logit: float
    heads: tuple[tuple[Site, int], ...]
    contributions: Numbers  # [head] To that logit
    embedding: float  # what the vector that goes into the first layer adds
    rest: float  # what the feed-forward parts, and every bias, add
    raised: tuple[Words, ...]  # of each head the words whose logit it raises most, with what it adds
    lowered: tuple[Words, ...]  # of each head those that it lowers most

    def to_text(self) -> str:
        """Write the record as JSON."""
        named = {name: getattr(self, name) for name in _NAMES}
        heads = [[str(site), head] for site, head in self.heads]
        return json.dumps(named | {"heads": heads, "contributions": self.contributions.tolist()})

    @classmethod
    def read(cls, data: bytes) -> LogitAttribution:
        """Read what `to_text` wrote, as UTF-8."""
        told = read_json(data, "a logit")
        heads, contributions, *rest = fields_of(told, "a logit", "heads", "contributions", *_NAMES)
        named = dict(zip(_NAMES, rest, strict=True))
        for name in ("raised", "lowered"):
            named[name] = tuple(map(_words, named[name]))
        places = tuple((read_site(site, "a logit"), int(head)) for site, head in heads)
        return cls(heads=places, contributions=np.array(contributions, dtype=np.float64), **named)


@dataclass(frozen=True, eq=False)
class LogitLens:
    """What would be predicted at one position if the layers stopped."""

    answer: str  # what the whole model predicts there, or wrote
    layers: tuple[Words, ...]  # [layer + 1] The likeliest words with their probabilities, before the first layer first
    probabilities: Numbers  # [layer + 1] Of the answer
    ranks: NDArray[np.int64]  # [layer + 1] Of the answer, from 1

    @property
    def leads_from(self) -> int:
        """The first layer from which on the answer stays likeliest: 0 is before the first."""
        behind = np.flatnonzero(self.ranks > 1)
        return int(behind[-1]) + 1 if behind.size else 0

    def to_text(self) -> str:
        """Write the record as JSON."""
        numbers = {"probabilities": self.probabilities.tolist(), "ranks": self.ranks.tolist()}
        return json.dumps({"answer": self.answer, "layers": self.layers} | numbers)

    @classmethod
    def read(cls, data: bytes) -> LogitLens:
        """Read what `to_text` wrote, as UTF-8."""
        told = read_json(data, "a lens")
        answer, layers, own, ranks = fields_of(told, "a lens", "answer", "layers", "probabilities", "ranks")
        return cls(str(answer), tuple(map(_words, layers)), np.array(own, np.float64), np.array(ranks, np.int64))


_NAMES = ("answer", "probability", "logit", "embedding", "rest", "raised", "lowered")


def _words(told: list[list[object]]) -> Words:
    return tuple((str(word), float(str(value))) for word, value in told)
