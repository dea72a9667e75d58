"""The sentence: one box for all pages, with examples to start from. It travels from page to page and with the link."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from models.trace import AttentionTrace
from models.translation.entry import LANGUAGES
from models.translation.examples import EXAMPLES
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.text.tokens import shorten, visible

KEY = "sentence"
"""What the address bar and the session call the sentence, on every page."""

USUAL = "en-fr"
"""The pair whose examples are shown where none is said."""

MOST_NAMED = 8  # words that a message lists
_BYTE = "\\x"  # how a piece is shown that ends inside a character
_KEPT, _CARRIED, _PAGE = "sentence-kept", "sentence-carried", "sentence-page"


def first_of(pair: str) -> str:
    """Return what stands in the box of a visitor who brings nothing."""
    return next(iter(examples_of(pair).values()))


def examples_of(pair: str) -> Mapping[str, str]:
    """Return the examples of a pair; a pair without any of its own has those of `USUAL`."""
    return EXAMPLES.get(pair, EXAMPLES[USUAL])


def change_examples(before: str, pair: str) -> None:
    """Put the first example of `pair` into the box if one of `before` stands in it; before the box is shown."""
    if st.session_state.get(KEY, first_of(before)) in examples_of(before).values():
        st.session_state[KEY] = first_of(pair)


def sentence_box(label: str | None = None, *, pair: str = USUAL) -> str:
    """Show the box to type a sentence in, with its examples, and return what stands in it.

    The text is given as it was typed: it may be empty or longer than a model takes.

    Parameters
    ----------
    label : str, optional
        What it says above the box; left out, that the sentence is translated.
    pair : str, optional
        The languages: which examples are offered.

    Returns
    -------
    str

    Notes
    -----
    Every page calls this with the same key, which is bound to the address bar: that is what keeps the sentence
    when the page changes.
    """
    awaited = _awaited(first_of(pair))
    sentence = st.text_input(
        label or says_of(pair),
        first_of(pair),
        key=KEY,
        bind="query-params",
        live="200ms",
        autocomplete="off",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="examples"):
        for number, (name, example) in enumerate(examples_of(pair).items()):
            st.button(_(name), key=f"example-{number}", help=example, type="tertiary", on_click=_put(example))
    if awaited is not None and sentence != awaited:  # a step back in the browser's history may reset the box
        st.session_state[_CARRIED] = awaited
        st.rerun()
    st.session_state[_KEPT] = sentence or ""
    return sentence or ""


def languages_of(pair: str) -> dict[str, str]:
    """Return the names of the languages that are read and written: ``source``, ``target``."""
    source, target = pair.split("-")
    return {"source": _(LANGUAGES[source]), "target": _(LANGUAGES[target])}


def says_of(pair: str) -> str:
    """Say what becomes of the sentence."""
    return _(
        "Type a sentence in {source}: it is translated to {target}, and the attention of every word is drawn.",
        **languages_of(pair),
    )


def say_cut(trace: AttentionTrace, place: DeltaGenerator) -> None:
    """Name the words of the source that are cut inside a character, and read in bytes there.

    Of a character at the very beginning the white space before it, which is a part of its first piece, may be the
    reason; any other has no piece of its own.

    Parameters
    ----------
    trace : AttentionTrace
    place : DeltaGenerator
        Where it is said.
    """
    source = trace.source
    inside = {word for word, text in zip(source.words, source.texts, strict=True) if _BYTE in text}
    words = dict.fromkeys(source.word_texts[word] for word in sorted(inside) if _BYTE not in source.word_texts[word])
    if not words:
        return
    named = " ".join(shorten(visible(each)) for each in list(words)[:MOST_NAMED])
    said = _("Cut inside a character, and read in bytes: {words}", words=named)
    if len(words) > MOST_NAMED:
        said += _n(" and {count} more", " and {count} more", len(words) - MOST_NAMED)
    place.caption(plain(said))


def _awaited(first: str) -> str | None:
    """Return the sentence that the box must show because the visitor comes from another page; None if from nowhere.

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
        if carried != first:
            st.query_params[KEY] = carried
    elif before != page:
        carried = st.query_params[KEY]
    return carried


def _put(sentence: str) -> Callable[[], None]:
    def put() -> None:
        st.session_state[KEY] = sentence

    return put
