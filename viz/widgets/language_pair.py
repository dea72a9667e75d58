"""Choice of the language pair, shared by all pages and kept in the link."""

from __future__ import annotations

import streamlit as st

import models
from models.keys import pair_of
from viz.text.language import _, closest_language, current_language, mark
from viz.widgets.interface_language import INTERFACE
from viz.widgets.sentence import USUAL, change_examples, languages_of
from viz.widgets.settings import Choice, choose, link, unknown

LANGUAGES = Choice("languages", title=mark("Languages"), shape="box", travels=True)
"""The pair, as the link calls it; which there are is known at run time."""


PAIR_WIDTH = 200  # pixels


def installed_pairs() -> tuple[str, ...]:
    """Return the pairs that there are weights of, `USUAL` first."""
    there = dict.fromkeys(pair_of(key) for key in models.catalog())
    return tuple(sorted(there, key=lambda pair: (pair != USUAL, pair)))


def pair_to_name() -> str | None:
    """Return the pair that a link without one is to name; None where the default needs no name.

    A reader whose language is the source of another pair begins with that one. Their links always name the pair: the
    same link must open the same page for everybody.
    """
    language = closest_language(st.context.locale)
    own = next((pair for pair in installed_pairs() if pair.split("-")[0] == language), USUAL)
    if own == USUAL or link.came_back():
        return None
    is_first = link.latest(LANGUAGES) is None and current_language() == language
    return own if is_first and set(link.all_said()) <= {INTERFACE.name} else USUAL


def choose_pair(*, turned: bool, own: bool = True) -> str:
    """Let the reader choose the pair, and return it; nothing is shown where there is no choice.

    An example sentence in the box becomes one of the pair that is chosen; a sentence of the reader's own stays.
    """
    pairs = installed_pairs() or (USUAL,)
    pair = pairs[0]
    if len(pairs) > 1:
        if turned:
            link.store(LANGUAGES.name, latest_pair() if latest_pair() in pairs[1:] else None)
        if own and link.text_of(LANGUAGES) is None and (named := pair_to_name()):
            link.store(LANGUAGES.name, named)
        with st.container(width=PAIR_WIDTH, key="pair-of-languages"):
            pair = choose(LANGUAGES, {each: _("{source} to {target}", **languages_of(each)) for each in pairs})
    settle_on(pair)
    return pair


def switch_to(pair: str) -> None:
    """Let `pair` be chosen from the next run on, as if the reader had chosen it."""
    unknown.forget()
    link.store(LANGUAGES.name, LANGUAGES.write(pair, installed_pairs()[0]))


def latest_pair() -> str:
    """Return the pair that the reader chose last, on any page."""
    return str(link.latest(LANGUAGES) or USUAL)


def settle_on(pair: str) -> None:
    """Note that the reader chose `pair`; an example of another one in the box becomes one of this; before the box."""
    before = link.take_along(LANGUAGES, pair)
    if before not in (None, pair) and not link.came_back():
        change_examples(before, pair)
