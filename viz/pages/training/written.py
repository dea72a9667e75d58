"""Free translation of each model at the chosen point, with its loss and alignment error."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import streamlit as st

from models.trace import AttentionTrace
from viz.text.language import _
from viz.widgets.translation import tinted


def show_written(
    own: Mapping[str, AttentionTrace], titles: Mapping[str, str], numbers: Mapping[str, tuple[float, float]]
) -> None:
    """Show a table, a row a model."""
    heads = _("model"), _("free translation"), _("held-out loss"), _("alignment error")
    rows = []
    for key, trace in own.items():
        loss, error = numbers[key]
        cells = f"<b>{escape(titles[key])}</b>", f'<bdi lang="fr">{tinted(trace)}</bdi>', f"{loss:.2f}", f"{error:.2f}"
        named = zip(("", "", heads[2], heads[3]), cells, strict=True)
        rows.append("".join(f'<td data-name="{escape(name)}">{cell}</td>' for name, cell in named))
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    st.html(f'<div class="at-point"><table><tr>{head}</tr>{body}</table></div>')
    st.caption(_("Darker orange: the model was less sure of this word."))
