"""Effect of an edit on a one-stack model: change of final vectors, and predictions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from models.trace import AttentionTrace
from viz.figures.drawing.theme import text_on, weight_colour
from viz.text.counting import numbered
from viz.text.language import _
from viz.text.markup import noted
from viz.text.tokens import visible
from viz.widgets.edits.translation_consequence import show_line
from viz.widgets.fold import unfolded

DEEPEST = 0.5
"""1 - cosine that has the deepest tint."""


def show_vector_consequence(before: AttentionTrace, after: AttentionTrace) -> None:
    """Show in a line 1 - cosine of the final vectors of each token before and after."""
    changes = _changes(before, after)
    if changes is None:
        st.info(_("This model has no final vectors to compare."))
        return
    said = _(
        "1 - cosine to the vector before; 0: unchanged. Mean {mean}, largest {most}. Darkest colour: {deepest} or "
        "more.",
        mean=f"{changes.mean():.4f}",
        most=f"{changes.max():.4f}",
        deepest=DEEPEST,
    )
    show_line(_("The final vector of each token:"), _tinted(before, changes), said)


def _changes(before: AttentionTrace, after: AttentionTrace) -> np.ndarray | None:
    """Return how far the final vector of each token turned; None of a model that gives none."""
    from models.experiments.sweeps import turned

    if before.vectors is None or after.vectors is None:
        return None
    return turned(before.vectors, after.vectors)


def show_vector_numbers(before: AttentionTrace, after: AttentionTrace) -> None:
    """Show how far each vector turned in a fold, and the tables of what is predicted."""
    changes = _changes(before, after)
    if changes is None:
        return
    fold = unfolded(_("Each token in numbers"), "numbers-of-tokens")
    if fold is not None:
        names = numbered(before.source.texts)
        rows = [{_("token"): name, _("1 - cosine"): float(change)} for name, change in zip(names, changes, strict=True)]
        fold.dataframe(
            rows, hide_index=True, column_config={_("1 - cosine"): st.column_config.NumberColumn(format="%.5f")}
        )
    if before.predictions:
        _show_predictions(before, after)


def _tinted(trace: AttentionTrace, changes: np.ndarray) -> str:
    shown = []
    for number, (text, change) in enumerate(zip(trace.source.texts, changes, strict=True)):
        background = weight_colour(float(np.clip(change / DEEPEST, 0, 1)), "linear")
        says = _("“{token}”: 1 - cosine {change}", token=visible(text), change=f"{change:.5f}")
        style = f"background: {background}; color: {text_on(background)}"
        space = " " if number and (text[:1].isspace() or not text.startswith("##")) else ""
        shown.append(space + noted(visible(text.strip() or text), says, style))
    return "".join(shown)


def _show_predictions(before: AttentionTrace, after: AttentionTrace) -> None:
    """Show what the model predicted and predicts: at each mask, or after the last token."""
    pairs = list(zip(before.predictions, after.predictions, strict=True))
    for was, now in pairs if len(pairs) <= 3 else pairs[-1:]:
        token = visible(before.source.texts[was.position])
        st.markdown("**" + _("Predicted at “{token}”", token=token) + "**")
        columns = st.columns(2)
        for column, title, each in ((columns[0], _("before"), was), (columns[1], _("now"), now)):
            column.caption(title)
            rows = [{_("token"): visible(text), _("probability"): round(share, 4)} for text, share in each.alternatives]
            column.dataframe(rows, hide_index=True)
