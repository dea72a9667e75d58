"""Words of a translation with their probabilities and the alternatives of the model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from models.trace import AttentionTrace, TokenSequence
from viz.text.language import _, listed
from viz.text.tokens import isolated, visible

_SPECIAL = 3  # ids below it are not text
_NAMED = 2  # other pieces that are named


@dataclass(frozen=True, slots=True)
class Written:
    """A word of a translation."""

    word: int  # its number in the target, from 0
    text: str
    spaced: bool  # whether white space stands before it
    probability: float  # the product of those of its pieces; not a number where it is not known
    says: str  # what is said of it, in plain text


def written_words(trace: AttentionTrace) -> tuple[Written, ...]:
    """Return the words that a model wrote, in order, without the marks of beginning and end."""
    target, written = trace.target, list[Written]()
    for word, text in enumerate(target.word_texts):
        pieces = [place for place, owner in enumerate(target.words) if owner == word]
        if _is_special(target, pieces[0]) or not text:
            continue
        probability = math.prod(trace.steps[place].probability for place in pieces)
        first = pieces[0]
        spaced = bool(written) and (target.ids[first] < 0 or target.texts[first][:1].isspace())
        written.append(Written(word, text, spaced, probability, _says(trace, pieces, text, probability)))
    return tuple(written)


def _is_special(target: TokenSequence, place: int) -> bool:
    """Return whether a token stands for no text: by its id, or where it has none, by what is said of it."""
    text, number = target.texts[place], target.ids[place]
    return number < _SPECIAL if number >= 0 else place in target.specials or (text[:1], text[-1:]) == ("<", ">")


def _says(trace: AttentionTrace, pieces: Sequence[int], text: str, probability: float) -> str:
    if math.isnan(probability):
        return _("“{word}”: probability not known", word=isolated(visible(text)))
    says = _("“{word}”: probability {probability}", word=isolated(visible(text)), probability=f"{probability:.4f}")
    step = trace.steps[pieces[0]]
    others = [each for each in step.alternatives if each[0] != step.text][:_NAMED]
    if len(pieces) > 1 or not others:
        return says
    named = listed(f"“{isolated(visible(other.strip() or other))}” {share:.4f}" for other, share in others)
    return _("{says}; others: {named}", says=says, named=named)
