"""What is said of the numbers and the labels of heads: names, meanings, and why a measure is left out."""

from __future__ import annotations

from collections.abc import Mapping

from models.sites import Site
from viz.measures.head_profile import Measure
from viz.measures.labels import HeadLabel
from viz.text.language import _, mark

_NAMES: Mapping[str, str] = {
    "entropy": mark("entropy, bits"),
    "breadth": mark("entropy, share of most"),
    "distance": mark("mean distance, tokens"),
    "previous": mark("on previous"),
    "same": mark("on itself"),
    "next": mark("on next"),
    "first": mark("on first"),
    "last": mark("on last"),
    "delimiter": mark("on delimiters"),
    "repeated": mark("on repeated"),
    "unread": mark("on no token"),
}

_MEANINGS: Mapping[str, str] = {
    "entropy": mark(
        "How widely a query spreads its reading, on average: 0 bits if it reads one token, 3 bits as if 8 alike."
    ),
    "breadth": mark("The same entropy divided by the most that it could be, so that short and long texts compare."),
    "distance": mark(
        "How many places, as tokens are shown, the one that reads and the one being read stand apart, on average: "
        "0 for itself, 1 for a neighbour."
    ),
    "previous": mark("Share of all reading that goes to the token just before the one that reads."),
    "same": mark("Share of all reading in which a token reads itself."),
    "next": mark("Share of all reading that goes to the token just after the one that reads."),
    "first": mark("Share of all reading that goes to the first token of the text, whoever reads."),
    "last": mark("Share of all reading that goes to the end of the source text, where heads often rest."),
    "delimiter": mark(
        "Share of all reading that goes to special tokens after the first token, such as those that end a text."
    ),
    "repeated": mark(
        "Of tokens that stand in the text more than once, the share of their reading that goes to the others."
    ),
    "unread": mark(
        "Share of all reading that goes to no token of the text, but to a sink beside it or to nothing at all; in "
        "the entropy this counts as one more token."
    ),
}

LABEL_NAMES: Mapping[str, str] = {
    "previous": mark("previous token"),
    "next": mark("next token"),
    "same": mark("same token"),
    "first": mark("first-token sink"),
    "delimiter": mark("delimiter"),
    "repeated": mark("repeated token"),
    "unread": mark("no token"),
    "broad": mark("broad"),
    "none": mark("no clear pattern"),
}
"""Message id of every label, by the keys of `viz.measures.labels.LABELS`."""


def name_of(measure: Measure) -> str:
    """Return what a table calls `measure`.

    Parameters
    ----------
    measure : Measure
    """
    return _(_NAMES[measure.key])


def meaning_of(measure: Measure) -> str:
    """Say in one plain sentence what `measure` says.

    Parameters
    ----------
    measure : Measure
    """
    return _(_MEANINGS[measure.key])


def label_name(label: HeadLabel) -> str:
    """Return the label of a head in words.

    Parameters
    ----------
    label : HeadLabel

    Examples
    --------
    >>> label_name(HeadLabel("first", 0.75))
    'first-token sink'
    """
    return _(LABEL_NAMES[label.key])


def left_out(site: Site) -> str:
    """Say which measures are left out for the map at `site`, and why; empty if none is.

    Parameters
    ----------
    site : Site
    """
    if site.kind == "cross":
        return _(
            "Left out: distance, previous, itself and next. Query and key are tokens of two different texts, "
            "so that equal positions mean nothing."
        )
    if site.stack == "decoder":
        return _(
            "Left out: next and last. This attention never looks ahead: the share on the next token is 0, and only "
            "the last row can read the last token."
        )
    return ""
