"""One line on a first visit that says what the app is: gone with the first touch, and never shown again."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.canvas.bundle import bundled
from viz.text.files import file_text
from viz.text.language import _
from viz.widgets.session import kept
from viz.widgets.settings import address

_FILE = Path(__file__).with_suffix(".js")
_COOKIE = "attention-bench-visited"
_OTHERS = ("edits", "lesson", "mechanisms", "present", "room")
"""Settings of a link that shows something else."""


def greet(page: str, said: str) -> None:
    """Say under the header of `page` what it is, to one whose browser is new here and whose visit begins there."""
    is_first = kept("greeted", "", lambda: page) == page and not st.context.cookies.get(_COOKIE)
    if not said or not is_first or st.context.is_embedded or any(map(address.asked, _OTHERS)):
        return
    mount = st.components.v2.component(
        "attention_bench.greeting", html="<p></p>", css=file_text(_FILE.with_suffix(".css")), js=bundled(_FILE)
    )
    with st.container(key="greeting"):
        mount(key="greeting-line", data={"cookie": _COOKIE, "text": _(said)})
