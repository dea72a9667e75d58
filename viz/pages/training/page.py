"""The Training page: three small models at twenty points of their training, on the typed sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.experiments.induction_table import induction_table
from models.experiments.stability_table import stability_table
from models.keys import at_point, pair_of, split_point
from models.trace import AttentionTrace
from models.translation.entry import Entry
from viz.figures.drawing.theme import Colour
from viz.figures.training_curves import Curve, loss_and_error
from viz.pages.training.birth import show_birth
from viz.pages.training.moment import choose_moment
from viz.pages.training.settings import (
    ALIGN,
    AUTHOR,
    BIRTH,
    CURVES,
    FIRST_SHOWN,
    GOLD,
    MEASURED,
    MEASURED_FIGURES,
    OWN,
    POINT,
    SETTINGS,
    SHORT,
    WRONG,
)
from viz.pages.training.written import show_written
from viz.pages.training.wrong import show_wrong
from viz.server.loading import described, loads, usable
from viz.server.runtime import Host, shared_host
from viz.server.translations import forced_translations, own_translations
from viz.text.language import SEMICOLON, _, current_language, listed, mark
from viz.text.markup import plain
from viz.views.hiding import hide_specials
from viz.views.view import Unit, View, choose_view, hide
from viz.widgets.frame import Frame, Page
from viz.widgets.language_pair import switch_to
from viz.widgets.panels import panel_of, show_panels
from viz.widgets.presenting import is_presented
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import SENTENCE, USUAL, say_cut
from viz.widgets.settings import choose, choose_titled, labels_of, put_text, value_of
from viz.widgets.shared_settings import COLOUR, UNIT
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Wanted


def _fill(frame: Frame) -> None:
    """Read the choices, run the models as they were at the chosen point, show what they did."""
    pair = frame.ask(own=False, first={USUAL: SHORT})
    runs = [key for key in models.training_runs() if pair_of(key) == pair]
    if not runs:
        _offer_usual(frame.messages)
        _measured(frame, {})
        return
    if is_presented() and value_of(MEASURED) != CURVES:
        _measured(frame, {})
        return
    first = described([at_point(key, 1) for key in runs], frame.messages)
    points = {split_point(key)[0]: entry.card["points"] for key, entry in first.items()}
    if not points:
        return
    seen = [each["target_tokens_seen"] for each in next(iter(points.values()))]
    point = choose_moment(POINT, list(map(_short, seen)), first=FIRST_SHOWN)
    with frame.beside:
        box = st.popover(_("Settings"), icon=":material/tune:", key="settings")
    with box, st.container(gap="xsmall"):
        align, unit, colour = (choose_titled(each) for each in (ALIGN, UNIT, COLOUR))
    wanted = Wanted(unit=cast("Unit", unit), colour=cast("Colour", colour))
    entries = described([at_point(key, point) for key in points], frame.messages)
    keys = usable(shared_host(), list(entries), frame.messages)
    if keys:
        _show(frame, {key: entries[key] for key in keys}, wanted, align)
    curves = {
        key: Curve(
            _(entries[key].mechanism.title),
            [each["target_tokens_seen"] for each in kept],
            [each["held_out_loss"] for each in kept],
            [each["aer"][GOLD] for each in kept],
        )
        for key, kept in ((key, points[split_point(key)[0]]) for key in entries)
    }
    _measured(frame, curves, next(iter(entries.values())).card, point)


def _offer_usual(messages: DeltaGenerator) -> None:
    """Say that no training was kept of the chosen languages, and offer those of which it was."""
    with messages:
        st.info(_("Training was recorded only for English to French, not for these languages."))
        st.button(_("Switch to English to French"), on_click=switch_to, args=(USUAL,))


def _short(count: int) -> str:
    """Write a number of tokens as a person would: 21 k, 1.0 M."""
    return f"{count / 1e6:.1f} M" if count >= 1e6 else f"{count / 1e3:.0f} k"


def _show(frame: Frame, entries: Mapping[str, Entry], wanted: Wanted, align: str) -> None:
    """Run the models and show their maps, and what each writes by itself; bad input is said, the last good one kept."""
    host, keys = shared_host(), list(entries)
    reader = host.model(keys[0])
    try:
        source = fit_text(reader, frame.sentence, frame.messages)
        own = own_translations(host, keys, source)
    except models.InputError as error:
        last = last_readable(reader, error, frame.messages)
        if last is None:
            return
        source = last
        own = own_translations(host, keys, source)
    keep_readable(source)
    say_cut(tuple(own.values()), frame.messages)
    target = "" if align == OWN else _target(host, keys[0], source, frame.messages)
    traces = forced_translations(host, keys, source, target) if target else own
    titles = {key: _(entry.mechanism.title) for key, entry in entries.items()}
    with st.container(key="figure-alignment"):
        _maps(traces, titles, wanted, (source, target, align))
    if target:
        said = _("Same translation for all models: {text} (by the trained Transformer).", text=target)
        st.caption(plain(said))
    show_written(own, titles, {key: _numbers(entry) for key, entry in entries.items()})
    if source != SHORT:
        with st.container(horizontal=True, vertical_alignment="center", key="training-short"):
            st.caption(_("These small models were trained on short sentences."), width="content")
            st.button(_("Take a short one"), on_click=put_text, args=(SENTENCE, SHORT))


def _target(host: Host, key: str, source: str, messages: DeltaGenerator) -> str:
    """Return the translation that all are made to write; empty, said in `messages`, where there is none."""
    if AUTHOR not in models.catalog() or not loads(host, AUTHOR, messages):
        return ""
    written = fit_text(host.model(AUTHOR), source, messages)
    target, left_out = host.model(key).fit(host.attend(AUTHOR, written).output_text)
    if left_out:
        said = _("The translation is longer than these models accept. It is aligned up to “…{end}”.", end=target[-40:])
        messages.info(plain(said), icon=":material/content_cut:")
    if not target.strip():
        messages.info(
            _("The trained Transformer produced an empty translation. Each model is aligned to its own translation.")
        )
    return target.strip()


def _maps(
    traces: Mapping[str, AttentionTrace], titles: Mapping[str, str], wanted: Wanted, drawn: tuple[str, ...]
) -> None:
    """Show a panel a model."""
    views = {key: _words_alone(trace, wanted.unit) for key, trace in traces.items() if _has_words(trace)}
    if len(views) < len(traces):
        silent = listed(titles[key] for key in traces if key not in views)
        st.caption(plain(_("Empty translation at this point: {names}", names=silent)))
    if views:
        run = ("training", *drawn, *views, wanted.unit, wanted.colour, current_language())
        show_panels(
            [panel_of(key, traces[key], view) for key, view in views.items()],
            Shown(
                key="alignment",
                name=f"{drawn[0][:40]} {next(iter(views)).partition('@')[2]}",
                traces={titles[key]: traces[key] for key in views},
            ),
            colour=wanted.colour,
            once=lambda make: shared_host().workings.get(run, make),
        )


def _has_words(trace: AttentionTrace) -> bool:
    return len(trace.target) > len(trace.target.specials)


def _words_alone(trace: AttentionTrace, unit: Unit) -> View:
    """Return the map without the rows of ``<s>`` and ``</s>``: row by row the same words, whatever labels them."""
    return hide(choose_view(trace, unit=unit), replace(hide_specials(trace), source=()))


def _numbers(entry: Entry) -> tuple[float, float]:
    """Return the held-out loss and the alignment error of a model at its point."""
    return entry.card["held_out_loss"], entry.card["aer"][GOLD]


def _measured(
    frame: Frame, curves: Mapping[str, Curve], card: Mapping[str, Any] = MappingProxyType({}), point: int = 1
) -> None:
    """Show what was measured through a training, of those that the reader can choose."""
    twins, heads = stability_table(), induction_table()
    there = {CURVES: curves, WRONG: twins, BIRTH: heads}
    labels = {code: title for code, title in labels_of(MEASURED).items() if there[code]}
    chosen = choose(MEASURED, labels) if labels else ""
    if chosen == WRONG and twins:
        show_wrong(frame, twins)
    elif chosen == BIRTH and heads:
        show_birth(frame, heads)
    elif curves:
        _show_curves(frame, curves, card, point)


def _show_curves(frame: Frame, curves: Mapping[str, Curve], card: Mapping[str, Any], point: int) -> None:
    """Show loss and alignment error of all points, and where the slider is."""
    st.header(_("Measured: loss and alignment through training"), anchor=False)
    visit = frame.visit(Wanted())
    at = next(iter(curves.values())).tokens[point - 1]
    figure = loss_and_error(curves, at, width=visit.width)
    show(Shown(figure, key="curves", says=_says(curves), name="through training"), visit)
    st.caption(
        _(
            "Small models (about {parameters} parameters each), trained for this page on the same short everyday "
            "text. Their averaged weights were saved {count} times, evenly on a log scale. Loss: on held-out "
            "sentences, with label smoothing. Alignment error rate (Och and Ney 2003): 0 is full agreement with "
            "human links, on {pairs} hand-aligned pairs. The strongest word of each row is taken. The map was "
            "chosen on other sentences, with the last point alone. The dotted line is the point shown above. "
            "Attention that aligns is not yet a translation, nor the reason for one.",
            parameters=f"{card['parameters'] / 1e6:.1f} M",
            count=len(card["points"]),
            pairs=30,
        )
    )


def _says(curves: Mapping[str, Curve]) -> str:
    """Say for each model when its alignment came: where its error had fallen half of the way that it fell in all."""
    parts = []
    for each in curves.values():
        half = (each.errors[0] + min(each.errors)) / 2
        place = next(place for place, error in enumerate(each.errors) if error <= half)
        parts.append(
            _(
                "{title}: after {tokens} tokens, at a loss of {loss}",
                title=each.title,
                tokens=_short(each.tokens[place]),
                loss=f"{each.losses[place]:.2f}",
            )
        )
    return _("Halfway to its best alignment error: {parts}.", parts=listed(parts, SEMICOLON))


PAGE = Page(
    title=mark("Training"),
    address="training",
    fill=_fill,
    figures=("training-point", "figure-alignment", *MEASURED_FIGURES),
    settings=SETTINGS,
    sheets=(Path(__file__).parent / "training.css",),
    is_there=lambda: bool(models.training_runs()),
)
