"""Table of a model's heads by what each is worth to a text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from models.measures.entropy import mean_entropy
from models.trace import AttentionTrace
from viz.figures.by_head import numbers_by_head
from viz.measures.consequence import words_of_target
from viz.text.language import _, _n
from viz.text.tokens import visible
from viz.views.heads import HeadPlace
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, W

if TYPE_CHECKING:
    from models.experiments.sweeps import HeadSweep

Row = dict[str, Any]

LEAST_PICTURE = 360
"""Pixels that a picture of heads takes at least beside others."""


def show_heads(visit: Visit[W], sweep: HeadSweep, trace: AttentionTrace) -> None:
    """Show every head of `trace` with what was lost without it: as a picture, then those that matter most first."""
    effect = sweep.totals if sweep.written or sweep.turns is None else -sweep.turns.mean(axis=1)
    _pictures(visit, sweep, -effect, trace)
    entropies = {each.site: mean_entropy(each.weights) for each in trace}
    rows = []
    for number, (site, head) in enumerate(sweep.heads):
        row: Row = {_("where"): f"{_(site.stack)} {_(site.kind)}"} if trace.is_translation else {}
        row |= {_("layer"): site.layer, _("head"): trace[site].head_names[head]}
        if sweep.written:
            row |= _losses(sweep, number, trace)
        if sweep.turns is not None:
            row |= _turns(sweep.turns[number], trace)
        rows.append(row | {_("mean entropy of its rows (bits)"): round(float(entropies[site][head]), 3)})
    warning = _("A head that costs nothing on its own may still matter where others do the same.")
    st.caption(f"{_did(sweep, trace)} {warning}")
    number_column = st.column_config.NumberColumn(format="%.5f")
    st.dataframe(
        [rows[number] for number in effect.argsort(kind="stable")],
        hide_index=True,
        column_config=dict.fromkeys((_("mean of 1 - cosine"), _("its 1 - cosine")), number_column),
    )


def _pictures(visit: Visit[W], sweep: HeadSweep, losses: NDArray[np.float64], trace: AttentionTrace) -> None:
    """Show what is lost without each head: a picture for each kind of attention, all on one scale."""
    meaning = _("log-probability lost without the head (nats)")
    if not sweep.written:
        meaning = _("mean turn of the final vectors without the head (1 - cosine)")
    kinds = list(dict.fromkeys((site.stack, site.kind) for site, _head in sweep.heads))
    width = visit.width
    room = width / len(kinds) if width / len(kinds) >= LEAST_PICTURE else width
    places = st.columns(len(kinds)) if room < width else [st.container() for _kind in kinds]
    largest = float(np.abs(losses).max())
    for place, (stack, kind) in zip(places, kinds, strict=True):
        values = {
            HeadPlace(site.layer, head): float(loss)
            for (site, head), loss in zip(sweep.heads, losses, strict=True)
            if (site.stack, site.kind) == (stack, kind)
        }
        title = f"{_(stack)} {_(kind)}"
        worst = max(values, key=lambda each: values[each])
        with place:
            picture = Shown(
                numbers_by_head(values, title=title, meaning=meaning, largest=largest, width=room),
                key=f"heads-that-matter-{stack}-{kind}",
                says=_("{head} costs most: {loss}.", head=worst.title, loss=f"{values[worst]:.3g}"),
                name=f"{trace.source_text[:40]} {title}",
            )
            show(picture, replace(visit, width=room))


def _losses(sweep: HeadSweep, number: int, trace: AttentionTrace) -> Row:
    """Return what log-probability is lost without head `number`, in all and at the word that loses most."""
    words = -words_of_target(sweep.changes[number], sweep.written)
    worst = int(words.argmax())
    hurt = _("word hurt most") if trace.is_translation else _("token hurt most")
    return {
        _("log-probability lost (nats)"): round(-float(sweep.totals[number]), 4),
        hurt: visible(sweep.written.word_texts[worst]) if words[worst] > 0 else "",
        _("its loss"): round(float(words[worst]), 4),
    }


def _turns(turns: Any, trace: AttentionTrace) -> Row:
    """Return how far the final vectors turn without a head, in the mean and where most; `turns` is [token]."""
    return {
        _("mean of 1 - cosine"): float(turns.mean()),
        _("token turned most"): visible(trace.source.texts[int(turns.argmax())]),
        _("its 1 - cosine"): float(turns.max()),
    }


def _did(sweep: HeadSweep, trace: AttentionTrace) -> str:
    """Say what was done, and what the numbers are."""
    if trace.is_translation:
        return _(
            "Each head ablated on its own while the model writes the same translation. Above 0: the translation is "
            "less likely without the head."
        )
    if sweep.written:
        part = len(sweep.written) < len(trace.source) - 1
        return _(
            "Each head ablated on its own while the model reads the text. Log-probability lost: that of {tokens}, "
            "each predicted from the tokens before it. Above 0: less likely without the head. 1 - cosine: how far "
            "the final vector of each token turns.",
            tokens=_n("the last token", "the last {count} tokens", len(sweep.written))
            if part
            else _("the text's own tokens"),
        )
    return _("Each head ablated on its own: how far the final vector of each token turns.")
