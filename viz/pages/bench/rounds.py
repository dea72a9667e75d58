"""Decoding round by round: what the decoder is given, and what it writes."""

from __future__ import annotations

import math

import streamlit as st

from models.keys import mechanism_of
from models.trace import AttentionTrace
from viz.pages.bench.settings import ROUNDS_OF
from viz.pages.bench.wanted import Compared, name_of
from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.settings import choose


def show_rounds(ran: Compared) -> None:
    """Show the rounds of one mechanism as a table."""
    keys = {mechanism_of(key): key for key in ran.traces}
    with st.container(width=250):
        trace = ran.traces[keys[choose(ROUNDS_OF, {named: name_of(key) for named, key in keys.items()})]]
    source = " ".join(map(visible, trace.source.texts))
    st.caption(plain(_("The encoder reads once, before the first round: {tokens}", tokens=source)))
    st.dataframe(rounds_of(trace), hide_index=True)
    said = _("comes out: the likeliest token, which goes in at the next round")
    if trace.provenance.decoding == "forced":
        said = _("comes out: the token that was given; the next round reads it, even where another is likelier")
    goes_in = _(
        "goes in: all tokens so far, {begin} first. A Transformer reads all of them again; a recurrent network "
        "reads the last one, and its state keeps the others.",
        begin=visible(trace.target_input.texts[0]),
    )
    st.caption(plain(goes_in))
    st.caption(plain(said))


def rounds_of(trace: AttentionTrace) -> list[dict[str, str | int]]:
    """Return what went in and what came out at each round."""
    read = list(map(visible, trace.target_input.texts))
    return [
        {
            _("round"): number,
            _("goes in"): " ".join(read[:number]),
            _("comes out"): visible(step.text),
            _("probability"): "" if math.isnan(step.log_probability) else f"{step.probability:.1%}",
            _("other candidates"): ", ".join(
                f"{visible(text)} {share:.1%}" for text, share in step.alternatives if text != step.text
            ),
        }
        for number, step in enumerate(trace.steps, start=1)
    ]
