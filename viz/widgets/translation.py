"""Translation as a line of words, tinted by the model's confidence."""

from __future__ import annotations

from html import escape

from models.trace import AttentionTrace
from viz.captions.written import written_words
from viz.text.language import _
from viz.text.markup import noted

_DEEPEST_TINT = 0.5


def tinted(trace: AttentionTrace) -> str:
    """Return the words of a translation as HTML: the less sure the model was of a word, the deeper its tint."""
    shown = [
        " " * each.spaced
        + noted(each.text, each.says, f"background: rgba(224, 138, 0, {_DEEPEST_TINT * (1 - each.probability):.2f})")
        for each in written_words(trace)
    ]
    return "".join(shown) or "<em>" + escape(_("nothing written")) + "</em>"
