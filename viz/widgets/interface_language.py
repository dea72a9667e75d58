"""Language of the interface: the browser's until another is chosen, kept in the link."""

from __future__ import annotations

from html import escape

import streamlit as st

from viz.shell.own_words import speak
from viz.text.language import _, closest_language, current_language, languages, mark, own_name, use_language
from viz.widgets.settings import Choice, address, link, unknown

INTERFACE = Choice("lang", title=mark("Language of the interface"), travels=True)
"""Which there are is known at run time; the default is the browser's."""


def begin_language() -> None:
    """Choose the language of this run, whole or of a fragment alone: the one place where it is chosen."""
    if (asked := link.text_of(INTERFACE)) in languages():
        link.take_along(INTERFACE, asked)  # at once: a lesson's link leads on to a page of its own
    chosen = link.latest(INTERFACE)
    use_language(chosen if chosen in languages() else closest_language(st.context.locale))


def settle_language(*, turned: bool) -> None:
    """Let the language that was chosen come along to this page; name one that there is not."""
    asked = link.text_of(INTERFACE)
    if asked is not None and asked not in languages():
        unknown.discard(INTERFACE.name)
    elif asked is None and turned and (latest := link.latest(INTERFACE)):
        link.store(INTERFACE.name, latest)


def offer_languages() -> None:
    """Show, in the header, each other language by its own name: a link to this page in that language."""
    others = [code for code in languages() if code != current_language()]
    if not others:
        return
    with st.container(key="interface-language", horizontal=True, width="content"):
        for code in others:
            if address.is_open():
                # A page that loads anew owes nothing to the run that is under way. turning.js completes the link.
                title = escape(_(INTERFACE.title))
                st.html(f'<a data-language="{code}" href="?lang={code}" title="{title}">{escape(own_name(code))}</a>')
            else:
                _language_button(code)
        speak()


def _language_button(code: str) -> None:
    """Show a language as a button, where settings are in the session and a page loaded anew would lose them."""
    st.button(
        own_name(code),
        key=f"speak-{code}",
        type="tertiary",
        help=_(INTERFACE.title),
        on_click=_speak,
        args=(code,),
    )


def _speak(code: str) -> None:
    link.store(INTERFACE.name, code)
    link.take_along(INTERFACE, code)
