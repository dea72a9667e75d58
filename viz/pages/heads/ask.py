"""The question of the Heads page: which heads of all models attend most from one word to another."""

from __future__ import annotations

from typing import Any

import streamlit as st

import models
from models.keys import pair_of
from models.measures.asking import Word, words_of, words_of_trace
from models.trace import AttentionTrace
from viz.pages.heads.settings import BELOW
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.views.view import View, key_pieces
from viz.widgets.asked_heads import ASK, ASKED, ASKED_KEY, PAIR, QUERY, HeadQuestion, ask_heads
from viz.widgets.canvas import chosen_on
from viz.widgets.language_pair import latest_pair
from viz.widgets.settings import link
from viz.widgets.visit import Visit

_OFFER = mark("Which heads attend from {row} to {word} most?")


def offers() -> list[dict[str, Any]]:
    """Return what a cell of the picked maps offers, as `viz.canvas.comparison.encode_comparison` takes it."""
    return [{"operation": ASKED, "text": _(_OFFER), "needs": ["row", "word"]}]


def take_question(shown: HeadSelection, figure: str) -> None:
    """Let the pair of the cell that was just chosen be asked; before the controls are shown."""
    chosen = chosen_on(figure)
    if chosen is None or chosen.operation != ASKED or chosen.row is None or chosen.column is None:
        return
    view = shown.first
    query, key = _word(view, chosen.row, of_query=True), _word(view, chosen.column, of_query=False)
    if query is None or key is None:
        return
    below = (link.text_of(BELOW) or "").split()
    link.store(BELOW.name, " ".join(dict.fromkeys((*below, ASKED))))
    link.store(ASK.name, ASK.write(PAIR, PAIR))
    link.store(QUERY.name, query.code)
    link.store(ASKED_KEY.name, key.code)
    st.toast(
        plain(_("Below the maps: which heads attend from “{query}” to “{key}” most.", query=query.text, key=key.text))
    )


def show_question(visit: Visit[HeadsSettings], key: str, trace: AttentionTrace, source: str) -> None:
    """Show which heads do what is asked, where the reader wants it."""
    words = words_of_trace(trace)
    if ASKED not in (link.text_of(BELOW) or "").split() or not words:
        return
    ours = not models.is_pretrained(key)
    target = trace.output_text if ours and trace.output_text.strip() else None
    moved = visit.wanted.quantity == "moved"
    ask_heads(visit, HeadQuestion(key, pair_of(key) if ours else latest_pair(), source, target, words, moved))


def _word(view: View, place: int, *, of_query: bool) -> Word | None:
    """Return the word in a row or a column of `view`; None for a special token, or for several."""
    cross = view.shown.site.kind == "cross"
    pieces = view.trace.target if cross and of_query else key_pieces(view)
    written = view.trace.is_translation and (view.shown.site.stack == "decoder" and (of_query or not cross))
    hidden = view.hidden_queries if of_query else view.hidden_keys
    in_words = view.unit == "word"
    whole = range(len(pieces.word_texts) if in_words else len(pieces))
    kept = [each for each in whole if each not in hidden]
    if view.folded or place >= len(kept):
        return None
    word = kept[place] if in_words else pieces.words[kept[place]]
    return words_of(pieces.to_words(), written=written)[word]
