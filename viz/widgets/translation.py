"""A translation as a line of words, each tinted by how sure the model was of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from models.trace import AttentionTrace
from viz.text.language import _
from viz.text.markup import noted
from viz.text.tokens import visible

_SPECIAL = 3  # ids below it are not text


_DEEPEST_TINT = 0.5


def tinted(trace: AttentionTrace) -> str:
    """Return the words of a translation as HTML: the less sure the model was of a word, the deeper its tint.

    Parameters
    ----------
    trace : AttentionTrace
        With a target.

    Returns
    -------
    str
        Pointing at a word, or going to it, gives its probability, the product of those of its pieces; text is escaped.
    """
    target = trace.target
    shown: list[str] = []
    for word, text in enumerate(target.word_texts):
        pieces = [place for place, owner in enumerate(target.words) if owner == word]
        if target.ids[pieces[0]] < _SPECIAL or not text:
            continue
        probability = math.prod(trace.steps[place].probability for place in pieces)
        space = " " if shown and target.texts[pieces[0]][:1].isspace() else ""
        tint = f"rgba(224, 138, 0, {_DEEPEST_TINT * (1 - probability):.2f})"
        shown.append(space + noted(text, _word_says(trace, pieces, text, probability), f"background: {tint}"))
    return "".join(shown) or "<em>" + escape(_("nothing written")) + "</em>"


def _word_says(trace: AttentionTrace, pieces: Sequence[int], text: str, probability: float) -> str:
    says = _("“{word}”: probability {probability}", word=visible(text), probability=f"{probability:.4f}")
    step = trace.steps[pieces[0]]
    others = [each for each in step.alternatives if each[0] != step.text][:2]
    if len(pieces) > 1 or not others:
        return says
    named = ", ".join(f"“{visible(other.strip() or other)}” {share:.4f}" for other, share in others)
    return _("{says}; others: {named}", says=says, named=named)
