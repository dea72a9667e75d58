"""What a head does on one text, in a word: the thresholds of every label stand here, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LEAST_SHARE = 0.5
"""A head is called after a pattern that takes at least half of its reading: more than all else together."""

ABOVE_CHANCE = 2.0
"""... and at least twice what the pattern would take if the head read all tokens alike: of three tokens the first
gets a third by chance, and in a short text nearly every head would have a name."""

LEAST_BREADTH = 0.85
"""A head is broad if its entropy is at least this share of the most there can be: as if each query read n^0.85 of n
tokens alike, which is more than half of them in any text of up to 100 tokens."""

PATTERNS = ("previous", "next", "same", "first", "delimiter", "repeated", "unread")
"""The measures that are shares of a pattern, each the key of its label. Of several the largest share counts, the first
of equals; the repeated token, which few tokens of a text have, counts only where no other pattern is clear. No token is
where a head rests whose model has a sink beside the text, or whose weights were taken away."""

BROAD, NONE = "broad", "none"

LABELS = (*PATTERNS, BROAD, NONE)
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
    """

    key: str
    score: float


def label_of(values: Mapping[str, float], even: Mapping[str, float]) -> HeadLabel:
    """Return the label of a head.

    Parameters
    ----------
    values : mapping of str to float
        Its measures; of `PATTERNS` those that mean something for this map, and ``breadth``.
    even : mapping of str to float
        The same of a head that reads all that it may alike.

    Returns
    -------
    HeadLabel

    Examples
    --------
    >>> label_of({"previous": 0.8, "first": 0.1, "breadth": 0.3}, {"previous": 0.1, "first": 0.1})
    HeadLabel(key='previous', score=0.8)
    >>> label_of({"previous": 0.2, "first": 0.3, "breadth": 0.6}, {"previous": 0.1, "first": 0.1}).key
    'none'
    """
    shares = {key: values[key] for key in PATTERNS if key in values}
    clear = {key: share for key, share in shares.items() if share >= LEAST_SHARE and share >= ABOVE_CHANCE * even[key]}
    if clear:
        key = max(clear, key=lambda each: (each != "repeated", clear[each]))
        return HeadLabel(key, clear[key])
    if values["breadth"] >= LEAST_BREADTH:
        return HeadLabel(BROAD, min(values["breadth"], 1.0))
    return HeadLabel(NONE, max(shares.values(), default=0.0))
