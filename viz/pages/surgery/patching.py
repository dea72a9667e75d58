"""Which heads carry the difference between two sentences: a grid of every head, patched on its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from models.trace import AttentionTrace
from viz.figures.by_head import numbers_by_head
from viz.pages.surgery.settings import OTHER
from viz.text.language import _
from viz.text.tokens import isolated, visible
from viz.views.heads import HeadPlace
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import put_text, text_box
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, W

if TYPE_CHECKING:
    from models.experiments.patching import HeadPatching

LEAST_PICTURE = 360
"""Pixels that a picture of heads takes at least beside others."""

OF_TRANSLATORS = ("The cat drank the milk.", "The dog drank the milk.")
OF_CAUSAL = (
    "When Mary and John went out, John gave a ball to",
    "When Anna and John went out, John gave a ball to",
)


def other_sentence(trace: AttentionTrace) -> str | None:
    """Show the box for the other sentence, and return what is in it; None, with a pair to try, while it is empty."""
    pair = OF_TRANSLATORS if trace.is_translation else OF_CAUSAL
    typed = text_box(OTHER, _("Other sentence with the same number of tokens"), placeholder=pair[1])
    if typed.strip():
        return typed
    st.button(
        _("try: “{one}” against “{other}”", one=pair[0], other=pair[1]),
        key="patching-pair",
        type="tertiary",
        on_click=_put,
        args=(pair,),
    )
    return None


def _put(pair: tuple[str, str]) -> None:
    for box, text in zip((SENTENCE, OTHER), pair, strict=True):
        put_text(box, text)


def show_patching(visit: Visit[W], found: HeadPatching, trace: AttentionTrace) -> None:
    """Show what becomes of the answer with each head patched: a picture for each kind of attention, on one scale."""
    kinds = list(dict.fromkeys((site.stack, site.kind) for site, _head in found.heads))
    room = visit.width / len(kinds) if visit.width / len(kinds) >= LEAST_PICTURE else visit.width
    places: list[Any] = st.columns(len(kinds)) if room < visit.width else [st.container() for _kind in kinds]
    largest = float(abs(found.changes).max())
    for place, (stack, kind) in zip(places, kinds, strict=True):
        values = {
            HeadPlace(site.layer, head): float(change)
            for (site, head), change in zip(found.heads, found.changes, strict=True)
            if (site.stack, site.kind) == (stack, kind)
        }
        title = f"{_(stack)} {_(kind)}"
        strongest = max(values, key=lambda each: abs(values[each]))
        with place:
            picture = Shown(
                numbers_by_head(values, title=title, meaning=_meaning(found), largest=largest, width=room),
                key=f"patching-{stack}-{kind}",
                says=_("{head} changes it most: {change}.", head=strongest.title, change=f"{values[strongest]:+.3g}"),
                name=f"{trace.source_text[:40]} {title} patched",
            )
            show(picture, replace(visit, width=room))
    st.caption(
        _(
            "Below 0: with the head's output for the other sentence, the answer is less likely. Control: {before} "
            "with nothing replaced, {every} with every head replaced. A head that changes nothing on its own may "
            "still matter where others do the same. Activation patching: Vig et al. 2020; Heimersheim and Nanda "
            "2024.",
            before=f"{found.before:.2f}",
            every=f"{found.every:.2f}",
        )
    )


def _meaning(found: HeadPatching) -> str:
    """Say what is measured."""
    own, other = (isolated(visible(word)) for word in (found.own or " ", found.other or " "))
    if not found.own:
        return _("change in the translation's log-probability (nats)")
    if not found.other:
        return _("change in the log-probability of “{own}” (nats)", own=own)
    return _("change in log-probability, “{own}” minus “{other}” (nats)", own=own, other=other)


def run_patching(model: Any, trace: AttentionTrace, text: str) -> Callable[[Callable[[float], None]], HeadPatching]:
    """Return what puts each head's output for `text` in place, and tells how far it is."""
    from models.experiments.patching import patch_each_head

    return lambda show_share: patch_each_head(model, trace, text, on_progress=show_share)
