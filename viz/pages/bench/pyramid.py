"""Pyramid of the RCTM on the Bench: its cells, what changes its top, word orders with a similar vector."""

from __future__ import annotations

import streamlit as st

import models
from models.trace import AttentionTrace
from viz.figures.pyramid import pyramid_chart
from viz.measures.pyramid import PARAMETERS, cosine, embedded, fold, moved_without
from viz.pages.bench.built import millions
from viz.pages.bench.wanted import BenchSettings, Compared
from viz.server.introspection import inside_of
from viz.server.runtime import Host
from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

MOST = 5
"""Orders that are named."""


def has_pyramid(key: str) -> bool:
    """Return whether the model `key` folds a sentence into one vector by convolutions."""
    return models.describe(key).mechanism.pyramid


def show_pyramid(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Show the pyramid above the sentence, and what is near in its top."""
    key = next(each for each in ran.traces if has_pyramid(each))
    trace = ran.traces[key]
    texts, ids = trace.source.texts, trace.source.ids
    parameters = inside_of(visit.host, key).parameters_at(None, PARAMETERS)
    found, moved = fold(parameters, embedded(parameters, ids)), moved_without(parameters, ids)
    most = int(moved.argmax())
    shown = Shown(
        pyramid_chart(found, moved, texts, width=visit.width),
        key="pyramid",
        says=_(
            "“{word}” moves the sentence vector most: by {share} of its length when removed.",
            word=visible(texts[most].strip() or texts[most]),
            share=f"{moved[most]:.2f}",
        ),
        name=f"{trace.source_text} pyramid",
    )
    show(shown, visit)
    st.caption(
        _(
            "Above: each cell is built from the subwords below it. Its colour is its share of what moves the top "
            "from its row (size of the derivative). Below: how far the top moves when a subword is replaced by "
            "zeros. A small model ({size} M parameters), trained on short everyday text.",
            size=millions(models.describe(key).card),
        )
    )
    _near(visit.host, key, trace)


def _near(host: Host, key: str, trace: AttentionTrace) -> None:
    """Say how near the top stays when two neighbouring words change places, and what is then written."""
    words = trace.source_text.split()
    orders = [" ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]]) for at in range(len(words) - 1)]
    others = {order: host.attend(key, order) for order in orders[:24] if order != trace.source_text}
    if not others:
        return
    parameters = inside_of(host, key).parameters_at(None, PARAMETERS)
    top = fold(parameters, embedded(parameters, trace.source.ids)).top
    near = {
        order: cosine(top, fold(parameters, embedded(parameters, each.source.ids)).top)
        for order, each in others.items()
    }
    nearest = sorted(near, key=lambda order: -near[order])[:MOST]
    said = [
        _("{order} {cosine}, “{written}”", order=order, cosine=f"{near[order]:.2f}", written=others[order].output_text)
        for order in nearest
    ]
    heading = _("Two neighbouring words swapped: cosine of the two top vectors, and the translation")
    st.markdown("\n".join([plain(heading), "", *(f"- {plain(each)}" for each in said)]))
