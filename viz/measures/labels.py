"""What a head does on one text, in a word: the thresholds of every label stand here, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from viz.measures.by_chance import Odds

LEAST_SHARE = 0.25
"""A head is called after a pattern that takes at least a quarter of its reading ..."""

ABOVE_CHANCE = 1.25
"""... and at least a quarter more than chance would give it, ..."""

LEAST_DEVIATIONS = 1.645
"""... so much that chance, its own weights dealt out anew in each row, reaches it in about one of twenty deals."""

LEAST_BREADTH = 0.85
"""A head is broad if its entropy is at least this share of the most there can be: as if each query read n^0.85 of n
tokens alike, which is more than half of them in any text of up to 100 tokens."""

HALF = 0.5
"""A head that gives half of its reading to no token is called after that: there is no chance to hold it against."""

WEAK = ("near", "repeated")
"""Patterns that count only where no other is clear: the neighbours hold the one before, and few tokens stand twice."""

PATTERNS = ("aligned", "behind", "ahead", "previous", "next", "same", "first", "delimiter", *WEAK)
"""The measures that are shares of a pattern, each the key of its label. Of several the one that lies farthest above
chance counts, the first of equals."""

UNREAD = "unread"
"""No token: where a head rests whose model has a sink beside the text, or whose weights were taken away."""

BROAD, NONE = "broad", "none"

LABELS = (*PATTERNS, UNREAD, BROAD, NONE)
"""The key of every label; its name stands in `viz.captions.measures`."""


@dataclass(frozen=True, slots=True)
class HeadLabel:
    """What a head does, and how much of it.

    Parameters
    ----------
    key : str
        One of `LABELS`.
    score : float
        0 to 1: of a pattern its share of the head's reading, of a broad head its entropy as a share of the most;
        where there is no clear pattern, the largest share that any pattern has.
    times : float, optional
        Of a pattern how many times the share that chance gives it.
    """

    key: str
    score: float
    times: float = 1.0

    @property
    def above(self) -> float:
        """How much of the reading is more than chance gives: 0 without a pattern."""
        return self.score * (1 - 1 / self.times)


def label_of(values: Mapping[str, float], odds: Mapping[str, Odds]) -> HeadLabel:
    """Return the label of a head.

    Parameters
    ----------
    values : mapping of str to float
        Its measures; of `PATTERNS` those that mean something for this map, and ``breadth``.
    odds : mapping of str to Odds
        How those patterns compare with chance.

    Returns
    -------
    HeadLabel

    Examples
    --------
    >>> odds = {"previous": Odds(4, 9.0), "first": Odds(1, 0.0)}
    >>> label_of({"previous": 0.8, "first": 0.1, "breadth": 0.3}, odds)
    HeadLabel(key='previous', score=0.8, times=4)
    >>> label_of({"previous": 0.2, "first": 0.3, "breadth": 0.6}, odds).key
    'none'
    """
    if values.get(UNREAD, 0.0) >= HALF:
        return HeadLabel(UNREAD, values[UNREAD])
    shares = {key: values[key] for key in PATTERNS if key in values}
    clear = [HeadLabel(key, share, odds[key].times) for key, share in shares.items() if _is_clear(share, odds[key])]
    strong = [each for each in clear if each.key not in WEAK]
    if values["breadth"] >= LEAST_BREADTH and max((each.score for each in clear), default=0.0) < HALF:
        return HeadLabel(BROAD, min(values["breadth"], 1.0))
    if clear:
        return max(strong or clear, key=lambda each: each.above)
    return HeadLabel(NONE, max(shares.values(), default=0.0))


def _is_clear(share: float, odds: Odds) -> bool:
    return share >= LEAST_SHARE and odds.times >= ABOVE_CHANCE and odds.deviations >= LEAST_DEVIATIONS
