"""Row of words that a click masks."""

from __future__ import annotations

from typing import Any

import streamlit as st

import models
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.text.masking import Masked, hide, maskable
from viz.text.tokens import shorten, visible
from viz.widgets import session
from viz.widgets.settings import Several, choose_several, link

MASKED = Several("masked", title=mark("Words behind a mask"))
"""The numbers of the words that are masked, from 0."""

MOST_WORDS = 80
_WORDS = "masked-words"


def mask_words(model: models.Model, sentence: str) -> Masked:
    """Show the words of a sentence for a model of masked words, and return it with those clicked hidden.

    For any other model nothing is shown, and the sentence is given back.
    """
    mask = model.mask_token
    if model.predicts != "masked" or mask is None or not sentence.strip():
        return Masked(sentence)
    words = dict(list(maskable(sentence, mask).items())[:MOST_WORDS])
    labels = {str(number): word for number, word in words.items()}
    _settle(labels)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="mask-words"):
        st.caption(plain(_("Click a word to mask it, or type {mask}:", mask=mask)), width="content")
        shown = {number: plain(shorten(visible(word))) for number, word in labels.items()}
        chosen = choose_several(MASKED, shown, default=())
    return hide(sentence, mask, [int(number) for number in chosen])


def _settle(labels: dict[str, str]) -> None:
    """Let no mask stay on a word that has become another one: the sentence was changed there."""
    said = link.text_of(MASKED)
    now: tuple[Any, ...] = (said, tuple(map(labels.get, (said or "").split())))
    before = session.recall(_WORDS)
    if before is not None and before[0] == said and before[1] != now[1]:
        link.drop(MASKED)
        now = (None, ())
    session.keep(_WORDS, now)
