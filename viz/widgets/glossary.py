"""Glossary: letters of the formulas and terms of the pictures, in one fold at the end of a page."""

from __future__ import annotations

import streamlit as st

from viz.text.language import _, mark
from viz.text.markup import plain

_TERMS = (
    mark("query, q: the vector of the word that attends; in a translator, of the word being written."),
    mark("key, k: the vector of a word that can be attended to. A query and a key give a score."),
    mark("value, v: the vector that a word hands over, as much of it as its weight says."),
    mark("score, e: how well a key fits a query. The softmax turns scores into weights."),
    mark("attention weight, \u03b1: how much a query attends to a key, from 0 to 1. Most rows sum to 1."),
    mark("context vector, c: the sum of the values, each times its weight."),
    mark(
        "encoder state, h: the encoder's vector of one source word. Decoder state, s: the decoder's vector at one step."
    ),
    mark(
        "d: how many numbers a vector has. Scores are divided by its square root, so that the softmax is not too sharp."
    ),
    mark("Q, K, V: all queries, keys and values at once. W, U and, in additive attention, v are learned parameters."),
    mark(
        "head: one attention with its own queries, keys and values. “Mean of 8 heads” is the average of their weights."
    ),
    mark("token, subword: a piece of text that the model reads as one. Their weights are merged into words here."),
    mark("<s>, </s>: marks of the beginning and the end of a sentence. Models treat them like words."),
    mark("unsure (orange): the model gave the word that it wrote a low probability. Darker means lower."),
    mark("mask: what a query must not attend to. Its weight is 0."),
)
"""What a letter or a term means, a sentence or two each."""


def show_glossary() -> None:
    """Show the fold, closed."""
    with st.expander(_("Glossary: letters and terms"), key="glossary"):
        st.markdown("\n".join(f"- {plain(_(each))}" for each in _TERMS))
