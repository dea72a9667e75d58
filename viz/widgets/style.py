"""Style sheets and page scripts beyond Streamlit's theme."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path

import streamlit as st

from viz.canvas.bundle import bundled
from viz.text.files import file_text
from viz.text.language import _

HERE = Path(__file__).parent


def apply_style(*sheets: Path) -> None:
    """Put the style sheets on the page and the app's name into its header."""
    icon = b64encode(file_text(HERE.parent / "icon.svg").encode()).decode()
    picture = f'<img src="data:image/svg+xml;base64,{icon}" alt="">'
    header = '<h1 class="bench-title">' + picture + escape(_("Attention Bench")) + "</h1>"
    script = f"<script>{page_script()}</script>"
    st.html(f"{style_sheet(HERE / 'style.css')}{header}{script}", unsafe_allow_javascript=True)
    for sheet in sheets:
        st.html(style_sheet(sheet))


def first_script() -> str:
    """Return the script that runs before Streamlit's own: what hears of the browser's Back before Streamlit does."""
    return _script("history.js", "turning.js")


def page_script() -> str:
    """Return the script that stands in a page, and needs what Streamlit has drawn."""
    return _script("dark.js", "wrapping.js")


def _script(*names: str) -> str:
    return "\n" + "".join(bundled(HERE / name) for name in names)


def style_sheet(path: Path) -> str:
    """Return the style sheet of a file as HTML."""
    return f"\n<style>\n{file_text(path)}</style>\n"
