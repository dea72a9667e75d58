"""What stands on the timeline though it translates nothing: attention that reads one sentence, shown on other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """Show what reads one text on the timeline, each with links to the pages that show it."""
    name, pages = _("self-attentive"), {"heads": _("Heads"), "steps": _("Steps"), "surgery": _("Surgery")}
    tape, key_value = LANGUAGE_MODELS[3], LANGUAGE_MODELS[2]
    _entry(f":small[{YEAR - 1}] LSTMN", tape, "lstmn", pages, _about_tape)
    _entry(f":small[{YEAR}] " + _("key-value"), key_value, "key-value-predict", pages, _about_memory)
    _entry(f":small[{YEAR}] {name}", HOPS_READERS[0], "self-attentive", pages, _about_hops)


def _entry(label: str, key: str, mechanism: str, pages: Mapping[str, str], about: Callable[[], str]) -> None:
    """Show one of them, if it is there; what it is stands in a fold."""
    if key not in own_models():
        return
    fold = st.popover(label, type="tertiary", key=mechanism, on_change="rerun")
    if not fold.open:
        return
    said = {"sentence": sentence} if (sentence := link.text_of(SENTENCE)) else {}
    choices = {"heads": {"model": key}, "steps": {"mechanism": mechanism}, "surgery": {"model": key}}
    links = [f"[{title}]({page}?{urlencode({**choices[page], **said})})" for page, title in pages.items()]
    with fold:
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
