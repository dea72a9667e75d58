"""Entries of the timeline that translate nothing and link to other pages."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import streamlit as st

from models.huggingface.embedded import HOPS_READERS, LANGUAGE_MODELS
from viz.server.hub import own_models
from viz.text.language import _
from viz.text.markup import plain
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import link

YEAR = 2017
"""Of the self-attentive embedding, and of the language models with a memory; a year before, the tape."""


def show_readers() -> None:
    """Show in one fold what reads one text, each with links to the pages that show it."""
    there = [each for each in _ENTRIES if each[0] in own_models()]
    if not there:
        return
    first = YEAR - 1 if there[0][0] == LANGUAGE_MODELS[3] else YEAR
    years = f"{first}\N{EN DASH}{YEAR}" if first < YEAR else f"{YEAR}"
    fold = st.popover(f":small[{years}] " + _("readers"), type="tertiary", key="readers", on_change="rerun")
    if not fold.open:
        return
    pages = {"heads": _("Heads"), "steps": _("Steps"), "surgery": _("Surgery")}
    said = {"sentence": sentence} if (sentence := link.text_of(SENTENCE)) else {}
    with fold:
        for key, mechanism, about in there:
            choices = {"heads": {"model": key}, "steps": {"mechanism": mechanism}, "surgery": {"model": key}}
            links = [f"[{title}]({page}?{urlencode({**choices[page], **said})})" for page, title in pages.items()]
            st.markdown(about() + "\n\n" + " · ".join(links))


def _about_hops() -> str:
    told = _(
        "It translates nothing: eight learned vectors, the hops, each spread a weight of 1 over the words of one "
        "sentence, and a classifier says of which kind of text it is. Trained twice, with a penalty that makes the "
        "hops read different words, and without it."
    )
    return _("**Structured self-attentive sentence embedding**, Lin et al. {year}", year=YEAR) + "\n\n" + plain(told)


def _about_memory() -> str:
    told = _(
        "It translates nothing: an LSTM reads a text and predicts each next word, and attends over its own last "
        "outputs. An output is key, value and prediction at once, or cut into two of them, or into three. A sibling "
        "without attention puts slices of its last outputs side by side. Heads shows how short the reach of all is."
    )
    title = _("**Key-value-predict attention and its siblings**, Daniluk et al. {year}", year=YEAR)
    return title + "\n\n" + plain(told)


def _about_tape() -> str:
    told = _(
        "It translates nothing: an LSTM that keeps the state and the cell of every word on a tape, and goes on from a "
        "weighted sum of all of them instead of the last: attention inside one text, a year before the Transformer."
    )
    title = _("**Long short-term memory-network**, Cheng et al. {year}", year=YEAR - 1)
    return title + "\n\n" + plain(told)


_ENTRIES: tuple[tuple[str, str, Callable[[], str]], ...] = (
    (LANGUAGE_MODELS[3], "lstmn", _about_tape),
    (LANGUAGE_MODELS[2], "key-value-predict", _about_memory),
    (HOPS_READERS[0], "self-attentive", _about_hops),
)
"""The key of one that stands for its paper, what Steps calls it, and what is said of it."""
