"""What is said of heads that were asked for a pair of words or for a pattern of the text."""

from __future__ import annotations

from collections.abc import Mapping

from models.corpus.patterns import PatternRate
from models.measures.asking import AskedHead
from viz.text.language import _, mark
from viz.views.heads import KINDS, HeadPlace, kinds_of

OFFER = mark("Which heads attend from {row} to {word} most?")
"""What a cell offers."""

PATTERN_NAMES: Mapping[str, str] = {
    "pronoun": mark("a pronoun to an earlier word"),
    "same": mark("to the same word elsewhere"),
    "induction": mark("to what followed an earlier occurrence (induction)"),
    "comma": mark("to the last comma"),
    "sentence": mark("to the first word of its sentence"),
    "previous": mark("to the previous word"),
    "next": mark("to the next word"),
}
"""Message id of every pattern, by the keys of `models.measures.asking.ASKABLE`."""

PATTERN_MEANINGS: Mapping[str, str] = {
    "pronoun": mark(
        "Pronouns come from a fixed list (he, she, it, they and their forms). Only the earlier word with the most "
        "weight counts. Punctuation and the word just before are left out."
    ),
    "same": mark("Only the other occurrence with the most weight counts."),
    "induction": mark(
        "Query: a word that occurred before. Key: the word after its earlier occurrence (Olsson et al. 2022)."
    ),
    "comma": mark("Query: any word after a comma. Key: the last comma before it."),
    "sentence": mark("Query: any later word of a sentence. Key: its first word."),
    "previous": mark("Query: any word. Key: the word just before it."),
    "next": mark("Query: any word. Key: the word just after it."),
}


def kind_name(found: AskedHead) -> str:
    """Name the attention that a head is of, such as encoder self."""
    return _(KINDS[kinds_of([found.site])[0]][1])


def place_name(found: AskedHead) -> str:
    """Name the place of a head."""
    return HeadPlace(found.site.layer, found.head).title


def number_sentence(found: AskedHead) -> str:
    """Say how much a head does what was asked, beside chance."""
    return _("{weight} (chance {chance})", weight=f"{found.score:.2f}", chance=f"{found.chance:.2f}")


def rate_sentence(rate: PatternRate) -> str:
    """Say how often a head does so over the sentences that come along."""
    return _(
        "in the corpus: {share} of 100 (chance level {chance}; {count} words)",
        share=f"{100 * rate.share:.0f}",
        count=rate.words,
        chance=f"{100 * rate.chance:.0f}",
    )
