"""Words that the rows and columns of a view can be asked about."""

from __future__ import annotations

from collections.abc import Sequence

from models.measures.asking import Word, words_of
from models.trace import TokenSequence
from viz.views.view import View, key_pieces

Asked = tuple[Word | None, ...]
"""The word of each row or column; None for a special token, and for several words in one place."""


def asked_rows(view: View) -> Asked:
    """Return the word whose step each row is: of rows that are labelled by the word read in, the next one."""
    cross, trace = view.shown.site.kind == "cross", view.trace
    own = trace.target if cross else key_pieces(view)
    labels = trace.target_input if cross and view.reading == "input" else own
    written = trace.is_translation and view.shown.site.stack == "decoder"
    return _asked(view, (labels, own), view.hidden_queries, len(view.shown.query_tokens), written=written)


def asked_columns(view: View) -> Asked:
    """Return the word of each column."""
    own, site = key_pieces(view), view.shown.site
    written = view.trace.is_translation and site.stack == "decoder" and site.kind != "cross"
    return _asked(view, (own, own), view.hidden_keys, len(view.shown.key_tokens), written=written)


def _asked(
    view: View, tokens: tuple[TokenSequence, TokenSequence], hidden: Sequence[int], count: int, *, written: bool
) -> Asked:
    """Return what the places of an axis are asked as; `tokens`: those that label it, and those that are meant."""
    labels, own = tokens
    known = words_of(own.to_words(), written=written)
    places = labels.words if view.unit == "word" else range(len(labels))
    words = {place: known[word] for place, word in zip(places, own.words, strict=True)}  # of a word its last subword
    kept = [words[place] for place in sorted(words) if place not in hidden][: 0 if view.folded else count]
    return (*kept, *(None,) * (count - len(kept)))
