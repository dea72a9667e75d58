"""Prediction exercise: the reader marks a row, then the model's is revealed beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import streamlit as st

from viz.canvas.parts import parts_of
from viz.measures.agreement import agreement, expected_row
from viz.rooms.room import RoomQuestion
from viz.server.scripts import script_of
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.views.view import View
from viz.widgets import session
from viz.widgets.expected import ExpectedRow, expect, prediction_of
from viz.widgets.room.asking import AskedInRoom, asked, key_of
from viz.widgets.room.class_picture import show_class

AGREEMENT = {
    "share": mark("Agreement {share}"),
    "more": mark("“{word}” gets {difference} more than you expected."),
    "less": mark("“{word}” gets {difference} less than you expected."),
    "gap": mark("The widest gap: {gap}"),
    "means": mark(
        "Agreement: the attention weight that both rows share. For each word take the smaller weight, then sum. 1: "
        "the same row; 0: no word in common."
    ),
}
"""What is said of an expected row beside the model's; still to be translated."""

LONGEST_ROW = 400
"""Words of a row that is drawn at most."""


def predict(view: View, row: int, *, identity: Hashable, key: str, code: str = "", title: str = "") -> bool:
    """Let the reader draw a row, and show the model's beside it once it is asked for; return whether it is.

    In a room the class draws together: each sends their row, and the teacher asks for the model's.
    """
    words = tuple(visible(text) for text in view.shown.key_tokens.texts)
    weights = tuple(round(float(each), 4) for each in view.weights[row])
    together = asked(RoomQuestion(key_of(identity), title or view.query_title, words, model=weights))
    now = _drawn(identity, key, words, together)
    found = agreement(expected_row(now.heights), view.weights[row]) if now.revealed and now.heights else None
    if together is not None and now.revealed:
        show_class(together, code)
    if together is None or found or not now.revealed:
        revealed = view.weights[row] if found else ()
        _draw(canvas_data(view, code, now.heights, revealed, found.gap if found else None), key)
    if not now.revealed:
        _ask(identity, now, key, together, lambda: _drawn(identity, key, words, together).heights)
        return False
    if found:
        _say(words, found.share, found.gap, found.difference)
    if together is not None:
        together.offer_again(key)
    else:
        st.button(
            _("Predict again"),
            icon=":material/replay:",
            key=f"again-{key}",
            on_click=expect,
            args=(identity, ExpectedRow()),
        )
    return True


def canvas_data(
    view: View, code: str = "", heights: Sequence[float] = (), weights: Sequence[float] = (), gap: int | None = None
) -> dict[str, Any]:
    """Return what the canvas of an expected row shows, as JSON can hold it."""
    return {
        "words": [visible(text) for text in view.shown.key_tokens.texts],
        "code": code,
        "heights": list(heights),
        "model": [round(float(each), 4) for each in weights] or None,
        "gap": gap,
        "says": {
            "group": _("The row you expect"),
            "model": _("the model"),
            "keys": _(
                "Click a word you expect the model to attend to; drag up to set its weight. Keyboard: Tab, then "
                "Space or the arrow keys."
            ),
            "beside": _("Left: what you expect. Right: the model's weights. Dashed: the widest gap."),
        },
    }


def _draw(data: dict[str, Any], key: str) -> None:
    """Show the row to draw in, or once the model's is revealed both rows."""
    html, style, _script = parts_of("prediction")
    component = st.components.v2.component(
        "attention_bench.prediction", html=html, css=style, js=script_of("prediction")
    )
    component(key=f"prediction-{key}", data=data, on_heights_change=lambda: None)


def _drawn(identity: Hashable, key: str, words: tuple[str, ...], together: AskedInRoom | None) -> ExpectedRow:
    """Return what is expected, with what the browser has just told; anything else that it tells is left out."""
    now = prediction_of(identity)
    if together is not None:
        now = ExpectedRow(now.heights or together.sent or (), together.question.revealed)
        expect(identity, now)
    state: Any = session.reported(f"prediction-{key}") or {}
    told = state.get("heights")
    if now.revealed or not isinstance(told, list) or not len(told) == len(words) <= LONGEST_ROW:
        return now
    if all(isinstance(each, int | float) and 0 <= each <= 1 for each in told):
        now = ExpectedRow(tuple(float(each) for each in told))
        expect(identity, now)
    return now


def _ask(
    identity: Hashable,
    now: ExpectedRow,
    key: str,
    together: AskedInRoom | None,
    newest: Callable[[], tuple[float, ...]],
) -> None:
    if together is not None:
        together.offer(newest, key)
        return
    st.button(
        _("Reveal"),
        type="primary",
        icon=":material/visibility:",
        key=f"reveal-{key}",
        disabled=not sum(now.heights) > 0,
        on_click=expect,
        args=(identity, ExpectedRow(now.heights, revealed=True)),
    )


def _say(words: tuple[str, ...], share: float, gap: int, difference: float) -> None:
    said, apart, gaps, means = (
        AGREEMENT[each] for each in ("share", "more" if difference > 0 else "less", "gap", "means")
    )
    st.markdown("**" + _(said, share=f"{share:.2f}") + "**")
    widest = _(apart, word=words[gap], difference=f"{abs(difference):.2f}")
    st.markdown(plain(_(gaps, gap=widest)))
    st.caption(_(means))
