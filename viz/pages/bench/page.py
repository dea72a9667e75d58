"""The Bench: one sentence, every mechanism side by side."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.keys import mechanism_of, pair_of
from models.mechanisms import mechanisms, usual
from models.trace import AttentionTrace, Reading
from viz.captions.telling import disagreement_of
from viz.figures.drawing.theme import Colour
from viz.measures.summary import SummaryOrder, in_order
from viz.pages.bench.ask import show_question, take_question
from viz.pages.bench.beam import show_beam
from viz.pages.bench.by_hand import show_by_hand
from viz.pages.bench.draws import show_draws
from viz.pages.bench.extras import (
    choose_below,
    on_one_translation,
    show_difference,
    show_multiples,
    show_numbers,
    show_summaries,
    summaries_of,
)
from viz.pages.bench.panels import draw
from viz.pages.bench.predicting import show_predicting
from viz.pages.bench.pyramid import show_pyramid
from viz.pages.bench.rounds import show_rounds
from viz.pages.bench.settings import (
    AGREEMENT,
    ALIGN,
    AUTOMATIC,
    BEAM,
    DIFFERENCE,
    DRAWN,
    HAND,
    LINKS,
    MULTIPLES,
    NUMBERS,
    ORDER,
    OWN,
    PREDICT,
    PYRAMID,
    READING,
    ROUNDS,
    SETTINGS,
    SUMMARY,
    TEXT,
    WINDOW,
    WRONG,
    YEAR,
)
from viz.pages.bench.timeline import Place, choose_mechanisms, choose_place
from viz.pages.bench.wanted import (
    BenchSettings,
    Compared,
    ask_translation,
    file_name_of,
    fit_translation,
    name_of,
    view_of,
)
from viz.pages.bench.window import show_window
from viz.pages.bench.wrong_word import show_wrong_word, take_replaced
from viz.pages.bench.zeroed import zero_shown
from viz.server.loading import loads, usable
from viz.server.runtime import Host, shared_host
from viz.server.translations import forced_translations, own_translations
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.views.aligned import Linking
from viz.views.view import Unit, View
from viz.widgets.asked_heads import ASKED
from viz.widgets.expected import is_hidden
from viz.widgets.frame import Frame, Page
from viz.widgets.opened.opening import FIGURES, PANELS, SHEET, open_traces
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import say_cut, where_to_look
from viz.widgets.settings import choose_titled, value_of
from viz.widgets.shared_settings import COLOUR, PICTURE, UNIT, ZEROABLE
from viz.widgets.unsuited import say_small
from viz.widgets.visit import ImageFormat, Visit
from viz.widgets.zeroing import ZEROED

USUAL = tuple(each.key for each in usual() if each.has_attention)
"""What is shown to somebody who chose nothing."""


def _fill(frame: Frame) -> None:
    """Read the choices, run the models, show what they did."""
    pair = frame.ask_any()
    if open_traces(frame, usual=PANELS):
        return
    frame.suit(pair)
    if look := where_to_look(pair, frame.sentence):
        frame.messages.caption(plain(look))
    line = st.container()
    installed = _installed(pair, frame.messages)
    if installed:
        wanted = _controls(installed, pair, line, frame.beside)
        keys = usable(shared_host(), wanted.keys, frame.messages)
        if keys:
            _compare(frame, keys, wanted)


def _installed(pair: str, messages: DeltaGenerator) -> tuple[str, ...]:
    """Return the keys of the models that are there; those that are not are named."""
    there = models.catalog()
    for mechanism in USUAL:
        key = f"{mechanism}-{pair}"
        if key not in there:
            text = _("{title} is missing: the weights {key} are not installed.", title=name_of(key), key=key)
            messages.warning(text)
    return tuple(key for key in there if pair_of(key) == pair and mechanism_of(key) in mechanisms())


def _controls(installed: Sequence[str], pair: str, line: DeltaGenerator, beside: DeltaGenerator) -> BenchSettings:
    """Show the mechanisms in one line; what few need is behind a button at the end of the row above."""
    names = {mechanism_of(key): name_of(key) for key in installed}
    usual = tuple(name for name in USUAL if name in names) or tuple(names)[:1]
    with line:
        shown, folds = choose_mechanisms(names, usual, pair)
    with beside:
        box = st.popover(_("Settings"), icon=":material/tune:", key="settings", on_change="rerun")
    align, quantity, unit, reading, colour, links, order, picture = _settings(box, _alignments(names))
    return BenchSettings(
        keys=tuple(f"{mechanism}-{pair}" for mechanism in shown),
        align=align if align in (OWN, TEXT) else f"{align}-{pair}",
        quantity=quantity,
        unit=cast("Unit", unit),
        reading=None if reading == AUTOMATIC else cast("Reading", reading),
        colour=cast("Colour", colour),
        picture=cast("ImageFormat", picture),
        order=cast("SummaryOrder", order),
        links=cast("Linking", links),
        folds=folds,
    )


def _settings(box: Any, alignments: dict[str, str]) -> list[str]:
    """Return what is set, with the controls where `box` is open: what nobody sees is not sent with every edit."""
    groups = {
        mark("Translation"): (ALIGN,),
        mark("Maps"): (ZEROABLE, UNIT, READING, COLOUR, LINKS),
        mark("Order and files"): (ORDER, PICTURE),
    }
    labels = {ALIGN.name: alignments}
    if not box.open:
        return [value_of(each, labels.get(each.name)) for group in groups.values() for each in group]
    said = []
    with box, st.container(gap="xsmall"):
        for name, group in groups.items():
            st.markdown(f"**{_(name)}**")
            said += [choose_titled(each, labels.get(each.name)) for each in group]
    return said


def _alignments(names: dict[str, str]) -> dict[str, str]:
    labels = {OWN: _("each aligned to its own translation")}
    labels |= {key: _("all aligned to the translation by {title}", title=title) for key, title in names.items()}
    return labels | {TEXT: _("all aligned to my own translation")}


def _compare(frame: Frame, keys: tuple[str, ...], wanted: BenchSettings) -> None:
    """Run the models and show what they did; on bad input say so and show what the last good sentence gave."""
    host, messages = shared_host(), frame.messages
    try:
        source = fit_text(host.model(keys[0]), frame.sentence, messages)
        own_translations(host, keys, source)
    except models.InputError as error:
        last = last_readable(host.model(keys[0]), error, messages)
        if last is None:
            return
        source = last
    keep_readable(source)
    target = _target(host, keys, source, wanted.align, messages)
    traces = own_translations(host, keys, source)
    say_cut(tuple(traces.values()), messages)
    say_small(source, tuple(traces.values()), messages)
    if target is not None:
        traces = forced_translations(host, keys, source, target)
    _show(frame, wanted, source, traces, target)


def _target(host: Host, keys: Sequence[str], source: str, align: str, messages: DeltaGenerator) -> str | None:
    """Return the translation that all are made to write; None if each writes its own."""
    if align == OWN:
        return None
    author, target = keys[0] if align == TEXT else align, ""
    if align == TEXT:
        typed = ask_translation(author, _("Your translation. Every model scores it word by word."))
        target = fit_text(host.model(keys[0]), typed, messages)
    if not target.strip() and loads(host, author, messages):
        target = fit_translation(host, host.attend(author, source), messages)
    if not target.strip():
        messages.warning(
            plain(_("{title} produced an empty translation, so there is nothing to align to.", title=name_of(author)))
        )
        return None
    try:
        forced_translations(host, keys, source, target)
    except models.InputError as error:
        messages.error(plain(say(error)), icon=":material/edit:")
        return None
    return target


def _show(
    frame: Frame, wanted: BenchSettings, source: str, traces: dict[str, AttentionTrace], target: str | None
) -> None:
    host = shared_host()
    take_question()
    take_replaced()
    drawn, below = st.container(key="figure-alignment"), st.container()
    with below:
        also, chosen = choose_below(traces, wanted.order)
    places = {
        key: choose_place(mechanism_of(key), trace, wanted.folds.get(mechanism_of(key)))
        for key, trace in traces.items()
    }
    run = ("bench", source, target, *places.items(), wanted.unit, wanted.reading, wanted.quantity)
    with drawn:
        kept = zero_shown(host, (source, target), traces, places) if wanted.quantity == ZEROED else traces
    views = host.workings.get(run, lambda: _views(kept, places, wanted))
    same: dict[str, AttentionTrace] = {}
    if chosen in views and (wanted.order == AGREEMENT or {MULTIPLES, SUMMARY} & set(also)):
        same = on_one_translation(host, traces, target, chosen, frame.messages)
    compared, weighed = _views(same, places, wanted), replace(wanted, quantity="weights")
    measured = traces if wanted.order != YEAR or SUMMARY in also else {}
    shown, alike = (_views(each, places, weighed) for each in (measured, same))  # always of weights
    summaries = summaries_of(host, measured, shown, alike, chosen)
    order = in_order(tuple(traces), summaries, wanted.order)
    with drawn:
        if (PREDICT in also and not show_predicting(views)) or is_hidden():
            st.caption(_("The maps are hidden until the row is revealed."))
            return
        weights = _views(traces, places, weighed) if wanted.quantity == ZEROED else views
        said = disagreement_of([weights[key] for key in order if key in weights])
        draw(host, run, {key: (kept[key], views.get(key)) for key in order}, wanted, says=said)
        views = weights  # all that is below
    with below:
        visit = frame.visit(wanted)
        ran = Compared(traces, target, places, {key: views[key] for key in order if key in views})
        if DIFFERENCE in also:
            show_difference(visit, ran)
        if MULTIPLES in also and chosen in compared:
            others = [compared[key] for key in order if key in compared and key != chosen]
            show_multiples(visit, others, compared[chosen])
        if SUMMARY in also:
            show_summaries([summaries[key] for key in order], file_name_of(traces))
        _show_last(visit, ran, also)


def _show_last(visit: Visit[BenchSettings], ran: Compared, also: Collection[str]) -> None:
    """Show what stands last below the picture: alignment by hand, the window of local attention, the numbers."""
    if HAND in also and ran.views:
        show_by_hand(visit, ran)
    more = {WINDOW: show_window, PYRAMID: show_pyramid, DRAWN: show_draws, WRONG: show_wrong_word, BEAM: show_beam}
    for name, show_part in more.items():
        if name in also:
            show_part(visit, ran)
    if ROUNDS in also:
        show_rounds(ran)
    if NUMBERS in also:
        show_numbers(ran.views)
    if ASKED in also:
        show_question(visit, ran)


def _views(traces: dict[str, AttentionTrace], places: dict[str, Place], wanted: BenchSettings) -> dict[str, View]:
    """Return the map of each mechanism that has attention, where it is looked at."""
    return {key: view_of(trace, places[key], wanted) for key, trace in traces.items() if trace.sites}


PAGE = Page(
    title=mark("Bench"),
    address="bench",
    fill=_fill,
    figures=FIGURES,
    settings=SETTINGS,
    sheets=(SHEET,),
    greeting=mark("Three models translate your sentence. Colour shows which source words each one looks at."),
    footnote=mark(
        "A heatmap shows where a model attends, not why it produced this output. </s> marks the end of the "
        "sentence. Models treat it like a word."
    ),
)
