"""Classifier output of hops, and the text shaded by the sum of the hops."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from models.trace import AttentionTrace
from viz.figures.drawing.theme import Colour, text_on, weight_colour
from viz.text.language import _
from viz.text.markup import noted
from viz.text.tokens import visible
from viz.views.view import View
from viz.widgets.edits.translation_consequence import show_line

LEAST = 0.005
"""A share below it would read 0%."""

MOST = 4
"""Classes that a line names."""


def show_classes(trace: AttentionTrace, name: str = "") -> None:
    """Show in a line what a classifier takes the text for: the likeliest classes with their probabilities."""
    best = sorted(trace.classes, key=lambda each: -each[1])[:MOST]
    named = [
        f"{'<b>' * (not place)}{escape(_(kind))} {'&lt;1%' if share < LEAST else f'{share:.0%}'}{'</b>' * (not place)}"
        for place, (kind, share) in enumerate(best)
    ]
    show_line(name or _("{title}:", title=_(trace.provenance.title)), " · ".join(named))


def annotation_html(view: View, shares: NDArray[np.float64], *, colour: Colour) -> str:
    """Return the words of a sentence as HTML, each shaded by its share of all hops; pointing at one says it.

    Shapes: `shares` [word].
    """
    most = float(shares.max()) if len(shares) else 0.0
    words = []
    for text, share in zip(view.shown.key_tokens.texts, shares, strict=True):
        background = weight_colour(float(share) / most if most else 0.0, colour)
        says = _("“{word}”: {share} of the weight of all hops", word=visible(text), share=f"{share:.1%}")
        style = f"background: {background}; color: {text_on(background)}; padding: 0.1rem 0.25rem"
        words.append(noted(visible(text), says, style))
    title = escape(_("{title}:", title=_(view.trace.provenance.title)))
    deepest = escape(_("deepest: {share}", share=f"{most:.0%}"))
    shaded = f'<span dir="auto">{" ".join(words)}</span>'
    return f'<p class="hops-summed"><small>{title}</small> {shaded} <small>{deepest}</small></p>'


def show_class_numbers(several: Mapping[str, AttentionTrace]) -> None:
    """Show the probability of each class in a table, a column a run."""
    first = next(iter(several.values()))
    shares = {name: dict(trace.classes) for name, trace in several.items()}
    rows = [
        {_("kind of text"): _(kind)} | {name: share[kind] for name, share in shares.items()}
        for kind, _share in sorted(first.classes, key=lambda each: -each[1])
    ]
    bars = {name: st.column_config.ProgressColumn(format="percent") for name in several}
    st.dataframe(rows, hide_index=True, column_config=bars, width=200 + 300 * len(several))
