"""Names and meanings of the measures and labels of heads, and why a measure is missing."""

from __future__ import annotations

from collections.abc import Mapping

from models.measures.heads import Measure
from models.measures.labels import NONE, PATTERNS, HeadLabel
from models.sites import Site
from viz.text.language import _, mark
from viz.text.tokens import isolated, visible

_NAMES: Mapping[str, str] = {
    "entropy": mark("entropy, bits"),
    "breadth": mark("entropy, share of most"),
    "distance": mark("mean distance, tokens"),
    "aligned": mark("on what it writes"),
    "behind": mark("on one word back"),
    "ahead": mark("on one word ahead"),
    "previous": mark("on previous"),
    "same": mark("on itself"),
    "next": mark("on next"),
    "near": mark("on neighbours"),
    "first": mark("on first"),
    "last": mark("on last"),
    "delimiter": mark("on end or punctuation"),
    "punctuation": mark("on punctuation"),
    "one": mark("on one ordinary token"),
    "repeated": mark("on repeated"),
    "induction": mark("induction"),
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
    "aligned": mark(
        "Share of all reading that goes to the source word of the word being written: the one that the best aligning "
        "head reads most."
    ),
    "behind": mark("Share of all reading that goes to the source word of the word written just before."),
    "ahead": mark("Share of all reading that goes to the source word of the word that is written next."),
    "previous": mark("Share of all reading that goes to the token just before the one that reads."),
    "same": mark("Share of all reading in which a token reads itself."),
    "next": mark("Share of all reading that goes to the token just after the one that reads."),
    "near": mark(
        "Share of all reading that goes to the token itself and to the two at either side (of text that is never read "
        "ahead, the two before)."
    ),
    "first": mark("Share of all reading that goes to the first token of the text, whoever reads."),
    "last": mark("Share of all reading that goes to the end of the source text, where heads often rest."),
    "delimiter": mark(
        "Share of all reading that goes to punctuation, and to special tokens after the first, such as those that end "
        "a text."
    ),
    "punctuation": mark("Share of all reading that goes to punctuation, special tokens left out."),
    "one": mark(
        "Share of all reading that goes to the token that is read most, whoever reads; the first token, punctuation "
        "and special tokens are left out."
    ),
    "repeated": mark(
        "Of tokens that stand in the text more than once, the share of their reading that goes to the others."
    ),
    "induction": mark(
        "Of tokens that came before, the share of their attention to the token after an earlier occurrence "
        "(Olsson and others 2022)."
    ),
    "unread": mark(
        "Share of all reading that goes to no token of the text, but to a sink beside it or to nothing at all; in "
        "the entropy this counts as one more token."
    ),
}

LABEL_NAMES: Mapping[str, str] = {
    "aligned": mark("aligns"),
    "behind": mark("aligns one word back"),
    "ahead": mark("aligns one word ahead"),
    "previous": mark("previous token"),
    "next": mark("next token"),
    "same": mark("itself"),
    "first": mark("first token"),
    "delimiter": mark("end or punctuation"),
    "near": mark("neighbours"),
    "repeated": mark("same word elsewhere"),
    "one": mark("one token, whoever reads"),
    "unread": mark("no token"),
    "broad": mark("broad"),
    "sharp": mark("sharp, wherever it reads"),
    "none": mark("no clear pattern"),
}
"""Message id of every label, by the keys of `models.measures.labels.LABELS`."""

_SHORT: Mapping[str, str] = {
    "behind": mark("one back"),
    "ahead": mark("one ahead"),
    "previous": mark("previous"),
    "next": mark("next"),
    "first": mark("first"),
    "delimiter": mark("end, marks"),
    "repeated": mark("same word"),
    "one": mark("one token"),
    "sharp": mark("sharp"),
}
"""Message id of labels that are written on a small picture, where they differ."""


LONGEST_SINK = 3
"""Characters of a token that is named on a small picture."""


def name_of(measure: Measure) -> str:
    """Return what a table calls `measure`."""
    return _(_NAMES[measure.key])


def meaning_of(measure: Measure) -> str:
    """Say in one plain sentence what `measure` says."""
    return _(_MEANINGS[measure.key])


def label_name(label: HeadLabel, sink: str = "") -> str:
    """Return the label of a head in words, with the token that is its attention sink."""
    name = _(LABEL_NAMES[label.key])
    return _("{label}: “{token}”", label=name, token=isolated(visible(sink))) if sink else name


def tile_label(label: HeadLabel, sink: str = "") -> str:
    """Return the label of a head in a word or two, to stand on its small picture; empty without a clear pattern."""
    if 0 < len(sink) <= LONGEST_SINK:
        return _("on “{token}”", token=isolated(visible(sink)))
    return "" if label.key == NONE else _(_SHORT.get(label.key, LABEL_NAMES[label.key]))


def remark_of(label: HeadLabel, sink: str = "") -> str:
    """Say what a head does, how much of its reading that takes, and how many times the share that chance gives."""
    said = f"{label_name(label, sink)} {label.score:.2f}"
    if label.key not in PATTERNS:
        return said
    return _("{label} ({times} times chance)", label=said, times=f"{label.times:.1f}")


def meaning_of_label() -> str:
    """Say when a head is called after a pattern."""
    return _(
        "A head is named after a pattern that gets at least a quarter of its attention, and clearly more than by "
        "chance: its own weights, dealt out anew in each row, get the name of any pattern in at most 5 of 100 deals. "
        "The first token, end marks and punctuation are left out. A head is named after them only if they get three "
        "quarters of its attention. Without a pattern a head is called broad if it attends to nearly all tokens "
        "alike, sharp if its entropy is at most half of the largest possible."
    )


def left_out(site: Site) -> str:
    """Say which measures are left out for the map at `site`, and why; empty if none is."""
    if site.kind == "cross":
        return _(
            "Left out: distance, previous, itself, next and neighbours. Query and key are tokens of two different "
            "texts, so that equal positions mean nothing."
        )
    if site.stack == "decoder":
        return _(
            "Left out: next and last. This attention never looks ahead: the share on the next token is 0, and only "
            "the last row can read the last token."
        )
    return ""
