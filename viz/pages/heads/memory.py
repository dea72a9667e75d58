"""A memory that nobody trained, below the heads: nearest places of a datastore, mixed into the next token (kNN-LM)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from tokenizers import Tokenizer

import models
from models.huggingface.embedded import READERS
from models.huggingface.files import TOKENIZER_FILE
from models.keys import identity_of
from models.readers.datastore import datastore_card, key_site, recalled, shipped_datastore
from models.trace import AttentionTrace
from viz.figures.neighbours import MOST, NeighbourRow, neighbour_map
from viz.pages.heads.settings import MIX
from viz.pages.heads.wanted import HeadsSettings
from viz.server.introspection import inside_of
from viz.text.cells import csv_of_rows
from viz.text.language import _, say
from viz.text.markup import plain
from viz.text.tokens import isolated, visible
from viz.widgets.settings import choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

if TYPE_CHECKING:
    from models.readers.datastore import Numbers, Recalled

WIDEST = 900
"""Pixels of the map: more makes its rows hard to follow."""

LIKELIEST, BEFORE = 5, 8
"""Tokens named of each prediction, and tokens before a place."""

TABLE = "table.weight"


def show_memory(visit: Visit[HeadsSettings], trace: AttentionTrace, position: int) -> None:
    """Show the neighbours of every state, and what the memory changes of the prediction at `position`."""
    key, told = trace.provenance.checkpoint, trace.written
    st.header(_("A memory that nobody trained"), anchor=False)
    try:
        card = datastore_card()
        read = visit.host.attend(
            key, trace.source_text, write=None if told is None else told.asked, sites=(str(key_site()),)
        )
        found = recalled(read, inside_of(visit.host, key).parameters_at(None, (TABLE,))[TABLE])
    except models.InputError as error:
        st.info(plain(say(error)))
        return
    st.caption(
        _(
            "The memory: {count:,} places of a text that the model never read in training ({name}, {licence}). Key: "
            "the model's state at that place. Value: the token that followed. No weight was changed.",
            count=card["places"],
            name=_(card["data"][0]["name"]),
            licence=_(card["data"][0]["licence"]),
        )
    )
    with st.container(width=330):
        percent = {str(each): f"{each}%" for each in range(0, 101, 10)}
        share = int(choose(MIX, percent, default=str(round(100 * card["share"])))) / 100
    _predictions(key, found, read, position, share)
    _map(visit, key, found, read, position)
    _figures(card)


def _predictions(key: str, found: Recalled, trace: AttentionTrace, position: int, share: float) -> None:
    """Name the likeliest next tokens at one place: of the model, of the memory, and of both."""
    sides = [found.own[position], found.retrieved[position], found.mixed(share)[position]]
    names = (_("without the memory"), _("the memory alone"), _("with the memory, {share}", share=f"{share:.0%}"))
    columns = [[_said(key, each, number) for number in range(LIKELIEST)] for each in sides]
    lines = [f"| {' | '.join(plain(cell) for cell in row)} |" for row in (names, *zip(*columns, strict=True))]
    st.markdown("\n".join([lines[0], "| --- | --- | --- |", *lines[1:]]))
    texts = trace.source.texts
    said = _("The likeliest tokens after “{word}”.", word=isolated(visible(texts[position])))
    if position + 1 < len(texts):
        came = trace.source.ids[position + 1]
        said += " " + _(
            "“{word}” came: {without} without the memory, {both} with it.",
            word=isolated(visible(texts[position + 1])),
            without=f"{sides[0][came]:.1%}",
            both=f"{sides[2][came]:.1%}",
        )
    st.caption(plain(said))


def _said(key: str, probabilities: Numbers, rank: int) -> str:
    token = int(np.argsort(-probabilities, kind="stable")[rank])
    probability = float(probabilities[token])
    return f"“{isolated(visible(_text(key, (token,))))}” {probability:.1%}" if probability else ""


def _map(visit: Visit[HeadsSettings], key: str, found: Recalled, trace: AttentionTrace, position: int) -> None:
    rows = [_row(key, found, trace, place) for place in range(len(trace.source))]
    here = rows[position]
    says = _(
        "After “{token}” the nearest place is “… {before}”, followed by “{word}” (weight {weight}).",
        token=isolated(visible(here.token)),
        before=isolated(here.before[0]),
        word=isolated(visible(here.followed[0])),
        weight=f"{here.weights[0]:.2f}",
    )
    figure = neighbour_map(rows, width=min(visit.width, WIDEST))
    name = _("{text} memory", text=trace.source_text[:40])
    show(Shown(figure, key="memory", says=says, name=name, csv=lambda: _csv(rows)), visit)
    st.caption(
        _(
            "Row: a token of your text, its state is the query. Column: rank of the place by distance. A cell shows "
            "the token that followed there; point at it for the words before. An orange frame: it is also your text's "
            "next token. Colour: weight, softmax of minus the squared distance divided by {temperature:g}, over the "
            "{count:,} nearest places. Only the first are shown.",
            temperature=datastore_card()["temperature"],
            count=datastore_card()["neighbours"],
        )
    )
    _nearest(found, here, position)


def _row(key: str, found: Recalled, trace: AttentionTrace, place: int) -> NeighbourRow:
    texts, store = trace.source.texts, shipped_datastore()
    places = found.near.places[place, :MOST].tolist()
    came = _text(key, (trace.source.ids[place + 1],)) if place + 1 < len(texts) else None
    return NeighbourRow(
        token=texts[place],
        came=came,
        before=[_words(_text(key, store.before(each, BEFORE))) for each in places],
        followed=[_text(key, (int(store.following[each]),)) for each in places],
        weights=found.weights[place, :MOST].tolist(),
    )


def _words(text: str) -> str:
    """Return the words of a text without the rest of one that began before it."""
    words = text.split()
    return " ".join(words if text.startswith(" ") else words[1:] or words)


def _nearest(found: Recalled, row: NeighbourRow, position: int) -> None:
    rows = [
        {
            _("words before"): f"… {before}",
            _("followed by"): visible(word),
            _("weight"): weight,
            _("squared distance"): distance,
        }
        for before, word, weight, distance in zip(
            row.before, row.followed, row.weights, found.near.distances[position].tolist(), strict=False
        )
    ]
    shares = {_("weight"): st.column_config.NumberColumn(format="%.3f")}
    shares[_("squared distance")] = st.column_config.NumberColumn(format="%.0f")
    st.dataframe(rows, hide_index=True, column_config=shares, key="memory-nearest")


def _figures(card: dict[str, object]) -> None:
    """Show the perplexity on held-out text with and without the memory."""
    test: dict[str, dict[str, float]] = card["test"]  # type: ignore[assignment]
    names = {"verses": _("other verses of the same book"), "novels": _("novels")}
    rows = [
        {
            _("held-out text"): name,
            _("perplexity without the memory"): test[code]["without"],
            _("with it, λ = {share}", share=f"{card['share']:.0%}"): test[code]["with"],
            _("with word frequencies of the memory alone"): test[code]["frequencies"],
        }
        for code, name in names.items()
    ]
    number = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(rows, hide_index=True, column_config={name: number for name in [*rows[0]][1:]})
    st.caption(
        _(
            "{count:,} tokens each, none of them in the memory or in the training text. λ and the temperature were "
            "chosen on other verses. Control: the same mixture without keys, each token by how often it follows "
            "anywhere in the memory, λ chosen too. Lower is better. The memory helps on text like its own. On novels "
            "it does harm. Source: Khandelwal et al. 2020.",
            count=int(test["verses"]["tokens"]),
        )
    )


def _csv(rows: Sequence[NeighbourRow]) -> str:
    cells = [
        (row.token, rank, before, word, f"{weight:.6f}")
        for row in rows
        for rank, (before, word, weight) in enumerate(zip(row.before, row.followed, row.weights, strict=True), 1)
    ]
    return csv_of_rows([("token", "rank", "before", "followed", "weight"), *cells])


def _text(key: str, ids: Sequence[int]) -> str:
    """Return tokens as text."""
    return str(_tokenizer(key).decode(list(ids), skip_special_tokens=False))


@lru_cache(maxsize=4)
def _tokenizer(key: str) -> Tokenizer:
    return Tokenizer.from_file(str(READERS / identity_of(key) / TOKENIZER_FILE))
