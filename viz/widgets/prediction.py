"""Predict, then reveal: the reader says which words a row will read; only then the model's row stands beside theirs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz.canvas.parts import parts_of
from viz.measures.agreement import agreement, expected_row
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.views.view import View
from viz.widgets import session

_STATE, _HIDDEN = "predictions", "predictions-hidden"
AGREEMENT = {
    "share": mark("Agreement {share}"),
    "more": mark("“{word}” gets {difference} more than you expected."),
    "less": mark("“{word}” gets {difference} less than you expected."),
    "gap": mark("The widest gap: {gap}"),
    "means": mark(
        "Agreement: the share of the reading that both rows have in common, the smaller of both weights summed "
        "over the words. 1: the same row; 0: no word in common."
    ),
}
"""What is said of an expected row beside the model's; still to be translated."""

LONGEST_ROW = 400
"""Words of a row that is drawn at most."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was expected of a row.

    Parameters
    ----------
    heights : tuple of float
        As drawn, a word each.
    revealed : bool
        Whether the model's row has been looked at.
    """

    heights: tuple[float, ...] = ()
    revealed: bool = False


def prediction_of(identity: Hashable) -> Prediction:
    """Return what the reader expects of a row.

    Parameters
    ----------
    identity : hashable
        Which row of which model on which sentence.
    """
    found: Prediction = session.recall(_STATE, {}).get(identity, Prediction())
    return found


def row_identity(view: View, row: int) -> Hashable:
    """Return what a prediction of a row is kept under.

    Parameters
    ----------
    view : View
    row : int
        Of the map.
    """
    trace = view.trace
    return (trace.provenance.sha256, trace.source.ids, trace.target.ids, view.shown.site, view.head, view.unit, row)


def hide_until(identity: Hashable | None) -> None:
    """Let pages keep their maps hidden until a row is revealed; None lets them show all.

    Parameters
    ----------
    identity : hashable or None
        As `predict` takes it.
    """
    session.keep(_HIDDEN, identity)


def is_hidden() -> bool:
    """Return whether maps are to be hidden: a lesson asks what will be read."""
    identity = session.recall(_HIDDEN)
    return identity is not None and not prediction_of(identity).revealed


def predict(view: View, row: int, *, identity: Hashable, key: str, code: str = "") -> bool:
    """Let the reader draw a row, and show the model's beside it once it is asked for; return whether it is.

    Parameters
    ----------
    view : View
    row : int
        Of the map.
    identity : hashable
        Which row of which model on which sentence: what is drawn is kept under it.
    key : str
        Names the picture on its page.
    code : str, optional
        The language of the sentence.
    """
    words = [visible(text) for text in view.shown.key_tokens.texts]
    now = _drawn(identity, key, len(words))
    weights = view.weights[row]
    found = agreement(expected_row(now.heights), weights) if now.revealed else None
    data = canvas_data(view, code, now.heights, weights if found else (), found.gap if found else None)
    html, style, script = parts_of("prediction")
    component = st.components.v2.component("attention_bench.prediction", html=html, css=style, js=script)
    component(key=f"prediction-{key}", data=data, on_heights_change=lambda: None)
    if found is None:
        _ask(identity, now, key)
        return False
    _say(words, found.share, found.gap, found.difference)
    st.button(
        _("Predict again"), icon=":material/replay:", key=f"again-{key}", on_click=_put, args=(identity, Prediction())
    )
    return True


def canvas_data(
    view: View, code: str = "", heights: Sequence[float] = (), weights: Sequence[float] = (), gap: int | None = None
) -> dict[str, Any]:
    """Return what the canvas of an expected row shows, as JSON can hold it.

    Parameters
    ----------
    view : View
        Whose keys are its words.
    code : str, optional
        The language of the sentence.
    heights : sequence of float, optional
        What is drawn, a word each.
    weights : sequence of float, optional
        The model's row, once it is revealed.
    gap : int, optional
        The word at which both are furthest apart.
    """
    return {
        "words": [visible(text) for text in view.shown.key_tokens.texts],
        "code": code,
        "heights": list(heights),
        "model": [round(float(each), 4) for each in weights] or None,
        "gap": gap,
        "says": {
            "group": _("The row that you expect"),
            "model": _("the model"),
            "keys": _(
                "Click a word that you expect to be read; drag upwards for its share. "
                "With the keyboard: Tab, then Space or the arrow keys."
            ),
            "beside": _("Left: what you expect. Right: what the model reads. Dashed: the widest gap."),
        },
    }


def _drawn(identity: Hashable, key: str, count: int) -> Prediction:
    """Return what is expected, with what the browser has just told; anything else that it tells is left out."""
    now = prediction_of(identity)
    state: Any = session.reported(f"prediction-{key}") or {}
    told = state.get("heights")
    if now.revealed or not isinstance(told, list) or not len(told) == count <= LONGEST_ROW:
        return now
    if all(isinstance(each, int | float) and 0 <= each <= 1 for each in told):
        now = Prediction(tuple(float(each) for each in told))
        _put(identity, now)
    return now


def _put(identity: Hashable, prediction: Prediction) -> None:
    session.keep(_STATE, session.recall(_STATE, {}) | {identity: prediction})


def _ask(identity: Hashable, now: Prediction, key: str) -> None:
    drawn = sum(now.heights) > 0
    st.button(
        _("Reveal"),
        type="primary",
        icon=":material/visibility:",
        key=f"reveal-{key}",
        disabled=not drawn,
        on_click=_put,
        args=(identity, Prediction(now.heights, revealed=True)),
    )


def _say(words: list[str], share: float, gap: int, difference: float) -> None:
    said, apart, gaps, means = (
        AGREEMENT[each] for each in ("share", "more" if difference > 0 else "less", "gap", "means")
    )
    st.markdown("**" + _(said, share=f"{share:.2f}") + "**")
    widest = _(apart, word=words[gap], difference=f"{abs(difference):.2f}")
    st.markdown(plain(_(gaps, gap=widest)))
    st.caption(_(means))
