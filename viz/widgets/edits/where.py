"""Controls for where an edit acts: layer and stack, heads, rows and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from models.trace import AttentionMap, AttentionTrace, TokenSequence
from viz.text.counting import numbered
from viz.text.language import _, mark
from viz.views.view import with_named_rows
from viz.widgets.settings import select

_KINDS: Mapping[tuple[str, str], str] = {
    ("encoder", "self"): mark("encoder self-attention"),
    ("decoder", "self"): mark("decoder self-attention"),
    ("decoder", "cross"): mark("cross-attention"),
    ("encoder", "hops"): mark("hops"),
}


SITE, ROW, KEY = "surgery-site", "surgery-row", "surgery-key"
"""The controls of an edit, by what they choose."""


def control_of(what: str, *, every: bool) -> str:
    """Return the name of the control that chooses a word."""
    return f"{what}-{every}"


@dataclass(frozen=True, slots=True)
class Field:
    """Where an edit acts: the address, and one of the maps that it means."""

    site: str
    example: AttentionMap


def choose_field(trace: AttentionTrace) -> Field:
    """Let the reader choose where, if there is more than one place."""
    places: dict[str, AttentionMap] = {}
    names: dict[str, str] = {}
    for (stack, kind), name in _KINDS.items():
        alike = [with_named_rows(each) for each in trace if (each.site.stack, each.site.kind) == (stack, kind)]
        if len(alike) > 1:
            places[f"{stack}.*.{kind}"] = alike[0]
            names[f"{stack}.*.{kind}"] = _("{name}, every layer", name=_(name))
        for each in alike:
            places[str(each.site)] = each
            layer = _("{name}, layer {layer}", name=_(name), layer=each.site.layer)
            names[str(each.site)] = layer if len(alike) > 1 else _(name)
    options = sorted(places, key=lambda site: (not site.endswith("cross"), list(places).index(site)))
    if len(options) == 1:
        return Field(options[0], places[options[0]])
    with st.container(width=300):
        chosen = select(_("Where"), {each: names[each] for each in options}, key=SITE)
    return Field(chosen, places[chosen])


def choose_heads(field: Field) -> tuple[int, ...]:
    """Let the reader choose heads, and return them; the one that there is without a choice."""
    count = len(field.example.weights)
    if count == 1:
        return (0,)
    with st.container(width="content"):
        chosen = st.pills(
            _("Heads"), range(count), selection_mode="multi", key=f"surgery-heads-{count}", format_func=str
        )
    return tuple(chosen)


def choose_one_head(field: Field) -> int | None:
    """Let the reader choose one head or all; all is None."""
    count = len(field.example.weights)
    if count == 1:
        return None
    with st.container(width=130):
        labels: dict[int | None, str] = {None: _("every head")}
        labels |= {head: _("head {head}", head=head) for head in range(count)}
        return select(_("Head"), labels, key=f"surgery-head-{count}")


def _word(title: str, tokens: TokenSequence, key: str, *, every: str = "", until: int | None = None) -> list[int]:
    """Let the reader choose a word; return the positions of its pieces, none for every word (if `every` names that)."""
    count = len(tokens.word_texts) if until is None else tokens.words[until] + 1
    labels = numbered(tokens.word_texts)[:count]
    options = ({-1: every} if every else {}) | dict(enumerate(labels))
    with st.container(width=210):
        chosen = select(title, options, key=control_of(key, every=bool(every)))
    return [place for place, word in enumerate(tokens.words) if word == chosen]


def _query_title(field: Field) -> str:
    if field.example.site.kind == "hops":
        return _("Row (query): hop")
    return _("Row (query): word being written") if field.example.site.kind == "cross" else _("Row (query): word")


def choose_rows(field: Field, *, every: bool = True) -> list[int | None]:
    """Let the reader choose a row by its word, and return those of its pieces; None alone is every row."""
    everything = _("every row") if every else ""
    rows = _word(_query_title(field), field.example.query_tokens, ROW, every=everything)
    return list(rows) or [None]


def choose_keys(field: Field, title: str, rows: Sequence[int | None] = ()) -> list[int]:
    """Let the reader choose a key; of a causal map one that the first of `rows` may read."""
    first = next((row for row in rows if row is not None), None)
    until = first if field.example.causal else None
    return _word(title, field.example.key_tokens, KEY, until=until)
