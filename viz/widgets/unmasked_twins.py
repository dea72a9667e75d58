"""What training without the causal mask does: two small GPTs side by side, forced and alone."""

from __future__ import annotations

import streamlit as st

from models.readers.unmasked_table import unmasked_table
from viz.text.language import _
from viz.text.markup import plain


def show_twins() -> None:
    """Show the figures of both, where they were measured."""
    table = unmasked_table()
    if table is None:
        return
    both = (table.masked, table.unmasked)
    rows = [
        ("", _("trained with the mask"), _("trained without it")),
        (
            _("next token right, the whole sentence given (forced)"),
            *(_figures(each.forced_right, each.forced_perplexity) for each in both),
        ),
        (
            _("next token right, only earlier tokens given (alone)"),
            *(_figures(each.alone_right, each.alone_perplexity) for each in both),
        ),
        (_("continuation of “{prompt}”", prompt=table.prompt), *(f"“{each.example.strip()}”" for each in both)),
        (
            _("perplexity of continuations, by the small GPT of Heads (true ones: {own})", own=table.text_perplexity),
            *(f"{each.written_perplexity:,.1f}" for each in both),
        ),
    ]
    lines = [f"| {' | '.join(plain(cell) for cell in row)} |" for row in rows]
    st.subheader(_("Trained without the mask"), anchor=False)
    st.markdown("\n".join([lines[0], "| --- | --- | --- |", *lines[1:]]))
    st.caption(
        _(
            "Two small GPTs ({layers} layers, {tokens:,} training tokens), one seed, same data: only the mask differs. "
            "Measured on {count} held-out sentences. Without the mask the next token is among the keys while training, "
            "so that model learns to copy it. Alone, nothing is there to copy. It learned to predict only at the end "
            "of each piece of training text, where no next token is given.",
            layers=table.layers,
            tokens=table.tokens,
            count=table.sentences,
        )
    )


def _figures(right: float, perplexity: float) -> str:
    return _("{right} (perplexity {perplexity})", right=f"{right:.1%}", perplexity=f"{perplexity:,.1f}")
