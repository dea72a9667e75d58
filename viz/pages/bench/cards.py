"""The card of a mechanism: its name, its formula, what it wrote and how surely, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from models.sites import Site
from models.trace import AttentionTrace
from viz.pages.bench.settings import AUTOMATIC, HEAD
from viz.text.language import _, _n, mark
from viz.text.markup import plain
from viz.views.view import Head
from viz.widgets.settings import choose, link

if TYPE_CHECKING:
    from models.translation.entry import Entry
from viz.widgets.translation import tinted

_FAR_SETS = {
    "tsinghua_zh-en.odd": mark(
        "tsinghua_zh-en.odd is news, far from the training text (everyday sentences, captions, encyclopedia)"
    ),
}


_POOR = 0.5  # alignment error rate from which more is wrong than right


Place = tuple[Site | None, Head | None]
"""A layer and a head; None: those of the model's card."""


def mechanism_card(entry: Entry, trace: AttentionTrace) -> Place:
    """Show the card of one mechanism, and return the layer and head that its reader wants to see.

    Parameters
    ----------
    entry : Entry
        The mechanism with its checkpoint.
    trace : AttentionTrace
        What it did with the sentence.

    Returns
    -------
    Site or None
        Of the map to show.
    int, "mean" or None
        The head to show.
    """
    mechanism, language = entry.mechanism, entry.pair.rpartition("-")[2]
    with st.container(border=True, height="stretch", gap="xsmall", key=f"card-{mechanism.key}"):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            title = f'{escape(_(mechanism.title))} <span class="bench-year">{mechanism.year}</span>'
            st.html(f'<h2 class="bench-name">{title}</h2>')
            with st.popover(_("About"), type="tertiary"):
                _about(entry)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="center"):
            st.latex(in_lines(mechanism.formula), width="content")
            place = _head_control(mechanism.key, trace)
        st.html(f'<p class="bench-translation" lang="{escape(language)}" dir="auto">{tinted(trace)}</p>')
        if not mechanism.has_attention:
            _one_vector(len(trace.source.to_words()))
    return place


def in_lines(formula: str) -> str:
    r"""Return a formula of several parts with a line a part, so that it fits into a narrow card.

    Parameters
    ----------
    formula : str
        In LaTeX.

    Examples
    --------
    >>> in_lines(r"p_t = t, \quad a = b")
    '\\begin{gathered}p_t = t \\\\ a = b\\end{gathered}'
    """
    parts = formula.split(r", \quad ")
    return parts[0] if len(parts) == 1 else r"\begin{gathered}" + r" \\ ".join(parts) + r"\end{gathered}"


def _one_vector(words: int) -> None:
    """Show what a decoder without attention gets: one bar, and why there is no map."""
    bar = escape(
        _n(
            "{count} word or mark, the end counted → everything through one vector → the translation",
            "{count} words and marks, the end counted → everything through one vector → the translation",
            words,
        )
    )
    st.html(f'<div class="bench-vector">{bar}</div>')
    st.caption(
        _(
            "There is no map to see: the decoder never looks back at a word. All that it knows of the sentence is the "
            "encoder's last state."
        )
    )


def _places(trace: AttentionTrace) -> tuple[dict[str, Place], dict[str, str]]:
    """Return the layers and heads of a trace that there are to choose from, and their names; none without a choice."""
    maps = [each for each in trace if each.site.kind == "cross"]
    if sum(len(each.head_names) for each in maps) < 2:
        return {}, {}
    places: dict[str, Place] = {AUTOMATIC: (None, None)}
    labels: dict[str, str] = {}
    for each in maps:
        layer, heads = each.site.layer, len(each.head_names)
        choices: tuple[Head, ...] = ("mean", *range(heads))
        for head in choices:
            key = f"{layer}.{head}"
            places[key] = (each.site, head)
            labels[key] = (
                _("layer {layer}, mean", layer=layer)
                if head == "mean"
                else _("layer {layer}, head {head}", layer=layer, head=each.head_names[head])
            )
    return places, {AUTOMATIC: _("best aligned"), **labels}


