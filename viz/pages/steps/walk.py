"""Walk through one word of a sentence: choice of mechanisms, word and step, and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import cast

from streamlit.delta_generator import DeltaGenerator

import models
from models.keys import pair_of
from viz.canvas.standalone import Picture
from viz.captions.tables import csv_of_walks
from viz.figures.printable import PrintedWalk
from viz.pages.steps.looking import Looked, walk_page, walker_of
from viz.pages.steps.numbers import show_numbers
from viz.pages.steps.places import StepPlace, choose_mechanisms, choose_places, installed, is_walkable, key_of
from viz.pages.steps.settings import (
    FIRST_SHOWN,
    MECHANISM,
    MOST_READ,
    READ,
    READS,
    ROW,
    STEP,
    WALKED,
    WORD,
)
from viz.pages.steps.wrong_word import offer_of, show_wrong_word, take_replaced
from viz.server.loading import usable
from viz.server.runtime import Host, shared_host
from viz.text.language import _, current_language
from viz.views.view import Unit, choose_view
from viz.walk.order import nearest_step
from viz.walk.picture import SentenceLabel
from viz.walk.telling import same_row, telling_row, telling_word
from viz.widgets import session
from viz.widgets.canvas import Walked, show_canvas, walked_on
from viz.widgets.frame import Frame
from viz.widgets.keep import keep_row
from viz.widgets.offered import say_offer
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import say_cut
from viz.widgets.settings import choose, link, unknown, value_of
from viz.widgets.shared_settings import UNIT
from viz.widgets.shown import Shown
from viz.widgets.unmasked import show_unmasked
from viz.widgets.unsuited import say_small
from viz.widgets.visit import Wanted

CANVAS = "walk"
_ROWS = "steps-rows"


def show_steps(frame: Frame, pair: str, bar: DeltaGenerator) -> None:
    """Show the walk through the sentence, with its choices."""
    messages = frame.messages
    names = installed(pair)
    if not names:
        messages.warning(_("No mechanism has its weights installed here, so there is nothing to walk through."))
        return
    say_offer(MECHANISM, names, messages)
    chosen = choose_mechanisms(names, bar)
    keys, host = tuple(key_of(each, pair) for each in chosen), shared_host()
    if not usable(host, keys, messages):
        return
    source = read_sentence(host, keys[0], frame.sentence, messages)
    if source is None:
        return
    link.belong(WALKED, of=chosen)
    places = choose_places(host, keys, source, bar)
    with bar:
        unit = cast("Unit", choose(UNIT))
    if is_walkable(places[0], messages):
        _walk(frame, places, unit)


def read_sentence(host: Host, key: str, sentence: str, messages: DeltaGenerator) -> str | None:
    """Return what the model `key` reads: `sentence`, cut if it is too long, or the last that could be read.

    What is wrong is said in `messages`; None if there was no sentence that could be read yet.
    """
    model = host.model(key)
    try:
        fitting = fit_text(model, sentence, messages)
        trace = host.attend(key, fitting)
        say_cut((trace,), messages)
        say_small(fitting, (trace,), messages)
    except models.InputError as error:
        return last_readable(model, error, messages)
    keep_readable(fitting)
    return fitting


def _walk(frame: Frame, places: list[StepPlace], unit: Unit) -> None:
    """Show the picture, and the numbers of the step that is looked at."""
    host, first = shared_host(), places[0]
    told = walked_on(CANVAS)
    row = _row(first, told)
    column = _column(first, row, told)
    looked = Looked(tuple(walker_of(host, place) for place in places), unit, _lead(first), row, column)
    step = _step(looked.titles, told)
    take_replaced(first, row, told)
    show_canvas(Picture("walk", looked.encode(step, put=offer_of(first, row))), key=CANVAS)
    formulas = [place.walk.formula for place in places]
    saved = Shown(
        key="walk",
        name=f"{_wrote(first, row)} {step}",
        csv=(lambda: csv_of_walks(looked.pictures)) if first.site else None,
        printed=lambda: PrintedWalk(looked.pictures, formulas, step),
        square=False,
        page=lambda: [walk_page(looked, step)],
        traces={_(place.trace.provenance.title): place.trace for place in places},
    )
    keep_row(saved)
    looked_at = []
    for scene, steps in zip(looked.scenes, looked.walks, strict=True):
        own = nearest_step(step, [each.key for each in steps])
        looked_at.append((scene, next(each for each in steps if each.key == own)))
    measure = cache(partial(frame.visit, Wanted()))  # a page is measured once
    show_wrong_word(measure, first, unit)
    if first.trace.provenance.edits and first.site is not None:
        masked = host.attend(first.key, first.trace.source_text, first.trace.output_text)
        views = [choose_view(trace, site=first.site, head=first.head) for trace in (masked, first.trace)]
        show_unmasked(measure(), first.key, masked, first.trace, views)
    show_numbers(measure, looked_at)


def _wrote(place: StepPlace, row: int) -> str:
    return f"{place.name} {place.queries.word_texts[place.queries.words[row]]}"


def _row(place: StepPlace, told: Walked | None) -> int:
    """Return the query: what the reader has turned to, what the link names, or a word that tells something.

    Another mechanism keeps the word, whose row may be another one in its translation.
    """
    queries = place.queries
    usual = telling_word(queries) if place.site is None else telling_row(place.trace[place.site], place.head)
    of_source = (place.trace.source_text, place.site.kind if place.site else "cross", queries is place.trace.source)
    anew = link.belong(READ, of=of_source)
    before, row = session.recall(_ROWS, (queries, None))
    if told is not None and told.row is not None and told.row < len(queries):
        unknown.forget()
        link.store(WORD.name, WORD.write(str(told.row), str(usual)))
    elif not anew and before != queries and row is not None and not link.came_back():
        kept = same_row(before, row, queries)
        link.store(WORD.name, None if kept is None else WORD.write(str(kept), str(usual)))
    found = int(value_of(WORD, {str(each): "" for each in range(len(queries))}, default=str(usual)))
    session.keep(_ROWS, (queries, found))
    return found


def _column(place: StepPlace, row: int, told: Walked | None) -> int | None:
    """Return the key whose score is explained; None for the one that is read most."""
    if place.site is None:
        return None
    shown = place.trace[place.site]
    written = shown.causal and place.trace.provenance.decoding == "greedy"
    keys = {MOST_READ: ""} | {str(key): "" for key in range(row + 1 if written else len(shown.key_tokens))}
    link.belong(ROW, of=(str(place.site), row), unless=keys)
    if told is not None:
        wanted = MOST_READ if told.column is None else str(told.column)
        link.store(READS.name, READS.write(wanted if wanted in keys else MOST_READ, MOST_READ))
    chosen = value_of(READS, keys)
    return None if chosen == MOST_READ else int(chosen)


def _step(titles: Mapping[str, str], told: Walked | None) -> str:
    """Return the step, the score where none is asked for; of one that no mechanism here has, the nearest before it."""
    asked = told.step if told is not None else link.text_of(STEP)
    nearest, usual = (nearest_step(each or "", tuple(titles)) for each in (asked, FIRST_SHOWN))
    if nearest is not None and usual is not None:
        link.store(STEP.name, STEP.write(nearest, usual))
    return value_of(STEP, titles, default=usual)


def _lead(place: StepPlace) -> SentenceLabel:
    """Return what is said before the words that a reader can choose, and their language."""
    if place.site is not None and place.site.kind == "hops":
        return SentenceLabel(_("The hops:"), current_language(), apart=True)
    source, _dash, target = pair_of(place.key).rpartition("-")
    if place.site is not None and place.site.kind == "self" and place.site.stack == "encoder":
        return SentenceLabel(_("Self-attention:"), source)
    if place.site is not None and place.site.kind == "self":
        return SentenceLabel(_("Input, word by word:"), target)
    if not place.trace.output_text:
        return SentenceLabel(_("Input, word by word:"), target)
    return SentenceLabel(_("{title} wrote:", title=_(place.trace.provenance.title)), target)
