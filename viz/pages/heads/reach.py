"""Attention by distance of the language models: on this text and on held-out text, with their perplexity."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

import models
from models.huggingface.embedded import LANGUAGE_MODELS, LSTMN, N_GRAM_RNN, held_out_of
from models.trace import AttentionTrace
from viz.figures.reach import reach_by_distance
from viz.measures.reach import NEAR, share_within, weight_by_distance
from viz.server.hub import own_models
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import Host
from viz.text.language import SEMICOLON, _, listed, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.chart import show_figure

FIXED = 2
"""How many outputs before its own the shipped N-gram RNN reads: it is of order 4."""


def show_reach(host: Host, trace: AttentionTrace, available: float) -> None:
    """Show the language models side by side: their weight by distance, their perplexity, what they would go on with."""
    st.header(_("How far back: language models side by side"), anchor=False)
    traces = _traces(host, trace.source_text)
    names = own_models()
    titles = {key: _(names[key].title) for key in LANGUAGE_MODELS if key in names}
    typed = {key: weight_by_distance(each.maps[0].weights[0]).tolist() for key, each in traces.items() if each.maps}
    told = {key: held_out_of(key).get("all", {}) for key in (*titles, N_GRAM_RNN)}
    held_out = {key: told[key]["reach"]["by_distance"] for key in titles if "reach" in told[key]}
    show_figure(
        reach_by_distance(typed, held_out, titles, fixed=FIXED if N_GRAM_RNN in traces else 0, width=available),
        key="reach",
        says=_says(traces, titles),
        name=_("{text} reach", text=trace.source_text[:40]),
        available=available,
    )
    _explain(traces)
    _table({key: _(names[key].title) for key in traces}, traces, told)


def _traces(host: Host, text: str) -> dict[str, AttentionTrace]:
    """Return the run of each language model that can be had."""
    found: dict[str, AttentionTrace] = {}
    for key in (*LANGUAGE_MODELS, N_GRAM_RNN):
        if key in own_models():
            try:
                found[key] = host.attend(key, text)
            except (ModelUnavailableError, models.InputError) as error:
                st.info(plain(say(error)))
    return found


def _within(trace: AttentionTrace) -> float | None:
    """Return the share that a token of the text gives to the nearest few; None where none has more before it."""
    share = share_within(trace.maps[0].weights[0]) if trace.maps else float("nan")
    return None if share != share else share


def _says(traces: Mapping[str, AttentionTrace], titles: Mapping[str, str]) -> str:
    parts = []
    for key, title in titles.items():
        share = _within(traces[key]) if key in traces else None
        if share is not None:
            parts.append(
                _("{title}: {share} of the weight is at most {near} back", title=title, share=f"{share:.0%}", near=NEAR)
            )
    return listed(parts, SEMICOLON) + _(".") if parts else _("The text is too short to tell near from far.")


def _explain(keys: Collection[str]) -> None:
    """Say what the lines are; `keys` are of the models that are there."""
    parts = [
        _(
            "Each line: the share of its weight that a token gives to the token so many places back, a mean over the "
            "tokens that have so many before them; below, over held-out tokens with at least 15 before them. At most "
            "15 back are read."
        )
    ]
    if LSTMN in keys:
        parts.append(_("The LSTMN reads the whole text; what lies further back is not drawn."))
    if N_GRAM_RNN in keys:
        parts.append(
            _(
                "Shaded: the N-gram RNN, which weighs nothing: beside slices of its last output it always reads slices "
                "of the two before it."
            )
        )
    parts.append(
        _(
            "Tokens are pieces of words. A weight on an output is not on its word alone: the LSTM has carried earlier "
            "words into it. Source: Daniluk et al. 2017, whose models read mainly the last five outputs."
        )
    )
    st.caption(" ".join(parts))


def _table(
    titles: Mapping[str, str], traces: Mapping[str, AttentionTrace], told: Mapping[str, Mapping[str, Any]]
) -> None:
    rows = []
    for key, title in titles.items():
        figures = told.get(key, {})
        likeliest, share = traces[key].predictions[-1].alternatives[0]
        rows.append(
            {
                _("model"): title,
                _("held-out perplexity, a token"): figures.get("perplexity_per_token"),
                _("held-out: weight at most {near} back", near=NEAR): figures.get("reach", {}).get("last_five"),
                _("this text: weight at most {near} back", near=NEAR): _within(traces[key]),
                _("would go on with"): f"“{visible(likeliest)}” {share:.0%}",
            }
        )
    shares = {name: st.column_config.NumberColumn(format="percent") for name in [*rows[0]][2:4]}
    st.dataframe(rows, hide_index=True, column_config=shares)
    st.caption(
        _(
            "Each was trained here on the same text in the same order, {tokens} million tokens, with 1.77 to 1.78 "
            "million parameters; a lower perplexity is better.",
            tokens=2,
        )
    )
