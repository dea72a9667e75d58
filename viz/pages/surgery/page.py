"""Surgery: edit the attention of a model, and see what it then writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.sites import Site
from models.trace import AttentionTrace
from viz.captions.differences import sentence_of_difference
from viz.captions.maps import sentence_of
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap, difference_heatmap
from viz.figures.drawing.theme import Colour
from viz.pages.surgery.checks import Look, Wanted, show_check
from viz.pages.surgery.offer import offer_edits
from viz.pages.surgery.settings import CHECK, MODEL, SETTINGS, SHOWN
from viz.server.hub import own_models
from viz.server.loading import described, usable
from viz.server.runtime import Host, shared_host
from viz.server.translations import forcible_translation
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.views.differences import choose_difference
from viz.views.view import Head, Unit, View, choose_view
from viz.widgets.chart import Picture, show_figure
from viz.widgets.edits.in_force import edits_in_force
from viz.widgets.edits.translation_consequence import MisfitError, edited_runs, show_consequence
from viz.widgets.edits.vector_consequence import show_vector_consequence
from viz.widgets.frame import Frame, Page
from viz.widgets.language_pair import pair_of
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import say_cut
from viz.widgets.settings import choose, link
from viz.widgets.shared_settings import COLOUR, PICTURE, UNIT
from viz.widgets.viewport import page_width


def _fill(frame: Frame) -> None:
    """Read the choices, run the model before and after, show both."""
    pair = frame.ask(_label())
    host = shared_host()
    names = _names(pair, frame.messages)
    if not names:
        frame.messages.warning(_("No model is installed."))
        return
    wanted = _controls(names, pair)
    if usable(host, (wanted.key,), frame.messages):
        _operate(host, frame.sentence, wanted, frame.messages)


def _label() -> str | None:
    """Say above the box what becomes of the sentence; None: it is translated."""
    if not models.is_pretrained(link.text_of(MODEL) or ""):
        return None
    return _("Type a sentence: the model reads it, and its attention is edited.")


def _names(pair: str, messages: DeltaGenerator) -> dict[str, str]:
    """Return what can be operated on: translation models with attention, and pretrained models of this machine."""
    entries = described((key for key in models.catalog() if pair_of(key) == pair), messages).values()
    own = {each.mechanism.key: _(each.mechanism.title) for each in entries if each.mechanism.has_attention}
    return own | {key: each.title for key, each in own_models().items()}


def _key(name: str, pair: str) -> str:
    """Return what `models.load` takes for a name of the link."""
    return name if models.is_pretrained(name) else f"{name}-{pair}"


def _controls(names: Mapping[str, str], pair: str) -> Wanted:
    """Show the choices in one line; what few need is behind a button."""
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        with st.container(width=280):
            name = choose(MODEL, names)
        unit = choose(UNIT)
        with st.popover(_("More"), icon=":material/tune:"):
            colour, picture = choose(COLOUR), choose(PICTURE)
    return Wanted(_key(name, pair), cast("Unit", unit), cast("Colour", colour), cast("Picture", picture))


def _operate(host: Host, sentence: str, wanted: Wanted, messages: DeltaGenerator) -> None:
    before = _unedited(host, sentence, wanted.key, messages)
    if before is None:
        return
    if before.is_translation and not before.output_text.strip():
        messages.warning(_("The model wrote nothing for this sentence: there is nothing to edit."))
        return
    if not host.model(wanted.key).editable:
        messages.info(_("The attention of this model cannot be edited: it does not pass through the hooks."))
    edits = edits_in_force(before, messages)
    forced, afresh = before, before
    if edits:
        try:
            forced, afresh = edited_runs(host, wanted.key, before, edits)
        except MisfitError as error:
            messages.error(plain(say(error)), icon=":material/edit:")
            forced, afresh, edits = before, before, ()
    if before.target:
        show_consequence(before, forced, afresh, wanted.key)
    else:
        show_vector_consequence(before, forced)
    available = page_width()
    site, head = _place(before)
    views = [choose_view(trace, unit=wanted.unit, site=site, head=head) for trace in (before, forced)]
    _maps(views, wanted, available, edited=bool(edits))
    chosen = choose(CHECK)
    show_check(chosen, Look(host, wanted, before, site, head, available))


def _unedited(host: Host, sentence: str, key: str, messages: DeltaGenerator) -> AttentionTrace | None:
    """Run `sentence` as it is; on bad input say so and return what the last good sentence gave."""
    model = host.model(key)
    try:
        trace = forcible_translation(host, key, fit_text(model, sentence, messages))
    except models.InputError as error:
        last = last_readable(model, error, messages)
        if last is None:
            return None
        trace = forcible_translation(host, key, last)
    say_cut(trace, messages)
    keep_readable(trace.source_text)
    return trace


def _maps(views: Sequence[View], wanted: Wanted, available: float, *, edited: bool) -> None:
    """Show one map before and after, and the signed difference."""
    text = views[0].trace.source_text[:40]
    show_figure(
        alignment_heatmap(
            views if edited else views[:1],
            colour=wanted.colour,
            titles=(_("as trained"), _("edited"))[: 1 + edited],
            clickable=True,
            width=available,
        ),
        key="maps",
        says=" · ".join(sentence_of(view, count=1) for view in views[: 1 + edited]),
        name=f"{text} {wanted.key} {'edited' if edited else ''}",
        picture=wanted.picture,
        available=available,
        on_select="rerun",
        csv=lambda: csv_of_views(views[: 1 + edited]),
    )
    offer_edits(views[0])
    if edited:
        after, original = views[1], views[0]
        show_figure(
            difference_heatmap(after, original, colour=wanted.colour, width=available),
            key="difference",
            says=sentence_of_difference(choose_difference(after, original)),
            name=f"{text} {wanted.key} edited difference",
            picture=wanted.picture,
            available=available,
        )


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
    if len(labels) - ("card" in labels) <= 1:
        return None, None
    with st.container(width=420):
        return places[choose(SHOWN, labels)]


PAGE = Page(
    title=mark("Surgery"),
    address="surgery",
    fill=_fill,
    figures=("figure-maps",),
    settings=SETTINGS,
    footnote=mark(
        "An edit changes what the model computes from there on. That the output follows an edit shows that the model "
        "uses what was edited; it does not show why it wrote what it wrote."
    ),
)
