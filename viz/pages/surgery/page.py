"""The Surgery page: edit attention, and see what the model then generates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.huggingface.reader_entries import reader_entry
from models.keys import pair_of
from models.sites import Site
from models.trace import AttentionTrace
from viz.canvas.edited import encode_edited
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture
from viz.captions.differences import sentence_of_difference
from viz.captions.maps import sentence_of
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap, difference_heatmap
from viz.figures.drawing.theme import Colour
from viz.pages.surgery.checks import Check, CheckSettings, show_check
from viz.pages.surgery.offer import CANVAS, offers, take_offer
from viz.pages.surgery.settings import CHECK, MODEL, OPERATED, PAIR, SETTINGS, SHOWN
from viz.server.hub import own_models
from viz.server.loading import described, usable
from viz.server.runtime import Host, shared_host
from viz.server.translations import forcible_translation
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.text.masking import Masked
from viz.views.differences import choose_difference
from viz.views.view import Head, Unit, View, choose_view
from viz.widgets.canvas import show_canvas
from viz.widgets.edits.in_force import edits_in_force
from viz.widgets.edits.translation_consequence import (
    MisfitError,
    edited_runs,
    show_consequence,
    show_unedited,
    show_word_numbers,
)
from viz.widgets.edits.vector_consequence import show_vector_consequence, show_vector_numbers
from viz.widgets.frame import Frame, Page
from viz.widgets.hops import show_class_numbers, show_classes
from viz.widgets.keep import file_name, keep_row
from viz.widgets.likely import show_output
from viz.widgets.masking import mask_words
from viz.widgets.offered import say_offer
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import say_cut
from viz.widgets.settings import choose, choose_titled, labels_of, link
from viz.widgets.shared_settings import COLOUR, PICTURE, QUANTITY, UNIT
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import ImageFormat, Visit


def _fill(frame: Frame) -> None:
    """Read the choices, run the model before and after, show both."""
    pair = frame.ask(_label())
    line = st.container(horizontal=True, vertical_alignment="center", key="edit")
    names = _names(pair, frame.messages)
    if not names:
        frame.messages.warning(_("No model is installed."))
        return
    say_offer(MODEL, names, frame.messages)
    link.belong(PAIR, of=pair, unless=names)
    with line:
        wanted = _controls(names, pair, frame.beside)
    if usable(shared_host(), (wanted.key,), frame.messages):
        _operate(frame, wanted, line)


def _label() -> str | None:
    """Say above the box what becomes of the sentence; None: it is translated."""
    if not models.is_pretrained(link.text_of(MODEL) or ""):
        return None
    return _("Type a sentence. The model reads it, and you edit its attention.")


def _names(pair: str, messages: DeltaGenerator) -> dict[str, str]:
    """Return what can be operated on: translation models with attention, and pretrained models of this machine."""
    entries = described((key for key in models.catalog() if pair_of(key) == pair), messages).values()
    own = {each.mechanism.key: _(each.mechanism.title) for each in entries if each.mechanism.has_attention}
    return own | {key: _(each.title) for key, each in own_models().items() if reader_entry(key).has_attention}


def _key(name: str, pair: str) -> str:
    """Return what `models.load` takes for a name of the link."""
    return name if models.is_pretrained(name) else f"{name}-{pair}"


def _controls(names: Mapping[str, str], pair: str, beside: DeltaGenerator) -> CheckSettings:
    """Show which model is operated on; what few need is behind a button at the end of the row above."""
    with st.container(width=220):
        name = choose(MODEL, names)
    with beside, st.popover(_("Settings"), icon=":material/tune:", key="settings"):
        quantity, unit, colour, picture = map(choose_titled, (QUANTITY, UNIT, COLOUR, PICTURE))
    return CheckSettings(
        key=_key(name, pair),
        quantity=quantity,
        unit=cast("Unit", unit),
        colour=cast("Colour", colour),
        picture=cast("ImageFormat", picture),
    )


def _operate(frame: Frame, wanted: CheckSettings, line: DeltaGenerator) -> None:
    host, messages = shared_host(), frame.messages
    before, hidden = _unedited(host, frame.sentence, wanted.key, messages)
    if before is None:
        return
    if before.is_translation and not before.output_text.strip():
        messages.warning(_("The model produced an empty translation, so there is nothing to edit."))
        return
    editable = host.model(wanted.key).editable
    if not editable:
        messages.info(
            _("The attention of this model cannot be edited: its library returns weights only after using them.")
        )
    with line:
        site, head = _place(before)
    as_trained = choose_view(before, unit=wanted.unit, site=site, head=head)
    take_offer(as_trained)
    edits = edits_in_force(before, line, messages)
    if not edits:
        line.caption(_("No edits yet. Click a word or a cell of the map, or choose an edit."))
    forced, afresh = before, before
    if edits:
        try:
            forced, afresh = edited_runs(host, wanted.key, before, edits)
        except MisfitError as error:
            messages.error(plain(say(error)), icon=":material/edit:")
            forced, afresh, edits = before, before, ()
    _say_what_it_did(before, forced, afresh, wanted.key, edited=bool(edits))
    if not before.target:
        _say_likeliest(host.model(wanted.key), before, forced if edits else None, hidden)
    visit = frame.visit(wanted)
    edited = choose_view(forced, unit=wanted.unit, site=site, head=head) if edits else None
    if wanted.quantity == "moved":
        as_trained, edited = _moved(as_trained, edited, head)
    _maps(visit, as_trained, edited, offers() if editable else [])
    if before.classes:
        show_class_numbers({_("as trained"): before} | ({_("edited"): afresh} if edits else {}))
    else:
        (show_word_numbers if before.target else show_vector_numbers)(before, forced)
    hops = {"heads": _("which hops matter here")} if before.classes else {}
    chosen = choose(CHECK, {**labels_of(CHECK), **hops})
    show_check(chosen, Check(visit, before, site, head))


def _moved(before: View, after: View | None, head: Head | None) -> tuple[View, View | None]:
    """Return what is moved in the place of the weights of one map; where that is not known, say so."""
    site = before.shown.site
    if not before.trace[site].has_moved:
        st.caption(
            _("Norm-weighted attention is not available here: the values and the matrix after them cannot be captured.")
        )
        return before, after

    def moved(view: View) -> View:
        maps = tuple(each.moved() if each.site == site else each for each in view.trace)
        return choose_view(replace(view.trace, maps=maps), unit=view.unit, site=site, head=head)

    return moved(before), after and moved(after)


def _say_what_it_did(
    before: AttentionTrace, forced: AttentionTrace, afresh: AttentionTrace, key: str, *, edited: bool
) -> None:
    """Say above the maps what the model writes, or how far its vectors turned, with the edits and without."""
    with st.container(gap="xxsmall", key="consequence"):
        if not edited:
            if before.target:
                show_unedited(before, key)
        elif before.target:
            show_consequence(before, forced, afresh, key)
        elif not before.classes:
            show_vector_consequence(before, forced)


def _say_likeliest(
    model: models.Model, before: AttentionTrace, after: AttentionTrace | None, hidden: tuple[str, ...]
) -> None:
    """Say what a model of one stack holds for likely as it was trained, and under the edits (None: there are none)."""
    with st.container(gap="xxsmall", key="likeliest"):
        if before.classes:
            show_classes(before, _("As trained:"))
        else:
            show_output(before, model, hidden)
        if before.classes and after is not None:
            show_classes(after, _("With the edits:"))
        elif after is not None and after.predictions:
            st.caption(_("With the edits:"))
            show_output(after, model, hidden)


def _unedited(
    host: Host, sentence: str, key: str, messages: DeltaGenerator
) -> tuple[AttentionTrace | None, tuple[str, ...]]:
    """Run `sentence` as it is; on bad input say so and return what the last good sentence gave.

    With it the words that are masked in it.
    """
    model = host.model(key)
    try:
        fitting = fit_text(model, sentence, messages)
        masked = mask_words(model, fitting)
        trace = forcible_translation(host, key, masked.text)
    except models.InputError as error:
        last = last_readable(model, error, messages)
        if last is None:
            return None, ()
        fitting, masked = last, Masked(last)
        trace = forcible_translation(host, key, last)
    say_cut((trace,), messages)
    keep_readable(fitting if masked.hidden else trace.source_text)
    return trace, masked.hidden


def _maps(visit: Visit[CheckSettings], before: View, after: View | None, offered: list[dict[str, Any]]) -> None:
    """Show one map as trained and as edited (None: nothing is), and the signed difference."""
    wanted = visit.wanted
    views = [before] if after is None else [before, after]
    titles = (_("as trained"), _("edited"))[: len(views)]
    name = f"{before.trace.source_text[:40]} {wanted.key} {'' if after is None else 'edited'}"
    name += " moved" * (before.quantity == "moved")
    says = " · ".join(sentence_of(view, count=1) for view in views)
    look = Look(wanted.colour, visit.width, says, f"{file_name(name)}.{wanted.picture}")
    picture = Picture("comparison", encode_edited(before, after, offers=offered, look=look))
    with st.container(key="figure-maps"):
        show_canvas(picture, key=CANVAS)
        st.caption(plain(says))
        saved = Shown(
            key="maps",
            name=name,
            csv=lambda: csv_of_views(views),
            printed=partial(alignment_heatmap, views, colour=wanted.colour, titles=titles),
            page=lambda: [Picture("comparison", encode_edited(before, after, offers=(), look=look))],
            traces=dict(zip(reversed(titles), (view.trace for view in reversed(views)), strict=True)),
        )
        keep_row(saved)
    if after is not None:
        difference = Shown(
            difference_heatmap(after, before, colour=wanted.colour, width=visit.width),
            key="difference",
            says=sentence_of_difference(choose_difference(after, before)),
            name=f"{name} difference",
        )
        show(difference, visit)


def _place(trace: AttentionTrace) -> tuple[Site | None, Head | None]:
    """Let the reader choose which map is shown, if there is a choice; for our own models a card names the usual one."""
    places: dict[str, tuple[Site | None, Head | None]] = {}
    labels: dict[str, str] = {}
    if not models.is_pretrained(trace.provenance.checkpoint):
        places["card"] = (None, None)
        labels["card"] = _("shown: the map closest to word alignment")
    for each in sorted(trace, key=lambda shown: (shown.site.kind != "cross", shown.site)):
        heads: tuple[Head, ...] = ("mean", *range(len(each.head_names))) if len(each.head_names) > 1 else (0,)
        for head in heads:
            code = f"{each.site}.{head}"
            places[code] = (each.site, head)
            labels[code] = _(
                "shown: {stack} {kind}, layer {layer}, {head}",
                stack=_(each.site.stack),
                kind=_(each.site.kind),
                layer=each.site.layer,
                head=_("mean of heads") if head == "mean" else _("head {head}", head=head),
            )
    link.belong(OPERATED, of=trace.provenance.checkpoint, unless=labels)
    if len(labels) - ("card" in labels) <= 1:
        return None, None
    with st.container(width=300):
        return places[choose(SHOWN, labels)]


PAGE = Page(
    title=mark("Surgery"),
    address="surgery",
    fill=_fill,
    figures=("figure-maps",),
    settings=SETTINGS,
    footnote=mark(
        "An edit changes what the model computes from there on. If the output follows an edit, the model uses what "
        "was edited. That does not show why it produced this output."
    ),
    sheets=(Path(__file__).parent / "surgery.css",),
)
