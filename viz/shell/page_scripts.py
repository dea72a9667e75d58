"""Scripts that mend Streamlit's page; what each waits for in Streamlit is said beside its name."""

from __future__ import annotations

from pathlib import Path

from viz.canvas.bundle import bundled

HERE = Path(__file__).parent

HISTORY = HERE / "history.js"
"""One history entry for each thing that the reader does; until Streamlit makes one itself."""

TURNING = HERE / "turning.js"
"""Pages turned, Back and languages while a run is under way; until Streamlit's client queues them itself."""

SENDING = HERE / "sending.js"
"""The sentence sent without a pause where nobody waits; until ``live`` of ``st.text_input`` does so."""

CLICKER = HERE / "clicker.js"
"""Keys of clickers, and of who presents; until Streamlit has shortcuts for buttons that are drawn a moment later."""

ROVING = HERE / "roving.js"
"""Rows of links and buttons that are one stop of Tab each; until Streamlit has toolbars."""

NOTING = HERE / "noting.js"
"""Notes of marks and words, for mouse, keys and touch; until browsers show a title to all three."""

DARK = HERE / "dark.js"
"""Whether the page is dark, for style sheets; until its page says so as does ``st.context.theme``."""

WRAPPING = HERE / "wrapping.js"
"""A twin of the sentence's box that wraps on a phone; until ``st.text_area`` has ``live``, as ``st.text_input``."""


def first_script() -> str:
    """Return the script that runs before Streamlit's own: it hears of the browser's Back before Streamlit does."""
    return _script(HISTORY, TURNING, SENDING, CLICKER, ROVING, NOTING)


def page_script() -> str:
    """Return the script in a page, which needs what Streamlit has drawn."""
    return _script(DARK, WRAPPING)


def _script(*paths: Path) -> str:
    return "\n" + "".join(map(bundled, paths))
