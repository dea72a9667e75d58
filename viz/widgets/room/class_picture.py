"""Heatmap of the class's answers beside the model's row."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from viz.rooms.room import RoomQuestion
from viz.rooms.tally import Tally
from viz.text.language import _, _n
from viz.widgets.room.asking import AskedInRoom
from viz.widgets.style import style_sheet

_STYLE = Path(__file__).parent / "class.css"


def show_class(together: AskedInRoom, code: str = "") -> None:
    """Show what a class answered."""
    tally, question = together.tally(), together.question
    if tally.count == 0:
        st.caption(_("No answers yet."))
        return
    st.html(style_sheet(_STYLE) + class_picture(question, tally, code))


def class_picture(question: RoomQuestion, tally: Tally, code: str = "") -> str:
    """Return what a class answered as HTML, every word escaped."""
    model = question.model if len(question.model) == len(question.words) else ()
    columns = "".join(
        _column(word, share, model[place] if model else None, place == question.right and question.is_choice)
        for place, (word, share) in enumerate(zip(question.words, tally.shares, strict=True))
    )
    counted = _n("{count} answer", "{count} answers", tally.count)
    if question.is_choice:
        says = _("The share of the class that chose each answer; darker is more.")
        if question.right >= 0:
            says += " " + _("The right one is marked with a line.")
    else:
        says = _(
            "Each column is a word (key). Upper cell: what the class expects, the mean of all rows sent. Lower "
            "cell, framed: the model's attention weight. Darker is more."
        )
    kind = "choices" if question.is_choice else "words"
    title = _("The class") if question.is_choice else _("The class and the model")
    return (
        f'<figure class="class-picture {kind}"><figcaption><b>{escape(title)}</b> · {escape(counted)}</figcaption>'
        f'<ul lang="{escape(code, quote=True)}">{columns}</ul><p>{escape(says)}</p></figure>'
    )


def _column(word: str, share: float, model: float | None, is_right: bool) -> str:
    """Return a word or choice with its cells; both numbers are read out with it."""
    cells = f'<b>{share:.2f}</b><i style="--share:{share:.3f}"></i>'
    if model is not None:
        cells += f'<i class="model" style="--share:{model:.3f}"></i><b class="model">{model:.2f}</b>'
    right = ' class="right"' if is_right else ""
    return f'<li{right}>{cells}<span dir="auto">{escape(word)}</span></li>'
