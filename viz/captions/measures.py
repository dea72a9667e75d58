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
    "breadth": mark("entropy, share of maximum"),
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
    "entropy": mark("Mean entropy of a query's attention: 0 bits on one token, 3 bits as if spread evenly over 8."),
    "breadth": mark("The same entropy divided by its maximum, to compare short and long texts."),
    "distance": mark(
        "Mean distance between query and key, in tokens as they are shown: 0 for itself, 1 for a neighbour."
    ),
    "aligned": mark(
        "Share of all attention that goes to the source word of the word being written: the one that the best "
        "aligning head attends to most."
    ),
    "behind": mark("Share of all attention that goes to the source word of the previous written word."),
    "ahead": mark("Share of all attention that goes to the source word of the next written word."),
    "previous": mark("Share of all attention that goes to the token just before the query."),
    "same": mark("Share of all attention that goes to the token itself."),
    "next": mark("Share of all attention that goes to the token just after the query."),
    "near": mark(
        "Share of all attention that goes to the token itself and to two tokens on either side (causal attention: "
        "the two before)."
    ),
    "first": mark("Share of all attention that goes to the first token."),
    "last": mark("Share of all attention that goes to the end of the source text, often an attention sink."),
    "delimiter": mark(
        "Share of all attention that goes to punctuation and to special tokens after the first, such as end marks."
    ),
    "punctuation": mark("Share of all attention that goes to punctuation, special tokens left out."),
    "one": mark(
        "Share of all attention that goes to the one token with the most, from all queries; the first token, "
        "punctuation and special tokens are left out."
    ),
    "repeated": mark(
        "For tokens that occur more than once: share of their attention that goes to the other occurrences."
    ),
    "induction": mark(
        "For tokens that occurred before: share of their attention that goes to the token after an earlier "
        "occurrence (Olsson et al. 2022)."
    ),
    "unread": mark(
        "Share of all attention outside the text: on a sink beside it, or on nothing; the entropy counts this as "
        "one more token."
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
    "one": mark("one token for all queries"),
    "unread": mark("no token"),
    "broad": mark("broad"),
    "sharp": mark("sharp, no fixed position"),
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
        "A head is named after a pattern with at least a quarter of its attention, clearly more than by chance. "
        "For chance, its weights are shuffled in each row: at most 5 of 100 shuffles may get any pattern name. The "
        "first token, end marks and punctuation are left out. They name a head only with three quarters of its "
        "attention. A head without a pattern is broad if it attends to nearly all tokens alike. It is sharp if its "
        "entropy is at most half of the maximum."
    )


def left_out(site: Site) -> str:
    """Say which measures are left out for the map at `site`, and why; empty if none is."""
    if site.kind == "cross":
        return _(
            "Left out: distance, previous, itself, next and neighbours. Query and key are tokens of two different "
            "texts: equal positions mean nothing."
        )
    if site.stack == "decoder":
        return _(
            "Left out: next and last. This attention never looks ahead. The share on the next token is 0, and only "
            "the last row can attend to the last token."
        )
    return ""
