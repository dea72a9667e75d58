"""Style sheets and page scripts beyond Streamlit's theme."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path

import streamlit as st

from viz.shell.page_scripts import page_script
from viz.shell.selectors import with_selectors
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


def style_sheet(path: Path) -> str:
    """Return the style sheet of a file as HTML."""
    return f"\n<style>\n{with_selectors(file_text(path))}</style>\n"