def chosen_place(mechanism: str, trace: AttentionTrace) -> Place:
    """Return the layer and head that the link names for a mechanism; those of its card if it names none.

    Parameters
    ----------
    mechanism : str
        Such as ``luong-general``.
    trace : AttentionTrace
    """
    places = _places(trace)[0]
    return places.get(link.text_of(HEAD.named(mechanism)) or AUTOMATIC, (None, None))


def _head_control(mechanism: str, trace: AttentionTrace) -> Place:
    """Show which layers and heads there are, if there is a choice."""
    places, labels = _places(trace)
    if not places:
        return None, None
    with st.container(width=160):
        chosen = choose(HEAD.named(mechanism), labels)
    return places[chosen]


def _about(entry: Entry) -> None:
    """Say where the mechanism and its weights come from, in one element: each is sent and drawn again at every key."""
    mechanism, card = entry.mechanism, entry.card
    trained = [f"{_(each['name'])} ({_(each['licence'])}): {each['credit']}" for each in card.get("data", ())]
    weights = _("Weights {key}, SHA-256 {hash}…", key=entry.key, hash=entry.sha256[:12])
    parts = (
        _("**Paper:** {paper}; {equation}", paper=plain(mechanism.paper), equation=plain(_(mechanism.equation))),
        _bullets(_("Where this model differs from it"), [_(departure) for departure in mechanism.departures]),
        _bullets(_("Trained on"), [*trained, *tokens_seen(card)]),
        _bullets(_("Example sentences and the training text"), examples_met(card)),
        _bullets(_("Measured on sentences that it has not seen"), measured(card)),
        f":small[{plain(weights)}]",
    )
    st.markdown("\n\n".join(filter(None, parts)))


def _bullets(heading: str, lines: Sequence[str]) -> str:
    return f"**{heading}**\n" + "".join(f"\n- {plain(line)}" for line in lines) if lines else ""


def tokens_seen(card: Mapping[str, Any]) -> list[str]:
    """Say how much a model was trained, and how much of that it inherited from another; nothing if that is unknown.

    Parameters
    ----------
    card : mapping
        What ``card.json`` says: ``target_tokens_seen`` counts those of the model whose weights training began with.

    Returns
    -------
    list of str
    """
    if "target_tokens_seen" not in card:
        return []
    count, start = f"{card['target_tokens_seen'] / 1e6:.1f}", card.get("start")
    if not start:
        return [_("{count} M target tokens", count=count)]
    inherited = f"{start['target_tokens'] / 1e6:.1f}"
    return [
        _(
            "{count} M target tokens, of which {inherited} M as {key}: training began with what fits of its weights",
            count=count,
            inherited=inherited,
            key=start["key"],
        )
    ]


def examples_met(card: Mapping[str, Any]) -> list[str]:
    """Say which example sentences a model met while it was trained, and which it did not; nothing if that is unknown.

    Parameters
    ----------
    card : mapping
        What ``card.json`` says.

    Returns
    -------
    list of str
    """
    met = card.get("examples_in_training", {})
    there, new = ([f"“{each}”" for each in met if met[each] is known] for known in (True, False))
    if not there:
        return [_("none of them is in it")] if met else []
    lines = [_("in it, whatever capitals and closing mark: {sentences}", sentences=" ".join(there))]
    return lines + ([_("not in it: {sentences}", sentences=" ".join(new))] if new else [])


def measured(card: Mapping[str, Any]) -> list[str]:
    """Say in words what a checkpoint's card reports of its quality.

    Parameters
    ----------
    card : mapping
        What ``card.json`` says; figures that are not there are left out.

    Returns
    -------
    list of str
        A line a measure: BLEU (higher is better), alignment error rate (lower is better).
    """
    bleu = [f"{figures['bleu']:.1f} ({name})" for name, figures in card.get("bleu", {}).items()]
    errors = [f"{rate:.2f} ({name})" for name, rate in card.get("aer", {}).items()]
    lines = []
    if bleu:
        lines.append(_("BLEU, higher is better: {figures}", figures=", ".join(bleu)))
    if errors:
        lines.append(_("Alignment error rate of the map shown, lower is better: {figures}", figures=", ".join(errors)))
    for name, rate in card.get("aer", {}).items():
        if name in _FAR_SETS:
            lines.append(_(_FAR_SETS[name]) + (_("; the model aligns it poorly") if rate > _POOR else ""))
    return lines
