"""Previous, Play and Next for a setting whose choices have an order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from viz.canvas.bundle import bundled
from viz.text.files import file_text
from viz.text.language import _
from viz.widgets.session import reported
from viz.widgets.settings import Choice, link, unknown

_HTML = f'<div class="player">{3 * "<button type=button></button>"}</div>'
_FILE = Path(__file__).with_suffix(".js")


def show_player(setting: Choice, codes: Sequence[str], value: str, *, default: str) -> None:
    """Show the buttons that turn from one of `codes` to the next; `value` is the one that is shown."""
    key = f"{setting.name}-player"
    mount = st.components.v2.component(
        "attention_bench.player", html=_HTML, css=file_text(_FILE.with_suffix(".css")), js=bundled(_FILE)
    )
    words = {"previous": _("Previous"), "play": _("Play"), "pause": _("Pause"), "next": _("Next")}
    told = {"at": codes.index(value) + 1, "count": len(codes), "words": words}
    mount(key=key, data=told, on_turned_change=lambda: _turn(key, setting, codes, default))


def _turn(key: str, setting: Choice, codes: Sequence[str], default: str) -> None:
    state: Any = reported(key)
    place = state.get("turned") if state else None
    if type(place) is int and 1 <= place <= len(codes):
        unknown.forget()
        link.store(setting.name, setting.write(codes[place - 1], default))
