"""Streamlit's own words of a box that takes files, in the language of the interface."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.text.language import ENGLISH, _, current_language, mark
from viz.widgets.style import file_text

_WORDS = {
    "upload": mark("Choose a file"),
    "limit": mark("{size} at most"),
    "drop": mark("Drop the file here"),
    "several": mark("Drop the files here"),
    "kind": mark("A file of this kind ({kind}) is not taken."),
    "large": mark("The file is larger than {size}."),
    "another": mark("Choose another file"),
    "remove": mark("Remove {file}"),
}
"""What is said in place of Streamlit's words, by the names that the script gives those; still to be translated."""


def speak_box(key: str) -> None:
    """Let a box that takes files speak the language of the interface: Streamlit's own words are English.

    Parameters
    ----------
    key : str
        As `st.file_uploader` has got it.
    """
    if current_language() == ENGLISH:
        return
    script = file_text(Path(__file__).with_suffix(".js"))
    component = st.components.v2.component("attention_bench.upload", html="<div></div>", js=script)
    words = {name: _(message) for name, message in _WORDS.items()}
    component(key=f"{key}-words", data={"box": f".st-key-{key}", "words": words}, height=1)
