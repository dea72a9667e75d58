"""The card of a mechanism: its name, its formula, what it made of the sentence, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from models.trace import AttentionTrace
from viz.language import _
from viz.style import plain

if TYPE_CHECKING:
    from models.registry import Entry


def mechanism_card(entry: Entry, trace: AttentionTrace) -> None:
    """Show the card of one mechanism.

    Parameters
    ----------
    entry : Entry
        The mechanism with its checkpoint.
    trace : AttentionTrace
        What it did with the sentence.
    """
    mechanism, language = entry.mechanism, entry.pair.rpartition("-")[2]
    text = escape(trace.output_text) if trace.output_text.strip() else f"<em>{escape(_('nothing written'))}</em>"
    with st.container(border=True, height="stretch", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            title = f'{escape(_(mechanism.title))} <span class="bench-year">{mechanism.year}</span>'
            st.html(f'<h2 class="bench-name">{title}</h2>')
            with st.popover(_("About"), type="tertiary"):
                _about(entry)
        st.latex(mechanism.formula)
        st.html(f'<p class="bench-translation" lang="{escape(language)}">{text}</p>')


def _about(entry: Entry) -> None:
    mechanism, card = entry.mechanism, entry.card
    st.markdown(_("**Paper:** {paper}; {equation}", paper=plain(mechanism.paper), equation=plain(mechanism.equation)))
    _bullets(_("Where this model differs from it"), [_(departure) for departure in mechanism.departures])
    _bullets(
        _("Trained on"), [f"{each['name']} ({each['licence']}): {each['credit']}" for each in card.get("data", ())]
    )
    _bullets(_("Measured on sentences that it has not seen"), measured(card))
    st.caption(plain(_("Weights {key}, SHA-256 {hash}…", key=entry.key, hash=entry.sha256[:12])))


def _bullets(heading: str, lines: Sequence[str]) -> None:
    if lines:
        st.markdown(f"**{heading}**\n" + "".join(f"\n- {plain(line)}" for line in lines))


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
    return lines
