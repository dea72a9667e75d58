"""The question below the Bench: which heads of all models attend most from one word to another."""

from __future__ import annotations

from models.keys import pair_of
from models.measures.asking import words_of_trace
from viz.pages.bench.wanted import BenchSettings, Compared
from viz.widgets.asked_heads import HeadQuestion, ask_heads
from viz.widgets.visit import Visit


def show_question(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Ask about the first mechanism's sentence and translation, which all translators are made to write."""
    key, trace = next(iter(ran.traces.items()))
    target = ran.target or trace.output_text
    words = words_of_trace(trace)
    if words:
        ask_heads(visit, HeadQuestion(key, pair_of(key), trace.source_text, target if target.strip() else None, words))
