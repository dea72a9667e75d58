"""The language pair: one choice for all pages. It stands in the address bar and travels from page to page."""

from __future__ import annotations

import streamlit as st

import models
from viz.text.language import _
from viz.widgets.controls import segmented
from viz.widgets.sentence import USUAL, change_examples, languages_of

PARAMETER = "languages"
"""What the address bar calls the pair."""

_LATEST = "languages-latest"


def pair_of(key: str) -> str:
    """Return the pair of the key of a translation model.

    Examples
    --------
    >>> pair_of("luong-general-en-fr")
    'en-fr'
    """
    return "-".join(key.rsplit("-", 2)[1:])


def mechanism_of(key: str) -> str:
    """Return the mechanism of the key of a translation model.

    Examples
    --------
    >>> mechanism_of("luong-general-en-fr")
    'luong-general'
    """
    return key.removesuffix(f"-{pair_of(key)}")


def installed_pairs() -> tuple[str, ...]:
    """Return the pairs that there are weights of, `USUAL` first."""
    there = dict.fromkeys(pair_of(key) for key in models.catalog())
    return tuple(sorted(there, key=lambda pair: (pair != USUAL, pair)))


def choose_pair(*, turned: bool) -> str:
    """Let the reader choose the pair, and return it; nothing is shown where there is no choice.

    An example sentence in the box becomes one of the pair that is chosen; a sentence of the reader's own stays.

    Parameters
    ----------
    turned : bool
        Whether the reader has just come from another page, as `viz.widgets.page_settings.restore_settings` says: the
        pair that was chosen there comes along.
    """
    pairs = installed_pairs() or (USUAL,)
    pair = pairs[0]
    if len(pairs) > 1:
        if turned and latest_pair() in pairs[1:]:
            st.query_params[PARAMETER] = latest_pair()
        elif turned:
            st.query_params.pop(PARAMETER, None)
        labels = {each: _("{source} to {target}", **languages_of(each)) for each in pairs}
        pair = segmented(PARAMETER, labels, title=_("Languages"))
    settle_on(pair)
    return pair


def latest_pair() -> str:
    """Return the pair that the reader chose last, on any page."""
    return str(st.session_state.get(_LATEST, USUAL))


def settle_on(pair: str) -> None:
    """Note that the reader chose `pair`; an example of another one in the box becomes one of this; before the box."""
    before = st.session_state.get(_LATEST, pair)
    st.session_state[_LATEST] = pair
    if before != pair:
        change_examples(before, pair)
