"""The Heads page: every attention head of a model on one text, and a few of them compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.huggingface.reader_entries import reader_entry
from models.keys import pair_of
from models.trace import AttentionTrace
from models.writing import Writing
from viz.pages.heads.against import compare_with
from viz.pages.heads.aligning import show_aligning
from viz.pages.heads.ask import offers, show_question, take_question
from viz.pages.heads.corpus import show_corpus
from viz.pages.heads.extras import show_below, take_pair
from viz.pages.heads.gallery import Arrangement, arrange, foresee, show_gallery, take_picks
from viz.pages.heads.hops import show_hops
from viz.pages.heads.kept import show_kept
from viz.pages.heads.layerwise import show_layerwise
from viz.pages.heads.matched import Texts
from viz.pages.heads.model import KEY, choose_model, open_model, turn_to_pair
from viz.pages.heads.picked import FIGURE, compare_heads
from viz.pages.heads.picks import forget_picks, layers_of, pick_heads, settle_picks
from viz.pages.heads.pinned import pin_offers, show_pinned, take_pin
from viz.pages.heads.reach import show_reach
from viz.pages.heads.scatter import take_lasso
from viz.pages.heads.settings import LAYERS, OPENED, PAIR, SETTINGS
from viz.pages.heads.shown import HeadSelection, is_long_text
from viz.pages.heads.span import Spanned, span_of
from viz.pages.heads.unmasked import choose_mask, show_lifted
from viz.pages.heads.wanted import HeadsSettings, choose_wanted
from viz.pages.heads.zeroed import show_zeroed, turn_old_link
from viz.server.runtime import shared_host
from viz.text.language import _, _n, mark, say
from viz.text.markup import plain
from viz.text.masking import Masked
from viz.views.heads import HeadPlace
from viz.widgets.frame import Frame, Page, asking, beside
from viz.widgets.language_pair import settle_on
from viz.widgets.likely import show_likeliest, show_output
from viz.widgets.masking import mask_words
from viz.widgets.opened.opening import FIGURES, HEADS, SHEET, open_traces
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import USUAL, say_cut, says_of, sentence_box
from viz.widgets.settings import link, text_box
from viz.widgets.visit import Visit
from viz.widgets.writing import asked, goes_on, keep_written, last_written, show_writing
from viz.widgets.zeroing import ZEROED

LEAST_BESIDE = 1100
"""Pixels between the margins from which the compared heads stand beside the overview: in windows of 1200 or more."""

BESIDE, BESIDE_MANY = (1, 1), (3, 2)
FEW = 8  # heads of a layer: more of them take more of the width
GUTTER = 72  # pixels between the two, and a little for the margins of a window that scrolls

__all__ = ["KEY", "PAGE"]


def _fill(frame: Frame) -> None:
    """Read the choices, run the model, show its heads."""
    row, naming = asking(), st.container()
    line = st.container(horizontal=True, vertical_alignment="center", key="controls")
    words = st.container()
    frame.messages = st.container()
    with row:
        key = choose_model(frame.messages, naming, turned=frame.turned)
        if key is not None and not models.is_pretrained(key):
            settle_on(pair_of(key))
        frame.sentence = sentence_box(_label(key), pair=_pair(key))
        frame.beside = beside()
    if open_traces(frame, usual=HEADS) or key is None:
        return
    if not models.is_pretrained(key):
        frame.suit(pair_of(key), switch=turn_to_pair)
    _show_model(key, frame, line, words)


def _pair(key: str | None) -> str:
    """Return the pair whose examples are offered."""
    return USUAL if key is None or models.is_pretrained(key) else pair_of(key)


def _label(key: str | None) -> str:
    """Say above the box what becomes of the sentence."""
    if key is not None and reader_entry(key).hops:
        return _("Type an English sentence. The hops attend to its words, and a classifier predicts the kind of text.")
    if key is None or models.is_pretrained(key):
        return _("Type a sentence to see the attention of every head to every token.")
    return says_of(pair_of(key))


def _show_model(key: str, frame: Frame, line: DeltaGenerator, words: DeltaGenerator) -> None:
    """Open the model, run it on what was typed, and show its heads.

    The kind of map is chosen on `line`, words are masked in `words`.
    """
    host, opened = shared_host(), _read(key, frame, line, words)
    if opened is None:
        return
    settings, (trace, identity, texts, hidden) = opened
    model = host.model(key)
    turn_old_link()
    wanted = choose_wanted(trace, model, line, settings)
    if trace.classes:
        show_hops(frame.visit(wanted), key, trace, line)
        return
    masked = choose_mask(host, trace, identity, wanted, line if trace.is_translation else settings)
    trace, identity, is_lifted = masked.trace, masked.identity, masked.before is not None
    if wanted.quantity == "moved":
        trace = trace.moved()
    shown = HeadSelection(trace, identity, host.workings, wanted.sites, wanted.unit, wanted.hiding, masked.later)
    _settle(shown, key)
    spanned = span_of(shown)
    take_question(spanned.shown, FIGURE)
    offered = offers()
    if goes_on(trace, model):
        take_pin(spanned.shown, FIGURE)
        offered += pin_offers(spanned.shown)
        show_writing(trace, model, line, words)
    else:
        with line:
            show_output(trace, model, hidden)
    if is_long_text(trace):
        _say_long(trace)
    visit = frame.visit(wanted)
    with settings:
        arrangement = arrange(shown)
    gallery, picked = _show_maps(visit, shown, spanned, arrangement, [] if is_lifted else offered)
    if is_lifted:
        show_lifted(visit, key, masked, shown, picked[0] if picked else shown.places[0])
        show_likeliest(trace, model, hidden)
        show_below(visit, key, shown, arrangement, picked)
        return
    with gallery:
        show_corpus(shown, model.sha256, picked)
    show_pinned(visit, key, texts, shown)
    show_question(visit, key, trace, texts[0])
    show_likeliest(trace, model, hidden)
    show_kept(trace)
    if reader_entry(key).memory:
        show_reach(visit, trace)
    show_below(visit, key, shown, arrangement, picked)
    show_aligning(visit, key, shown)
    compare_with(visit, key, texts, shown, picked)
    foresee(visit, shown, arrangement, picked)


def _read(
    key: str, frame: Frame, line: DeltaGenerator, words: DeltaGenerator
) -> tuple[DeltaGenerator, tuple[AttentionTrace, Any, Texts, tuple[str, ...]]] | None:
    """Open the model and run it; return where settings are and what `_run` gives, None where nothing more is shown."""
    host = shared_host()
    if not open_model(host, key, frame.messages):
        return None
    link.belong(OPENED, of=key)
    with frame.beside:
        settings = st.popover(_("Settings"), icon=":material/tune:", key="settings")
    with settings:
        pair = _pair_box() if host.model(key).takes_pair else None
    if show_layerwise(key, frame, line, settings):
        return None
    found = _run(key, frame, pair, words)
    return None if found is None else (settings, found)


def _show_maps(
    visit: Visit[HeadsSettings],
    shown: HeadSelection,
    spanned: Spanned,
    arrangement: Arrangement,
    offered: list[dict[str, Any]],
) -> tuple[DeltaGenerator, tuple[HeadPlace, ...]]:
    """Show the overview and the picked heads beside or below it; return the overview's column and what is picked."""
    gallery, beside, room = _places(visit.width, max(layers_of(shown.places).values()))
    with gallery:
        overview = st.container()
        picked = pick_heads(shown.places)
    with overview:
        show_gallery(visit, shown, arrangement, picked)
    with beside:
        within = replace(visit, width=room)
        if visit.wanted.quantity == ZEROED:
            show_zeroed(within, spanned, picked)
        else:
            compare_heads(within, spanned, picked, offered=offered)
    return gallery, picked


