"""The sentence: one box for all pages, with examples to start from. It travels from page to page and with the link."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz.language import _, mark

KEY = "sentence"
"""What the address bar and the session call the sentence, on every page."""

EXAMPLES = MappingProxyType(
    {
        mark("word order"): "The agreement on the European Economic Area was signed in August 1992.",
        mark("pronoun"): "The cat drank the milk because it was hungry.",
        mark("long distance"): "The letters that my sister wrote to her old friend in Paris were very long.",
        mark("unknown word"): "We saw a flumberdoodle in the garden yesterday.",
        mark("not word for word"): "I miss you, and I am looking forward to seeing you again.",
        mark("repeated words"): "The big dog saw the small dog, and the small dog saw the big dog.",
    }
)
"""Sentences to start from, each under the name of what there is to see in it."""

FIRST = next(iter(EXAMPLES.values()))
"""What stands in the box of a visitor who brings nothing."""

_KEPT, _CARRIED, _PAGE = "sentence-kept", "sentence-carried", "sentence-page"


def sentence_box(label: str | None = None) -> str:
    """Show the box to type a sentence in, with its examples, and give what stands in it.

    The text is given as it was typed: it may be empty or longer than a model takes.

    Parameters
    ----------
    label : str, optional
        What it says above the box; left out, that the sentence is translated to French.

    Returns
    -------
    str

    Notes
    -----
    Every page calls this with the same key, which is bound to the address bar: that is what keeps the sentence
    when the page changes.
    """
    awaited = _awaited()
    sentence = st.text_input(
        label or _("Type a sentence in English: it is translated to French, and the attention of every word is drawn."),
        FIRST,
        key=KEY,
        bind="query-params",
        live="200ms",
        autocomplete="off",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
        for number, (name, example) in enumerate(EXAMPLES.items()):
            st.button(_(name), key=f"example-{number}", help=example, type="tertiary", on_click=_put(example))
    if awaited is not None and sentence != awaited:  # a step back in the browser's history may reset the box
        st.session_state[_CARRIED] = awaited
        st.rerun()
    st.session_state[_KEPT] = sentence or ""
    return sentence or ""


def _awaited() -> str | None:
    """Give the sentence that the box must show because the visitor comes from another page; None if from nowhere.

    When the page changes, Streamlit keeps the values of bound widgets that stood through two runs: that of a link
    whose reader turns straight to another page would be lost. It is put into the box and the address bar here,
    before the box is there.
    """
    context = get_script_run_ctx()
    page = context.page_script_hash if context else ""
    before = st.session_state.get(_PAGE, page)
    st.session_state[_PAGE] = page
    carried: str | None = st.session_state.pop(_CARRIED, None)
    if carried is not None:
        st.session_state[KEY] = carried
    elif before != page and KEY not in st.query_params:
        carried = st.session_state[KEY] = st.session_state[_KEPT]
        if carried != FIRST:
            st.query_params[KEY] = carried
    elif before != page:
        carried = st.query_params[KEY]
    return carried


def _put(sentence: str) -> Callable[[], None]:
    def put() -> None:
        st.session_state[KEY] = sentence

    return put
