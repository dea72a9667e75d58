"""What a head does on one text, in a word: the thresholds of every label stand here, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.measures.chance import Odds

LEAST_SHARE = 0.25
"""A head is called after a pattern that takes at least a quarter of its reading ..."""

ABOVE_CHANCE = 1.25
"""... and at least a quarter more than chance would give it, ..."""

LEAST_DEVIATIONS = 1.645
"""... so much that chance, its own weights dealt out anew in each row, reaches any pattern in one of twenty deals at
most: `models.measures.chance` corrects for their number."""

LEAST_REST = 0.75
"""A head is called after where it rests only if it gives at least three quarters there: most heads rest a little."""

LEAST_BREADTH = 0.85
"""A head is broad if its entropy is at least this share of the most there can be: as if each query read n^0.85 of n
tokens alike, which is more than half of them in any text of up to 100 tokens."""

MOST_SHARP = 0.5
"""Without a pattern it is sharp if its entropy is at most this share of the most: as if each query read the square root
of n tokens alike, 3 of 9, 4 of 16. Of a text that leaves no choice nothing is said."""

HALF = 0.5
"""A head that gives half of its reading to no token is called after that: there is no chance to hold it against. One
that rests with half of it there, on the first token or on marks is not called sharp: that is why its entropy is low."""

RESTS = ("first", "delimiter")
"""Where heads rest: the first token, end marks and punctuation. All other patterns leave these keys out."""

WEAK = ("near", "repeated", "one")
"""Patterns that count only where no other is clear: the neighbours hold the one before, few tokens stand twice, and one
token is any of them."""

PATTERNS = ("aligned", "behind", "ahead", "previous", "next", "same", *RESTS, *WEAK)
"""The measures that are shares of a pattern, each the key of its label. Of several the one that lies farthest above
chance counts, the first of equals."""

UNREAD = "unread"
"""No token: where a head rests whose model has a sink beside the text, or whose weights were taken away."""

BROAD, SHARP, NONE = "broad", "sharp", "none"

LABELS = (*PATTERNS, UNREAD, BROAD, SHARP, NONE)
"""The key of every label; its name stands in `viz.captions.measures`."""


@dataclass(frozen=True, slots=True)
class HeadLabel:
    """What a head does, and how much of it."""

    key: str  # one of `LABELS`
    # 0 to 1: of a pattern its share of the head's reading, of a broad head its entropy as a share of the most, of a
    # sharp one what that lacks to 1; where there is no clear pattern, the largest share that any pattern has
    score: float
    times: float = 1.0  # of a pattern how many times the share that chance gives it

    @property
    def above(self) -> float:
        """How much of the reading is more than chance gives: 0 without a pattern."""
        return self.score * (1 - 1 / self.times)


class Labels(NamedTuple):
    """The labels of many heads, arrays of one shape: the place of each in `LABELS`, its score, its times."""

    codes: NDArray[np.int64]
    scores: NDArray[Any]
    times: NDArray[Any]

    def at(self, *place: int) -> HeadLabel:
        """Return the label of one head."""
        return HeadLabel(LABELS[self.codes[place]], float(self.scores[place]), float(self.times[place]))


def label_of(values: Mapping[str, float], odds: Mapping[str, Odds]) -> HeadLabel:
    """Return the label of a head."""
    each = {key: np.asarray(value) for key, value in values.items()}
    return labels_of(each, {key: (np.asarray(one), np.asarray(other)) for key, (one, other) in odds.items()}).at()


def labels_of(values: Mapping[str, NDArray[Any]], odds: Mapping[str, tuple[NDArray[Any], NDArray[Any]]]) -> Labels:
    """Return the labels of many heads."""
    breadth = values["breadth"]
    keys = [key for key in PATTERNS if key in values]
    nothing = np.zeros((1, *breadth.shape), dtype=breadth.dtype)
    shares = np.stack([values[key] for key in keys]) if keys else nothing  # [pattern, ...]
    times = np.stack([odds[key][0] for key in keys]) if keys else nothing + 1
    deviations = np.stack([odds[key][1] for key in keys]) if keys else nothing
    least = np.stack([nothing[0] + (LEAST_REST if key in RESTS else LEAST_SHARE) for key in keys]) if keys else 1.0
    clear = (shares >= least) & (times >= ABOVE_CHANCE) & (deviations >= LEAST_DEVIATIONS)
    above = np.where(clear, shares * (1 - 1 / np.maximum(times, ABOVE_CHANCE)), -1.0)
    weak = np.array([key in WEAK for key in keys] or [False])
    strong = clear & ~weak.reshape(-1, *([1] * breadth.ndim))
    best = np.where(strong.any(axis=0), np.where(strong, above, -1.0).argmax(axis=0), above.argmax(axis=0))
    codes = np.array([LABELS.index(key) for key in keys] or [0])[best]
    score, time = (np.take_along_axis(each, best[None], axis=0)[0] for each in (shares, times))
    unclear = ~clear.any(axis=0)
    broad = (breadth >= LEAST_BREADTH) & (np.where(clear, shares, 0).max(axis=0) < HALF)
    rests = sum((np.maximum(values[key], 0) for key in (*RESTS, UNREAD) if key in values), nothing[0])
    sharp = unclear & (breadth > 0) & (breadth <= MOST_SHARP) & (rests < HALF)
    unread = values.get(UNREAD, nothing[0])
    for where, label, given in (
        (unclear, NONE, np.maximum(shares.max(axis=0), 0)),
        (sharp, SHARP, 1 - breadth),
        (broad, BROAD, np.minimum(breadth, 1)),
        (unread >= HALF, UNREAD, unread),
    ):
        codes = np.where(where, LABELS.index(label), codes)
        score, time = np.where(where, given, score), np.where(where, 1.0, time)
    return Labels(codes, score, time)
