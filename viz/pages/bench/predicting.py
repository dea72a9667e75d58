"""Prediction of a row before the maps are revealed, and its agreement with the model."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from models.keys import mechanism_of, pair_of
from viz.pages.bench.settings import PREDICTED, PREDICTED_ROW
from viz.pages.bench.wanted import name_of
from viz.text.counting import numbered
from viz.text.language import _
from viz.views.view import View
from viz.widgets.expected import row_identity
from viz.widgets.prediction import predict
from viz.widgets.settings import choose, link


def show_predicting(views: Mapping[str, View]) -> bool:
    """Let the reader draw a row of one mechanism; return whether the maps may be seen: once it is revealed."""
    with st.container(horizontal=True, vertical_alignment="center", key="predicting"):
        with st.container(width=280):
            chosen = choose(PREDICTED, {mechanism_of(key): name_of(key) for key in views})
        key, view = next((key, view) for key, view in views.items() if mechanism_of(key) == chosen)
        words = view.shown.query_tokens.texts
        link.belong("predicted words", of=(key, words))
        labels = numbered([each.strip() for each in words])
        with st.container(width=240):
            row = int(
                choose(PREDICTED_ROW, {str(place): label for place, label in enumerate(labels)}, default=_usual(words))
            )
    st.markdown(_("Which words will this row attend to? {title}", title=view.query_title))
    return predict(view, row, identity=row_identity(view, row), key="bench", code=pair_of(key).split("-")[0])


def _usual(words: tuple[str, ...]) -> str:
    """Return the row of the longest word: one that says something."""
    return str(max(range(len(words)), key=lambda place: len(words[place].strip())))
