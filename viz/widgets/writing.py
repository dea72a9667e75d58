"""A causal model goes on with the text: a likely word is clicked, tokens are written, and the text is rewound."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.trace import AttentionTrace
from models.writing import MOST, MOST_SEED, Writing, read_writing
from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets import session
from viz.widgets.settings import Data, Found, link, unknown

CONTINUED = "continued text"
"""What the setting belongs to: another text, or another model, begins anew."""

SHORT = 5  # likely words that can be clicked
USUAL = 10  # tokens that are written if nobody says how many
MOST_SHOWN = 80  # tokens that can be rewound to
HEAT = tuple(step / 10 for step in range(0, 21))
_GOOD = "writing-that-ran"
_TOKENS, _HEAT, _TOP_K, _TOP_P, _SEED = (f"write-{each}" for each in ("tokens", "temperature", "k", "p", "seed"))


def _parse(text: str) -> Found:
    try:
        return Found(read_writing(text) if text else None)
    except models.InputError:
        return Found(None, text)


def _show(writing: Writing | None) -> str:
    return "" if writing is None else writing.to_text()


WRITE = Data("write", parse=_parse, show=_show, anew_with=(CONTINUED,))
"""What was written after the text: settings, seed, and the tokens that were chosen."""


def asked(model: models.Model, text: str) -> Writing | None:
    """Return what the link asks the model to write after `text`; what it cannot be is named."""
    link.belong(CONTINUED, of=(model.key, text))
    found = WRITE.read(link.text_of(WRITE))
    writing: Writing | None = found.value
    refused = writing is not None and (model.predicts != "causal" or (writing.chat and not model.has_chat))
    if found.unknown is not None or refused:
        unknown.note(WRITE.name, found.unknown or _show(writing))
        link.drop(WRITE)
        return None
    return writing


def keep_written(of: Hashable, writing: Writing | None) -> None:
    """Remember what was written after a text as the last that a model could write."""
    session.keep(_GOOD, (of, writing))


def last_written(of: Hashable) -> Writing | None:
    """Go back to what could be written after the text before; nothing if there is none."""
    before, writing = session.recall(_GOOD, (None, None))
    found: Writing | None = writing if before == of else None
    link.store(WRITE.name, WRITE.write(found))
    return found


def goes_on(trace: AttentionTrace, model: models.Model) -> bool:
    """Return whether the model can go on with the text that it has read."""
    return model.predicts == "causal" and bool(trace.predictions)


def show_writing(trace: AttentionTrace, model: models.Model, line: DeltaGenerator, below: DeltaGenerator) -> None:
    """Let the reader go on, on `line`, by a likely word or by writing; `below`, from an earlier word."""
    written = trace.written
    now = Writing(USUAL) if written is None else written.asked
    ids = () if written is None else trace.source.ids[written.first :]
    with line:
        st.caption(_("Continue with:"), width="content")
        _offer_words(trace, now, ids)
        with st.popover(_("Write"), icon=":material/edit_note:", key="write-box"):
            _settings(now, ids)
        if model.has_chat:
            st.toggle(_("As chat"), value=now.chat, key="as-chat", on_change=_turn_chat, args=(now,))
    if ids:
        with below:
            _rewind(trace, now, ids)


def _offer_words(trace: AttentionTrace, now: Writing, ids: tuple[int, ...]) -> None:
    last = trace.predictions[-1]
    for rank, (token, (text, share)) in enumerate(zip(last.ids[:SHORT], last.alternatives, strict=False)):
        label = plain(f"{visible(text)} {share:.0%}")
        step = now.begun_with((*ids, token), 0)
        st.button(label, key=f"go-on-{rank}", on_click=_put, args=(step,))


def _settings(now: Writing, ids: tuple[int, ...]) -> None:
    """Show how many tokens are written, and how."""
    st.slider(_("Tokens"), 1, MOST, now.tokens or USUAL, key=_TOKENS)
    near = min(HEAT, key=lambda each: abs(each - now.temperature))
    heat = st.select_slider(_("Temperature (0: the likeliest token)"), HEAT, near, key=_HEAT)
    drawn = heat > 0
    st.number_input(_("top-k (0: all tokens)"), 0, 1000, min(now.top_k, 1000), key=_TOP_K, disabled=not drawn)
    st.slider(_("top-p (1: all tokens)"), 0.05, 1.0, max(0.05, now.top_p), 0.05, key=_TOP_P, disabled=not drawn)
    st.number_input(_("Seed"), 0, MOST_SEED, now.seed, key=_SEED, disabled=not drawn)
    st.button(_("Write"), type="primary", key="write-now", on_click=_write, args=(now, ids))


def _rewind(trace: AttentionTrace, now: Writing, ids: tuple[int, ...]) -> None:
    """Show the tokens that were written; a click goes back to before one of them."""
    first = len(trace.source) - len(ids)
    places = range(max(0, len(ids) - MOST_SHOWN), len(ids))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="written"):
        st.caption(_("Click a word to go back to just before it:"), width="content")
        for place in places:
            back = now.begun_with(ids[:place], 0) if place or now.chat else None
            text = visible(trace.source.texts[first + place])
            st.button(plain(text), type="tertiary", key=f"rewind-{place}", on_click=_put, args=(back,))


def _put(writing: Writing | None) -> None:
    unknown.forget()
    link.store(WRITE.name, WRITE.write(writing))


def _write(now: Writing, ids: Sequence[int]) -> None:
    chosen = {"temperature": session.reported(_HEAT), "top_k": session.reported(_TOP_K)}
    chosen |= {"top_p": session.reported(_TOP_P), "seed": session.reported(_SEED)}
    _put(replace(now, begin=tuple(ids), tokens=session.reported(_TOKENS), **chosen))


def _turn_chat(now: Writing) -> None:
    chat = not now.chat
    _put(replace(now, begin=(), tokens=0, chat=True) if chat else None)
