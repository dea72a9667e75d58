"""The question below the Bench: which heads of all models attend most from one word to another."""

from __future__ import annotations

from models.keys import mechanism_of, pair_of
from models.measures.asking import words_of_trace
from viz.pages.bench.panels import CANVAS
from viz.pages.bench.settings import ALSO, ASKED_OF
from viz.pages.bench.wanted import BenchSettings, Compared, name_of
from viz.widgets.asked_heads import HeadQuestion, ask_heads, put_question
from viz.widgets.canvas import asked_on
from viz.widgets.settings import choose, link
from viz.widgets.visit import Visit


def take_question() -> None:
    """Let the pair of the cell that was just chosen be asked; before the controls are shown."""
    told = asked_on(CANVAS)
    if told is not None:
        link.store(ASKED_OF.name, mechanism_of(told["of"]))
        put_question(ALSO, told["query"], told["key"])


def show_question(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Ask about the sentence and one translation, which all translators are made to write."""
    written = {mechanism_of(key): key for key, trace in ran.traces.items() if trace.output_text.strip()}
    keys = written or {mechanism_of(key): key for key in ran.traces}
    if ran.target is None and len(keys) > 1:
        key = keys[choose(ASKED_OF, {mechanism: name_of(key) for mechanism, key in keys.items()})]
    else:
        link.drop(ASKED_OF)
        key = next(iter(keys.values()))
    trace = ran.traces[key]
    target, words = ran.target or trace.output_text, words_of_trace(trace)
    moved = visit.wanted.quantity == "moved"
    if words:
        ask_heads(
            visit, HeadQuestion(key, pair_of(key), trace.source_text, target if target.strip() else None, words, moved)
        )
