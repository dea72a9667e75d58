"""The question of the Heads page: which heads of all models attend most from one word to another."""

from __future__ import annotations

from typing import Any

import models
from models.keys import pair_of
from models.measures.asking import words_of_trace
from models.trace import AttentionTrace
from viz.captions.asking import OFFER
from viz.pages.heads.settings import BELOW
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _
from viz.views.asked import asked_columns, asked_rows
from viz.widgets.asked_heads import ASKED, HeadQuestion, ask_heads, put_question
from viz.widgets.canvas import chosen_on
from viz.widgets.language_pair import latest_pair
from viz.widgets.settings import link
from viz.widgets.visit import Visit


def offers() -> list[dict[str, Any]]:
    """Return what a cell of the picked maps offers, as `viz.canvas.comparison.encode_comparison` takes it."""
    return [{"operation": ASKED, "text": _(OFFER), "needs": ["row", "word"]}]


def take_question(shown: HeadSelection, figure: str) -> None:
    """Let the pair of the cell that was just chosen be asked; before the controls are shown."""
    chosen = chosen_on(figure)
    if chosen is None or chosen.operation != ASKED or chosen.row is None or chosen.column is None:
        return
    query, key = (
        words[place] if place < len(words) else None
        for words, place in ((asked_rows(shown.first), chosen.row), (asked_columns(shown.first), chosen.column))
    )
    if query is not None and key is not None:
        put_question(BELOW, query.code, key.code)


def show_question(visit: Visit[HeadsSettings], key: str, trace: AttentionTrace, source: str) -> None:
    """Show which heads do what is asked, where the reader wants it."""
    words = words_of_trace(trace)
    if ASKED not in (link.text_of(BELOW) or "").split() or not words:
        return
    ours = not models.is_pretrained(key)
    target = trace.output_text if ours and trace.output_text.strip() else None
    moved = visit.wanted.quantity == "moved"
    ask_heads(visit, HeadQuestion(key, pair_of(key) if ours else latest_pair(), source, target, words, moved))
