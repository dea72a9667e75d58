"""Attention by distance of the language models: on this text and on held-out text, with their perplexity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import models
from models.huggingface.embedded import reader_card
from models.huggingface.reader_entries import READER_ENTRIES
from models.trace import AttentionTrace
from viz.figures.reach import FAR, reach_by_distance
from viz.measures.reach import NEAR, share_within, weight_by_distance
from viz.pages.heads.wanted import HeadsSettings
from viz.server.hub import own_models
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import Host
from viz.text.language import SEMICOLON, _, _n, listed, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

_MEMORIES = {key: each for key, each in READER_ENTRIES.items() if each.memory}


def show_reach(visit: Visit[HeadsSettings], trace: AttentionTrace) -> None:
    """Show the language models side by side: their weight by distance, their perplexity, what they would go on with."""
    st.header(_("How far back: language models side by side"), anchor=False)
    traces = _traces(visit.host, trace.source_text)
    names = own_models()
    named = {key: _(names[key].title) for key in _MEMORIES if key in names}
    titles = {key: title for key, title in named.items() if _MEMORIES[key].has_attention}
    cards = {key: reader_card(key) for key in named}
    typed = {key: weight_by_distance(each.maps[0].weights[0]).tolist() for key, each in traces.items() if each.maps}
    told = {key: card.get("held_out", {}).get("all", {}) for key, card in cards.items()}
    held_out = {key: told[key]["reach"]["by_distance"] for key in titles if "reach" in told[key]}
    shown = Shown(
        reach_by_distance(typed, held_out, titles, fixed=max(_fixed(cards).values(), default=0), width=visit.width),
        key="reach",
        says=_says(traces, titles),
        name=_("{text} reach", text=trace.source_text[:40]),
    )
    show(shown, visit)
    _explain(named, cards)
    _table({key: named[key] for key in traces}, traces, told)
    _say_trained([card for card in cards.values() if card])


def _traces(host: Host, text: str) -> dict[str, AttentionTrace]:
    """Return the run of each language model that can be had."""
    found: dict[str, AttentionTrace] = {}
    for key in _MEMORIES:
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


def _fixed(cards: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Return how many outputs before its own a model without attention always reads."""
    return {
        key: card["recipe"]["order"] - 2 for key, card in cards.items() if card and not _MEMORIES[key].has_attention
    }


def _explain(named: Mapping[str, str], cards: Mapping[str, Mapping[str, Any]]) -> None:
    """Say what the lines are, of the models that are there."""
    parts = [
        _(
            "Each line: the share of its weight that a token gives to the token that many places back. It is "
            "averaged over the tokens with enough tokens before them. Below: over held-out tokens with at least "
            "{far} before them.",
            far=FAR,
        )
    ]
    windows = [card["recipe"]["window"] for key, card in cards.items() if card and _MEMORIES[key].is_windowed]
    if windows:
        parts.append(_("Attention reaches back at most {far} tokens.", far=max(windows)))
    for key, title in named.items():
        if _MEMORIES[key].has_attention and not _MEMORIES[key].is_windowed:
            parts.append(_("{title} attends to the whole text. Larger distances are not drawn.", title=title))
    for key, count in _fixed(cards).items():
        parts.append(
            _n(
                "Shaded: {title} has no attention weights. It always uses slices of its last output and of the "
                "{count} output before it.",
                "Shaded: {title} has no attention weights. It always uses slices of its last output and of the "
                "{count} outputs before it.",
                count,
                title=named[key],
            )
        )
    parts.append(
        _(
            "Tokens are subwords. A weight on an output is not on its word alone: the LSTM has carried earlier "
            "words into it. Source: Daniluk et al. 2017, whose models attend mainly to the last five outputs."
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
                _("held-out perplexity per token"): figures.get("perplexity_per_token"),
                _("held-out: weight at most {near} back", near=NEAR): figures.get("reach", {}).get("last_five"),
                _("this text: weight at most {near} back", near=NEAR): _within(traces[key]),
                _("predicted next token"): f"“{visible(likeliest)}” {share:.0%}",
            }
        )
    shares = {name: st.column_config.NumberColumn(format="percent") for name in [*rows[0]][2:4]}
    st.dataframe(rows, hide_index=True, column_config=shares)


def _say_trained(cards: Sequence[Mapping[str, Any]]) -> None:
    """Say of what size the models are, and how much text they were trained on."""
    if cards:
        sizes = [card["parameters"] / 1e6 for card in cards]
        said = _(
            "Each model was trained here on the same text in the same order, {tokens} million tokens. The models "
            "have {least} to {most} million parameters. A lower perplexity is better.",
            tokens=round(max(card["tokens_seen"] for card in cards) / 1e6),
            least=f"{min(sizes):.2f}",
            most=f"{max(sizes):.2f}",
        )
        st.caption(said)
