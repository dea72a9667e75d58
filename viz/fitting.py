"""A text that a model cannot take: cut with a word on what is left out, or the last one that it could take instead."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from viz.language import _
from viz.style import plain

LONGEST_NAMED = 40  # characters of what is named of a text
_LAST = "last_good"


def fit_text(model: Any, text: str, place: DeltaGenerator) -> str:
    """Cut `text` after the last word that `model` takes, and say in `place` what is left out.

    Raises
    ------
    models.InputError
        If no text is left.
    """
    fitting, left_out = model.fit(text)
    if left_out:
        said = _(
            "This text is longer than the model takes. The last {count} words are left out; read up to “…{end}”.",
            count=left_out,
            end=fitting[-LONGEST_NAMED:],
        )
        place.info(plain(said), icon=":material/content_cut:")
    return str(fitting)


def keep_readable(text: str) -> None:
    """Remember `text` as the last that could be read."""
    st.session_state[_LAST] = text


def last_readable(model: Any, error: models.InputError, place: DeltaGenerator) -> str | None:
    """Say in `place` what is wrong with a text; give the last that could be read, cut, or None if there is none."""
    place.error(plain(_(str(error))), icon=":material/edit:")
    last = st.session_state.get(_LAST)
    if last is None:
        return None
    fitting = str(model.fit(str(last))[0])
    place.caption(plain(_("Below: the last sentence that could be read, “{sentence}”", sentence=fitting)))
    return fitting
