"""What was measured of the captioners on scenes that training never drew, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from models.scenes.things import HELD_OUT
from models.translation.entry import Entry
from viz.text.language import _, listed
from viz.text.markup import plain

COLUMNS = ("content_words_right", "captions_right", "weight_on_named", "weight_on_named_one_cell")


def show_measured(entries: Sequence[Entry]) -> None:
    """Show the figures of the cards as a table: seen and held-out combinations apart."""
    st.header(_("Measured on scenes that training never drew"), anchor=False)
    heads = (
        _("content words right"),
        _("whole captions right"),
        _("weight on named cells"),
        _("weight on the named cell, of words that name one"),
    )
    names = {"seen": _("seen combinations"), "held_out": _("held-out combinations")}
    rows = [(entry, name) for entry in entries for name in names if "figures" in entry.card]
    table: dict[str, list[str]] = {
        _("model"): [_(entry.mechanism.title) for entry, _name in rows],
        _("scenes"): [names[name] for _entry, name in rows],
    }
    for column, head in zip(COLUMNS, heads, strict=True):
        table[head] = [_number(entry, name, column) for entry, name in rows]
    st.dataframe(table, hide_index=True)
    unseen = listed([f"{colour} {kind}" for colour, kind in sorted(HELD_OUT)])
    st.caption(
        plain(
            _(
                "{seen:,} scenes with seen combinations and {held_out:,} with held-out ones, of 0 to 9 things. Each of "
                "the latter has one of {things}, which no training scene has. Words and weights: the right words "
                "before are given. Whole captions: the model writes by itself. In brackets: even weights over the nine "
                "cells.",
                things=unseen,
                **{name: entries[0].card["figures"][name]["scenes"] for name in names},
            )
        )
    )


def _number(entry: Entry, name: str, column: str) -> str:
    figures = entry.card["figures"][name]
    even = figures.get(f"{column}_by_chance")
    if even is None:
        return f"{figures[column]:.1%}"
    return f"{figures[column]:.2f} ({even:.2f})"


def show_cards(entries: Sequence[Entry]) -> None:
    """Show the formula, the paper and the departures of each model in a fold."""
    with st.expander(_("About these models")):
        st.markdown(plain(entries[0].mechanism.paper))
        for entry in entries:
            mechanism, card = entry.mechanism, entry.card
            st.markdown(f"**{plain(_(mechanism.title))}** · {plain(_(mechanism.equation))}")
            st.latex(mechanism.formula)
            st.markdown("\n".join(f"- {plain(_(each))}" for each in mechanism.departures))
            built = _(
                "{count:,} parameters, {scenes:,} training scenes, {seconds} seconds on one CPU thread.",
                count=card.get("parameters", 0),
                scenes=card.get("recipe", {}).get("scenes", 0),
                seconds=card.get("seconds", 0),
            )
            start = _("The weights of an earlier run were its start.") if card.get("recipe", {}).get("start") else ""
            st.caption(plain(f"{built} {start}".strip()))