def _settle(shown: HeadSelection, key: str) -> None:
    """Settle which heads are picked, and which two pictures are compared; of another model's heads none are."""
    if link.belong(LAYERS, of=(key, layers_of(shown.places))):
        forget_picks()
    take_picks(shown.places)
    take_pair(shown)
    take_lasso(shown.places)
    settle_picks(shown.places, shown.clearest())


def _places(available: float, heads: int) -> tuple[DeltaGenerator, DeltaGenerator, float]:
    """Return where all heads stand, so many a layer, where those that are compared do, beside them if there is room.

    And the pixels that the latter have.
    """
    if available < LEAST_BESIDE:
        return st.container(), st.container(), available
    shares = BESIDE if heads <= FEW else BESIDE_MANY
    left, right = st.columns(shares, gap="medium")
    return left, right, (available - GUTTER) * shares[1] / sum(shares)


def _say_long(trace: AttentionTrace) -> None:
    st.caption(
        _n(
            "This text has {count} token. It is shown in subwords and square-root colour by default. Numbers for "
            "all heads are computed on request.",
            "This text has {count} tokens. It is shown in subwords and square-root colour by default. Numbers for "
            "all heads are computed on request.",
            max(len(trace.source), len(trace.target)),
        )
    )


def _pair_box() -> str | None:
    """Show the box for a second text, and return what stands in it; None if nothing does."""
    typed = text_box(
        PAIR,
        _("Second text, read together with the first (B; leave it empty for one text)"),
        placeholder=_("such as: It was hungry."),
    )
    return typed if typed.strip() else None


def _run(
    key: str, frame: Frame, pair: str | None, words: DeltaGenerator
) -> tuple[AttentionTrace, Any, Texts, tuple[str, ...]] | None:
    """Run the model; on bad input say so and return what the last good sentence gave.

    With it, what was read, and the words behind its masks.
    """
    host, messages = shared_host(), frame.messages
    model = host.model(key)
    try:
        fitting = fit_text(model, frame.sentence, messages, pair=pair)
        with words:
            masked = mask_words(model, fitting)
        trace, writing = _written(key, masked.text, pair, messages)
        say_cut((trace,), messages)
        keep_readable(fitting)
    except models.InputError as error:
        last = last_readable(model, error, messages)
        if last is None:
            return None
        masked, pair, writing = Masked(last), None, None
        trace = host.attend(key, last)
    identity = host.identify(key, masked.text, pair=pair, write=writing)
    return trace, identity, (masked.text, pair), masked.hidden


def _written(key: str, text: str, pair: str | None, messages: DeltaGenerator) -> tuple[AttentionTrace, Writing | None]:
    """Run the model with what is to be written after the text; if it cannot, say so and go back to what could be."""
    host = shared_host()
    writing = asked(host.model(key), text)
    try:
        trace = host.attend(key, text, pair=pair, write=writing)
    except models.InputError as error:
        if writing is None:
            raise
        messages.error(plain(say(error)), icon=":material/edit:")
        writing = last_written((key, text))
        trace = host.attend(key, text, pair=pair, write=writing)
    keep_written((key, text), writing)
    return trace, writing


PAGE = Page(
    title=mark("Heads"),
    address="heads",
    fill=_fill,
    figures=("figure-all-heads", *FIGURES),
    settings=SETTINGS,
    footnote=mark(
        "A map shows where a head attends. It does not by itself say why the model produced this output. Layers "
        "and heads are counted from 0."
    ),
    sheets=(Path(__file__).parent / "heads.css", SHEET),
)
