"""Translations of Streamlit's own interface texts: of boxes for files, menus, tools.

A setting of Streamlit for its interface language would replace this file.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from viz.canvas.bundle import bundled
from viz.text.language import ENGLISH, _, current_language, mark

_WORDS = {
    "upload": mark("Choose a file"),
    "limit": mark("{size} at most"),
    "drop": mark("Drop the file here"),
    "several": mark("Drop the files here"),
    "kind": mark("Files of this kind ({kind}) are not accepted."),
    "large": mark("The file is larger than {size}."),
    "another": mark("Choose another file"),
    "remove": mark("Remove {file}"),
    "pages": mark("Pages"),
    "menu": mark("Menu"),
    "theme": mark("Light or dark"),
    "system": mark("as the device"),
    "light": mark("light"),
    "dark": mark("dark"),
    "rerun": mark("Run again"),
    "print": mark("Print"),
    "record": mark("Record the screen"),
    "sidebar": mark("Pages, at the side"),
    "expand": mark("Show the pages"),
    "collapse": mark("Hide the pages"),
    "open": mark("Open the list"),
    "close": mark("Close it"),
    "choose": mark("Choose"),
    "search": mark("Search"),
    "full": mark("Full screen"),
    "leave": mark("Leave full screen"),
    "row": mark("Add a row"),
    "columns": mark("Show or hide columns"),
    "csv": mark("Download as CSV"),
    "files": mark("Choose a file"),
    "stop": mark("Stop"),
    "running": mark("Running"),
    "skip": mark("Skip to the page"),
    "dismiss": mark("Close it"),
    "one": mark("Choices: {count}"),
    "available": mark("Choices: {count}"),
    "nothing": mark("No matching option"),
    "copy": mark("Copy"),
    "version": mark("Copy the version"),
    "made": mark("Made with Streamlit, version"),
    "reveal": mark("Show what is typed"),
    "conceal": mark("Hide what is typed"),
    "png": mark("Download as PNG"),
    "rising": mark("Sort, smallest first"),
    "falling": mark("Sort, largest first"),
    "format": mark("Number format"),
    "fit": mark("Fit the width"),
    "pin": mark("Pin the column"),
    "unpin": mark("Unpin the column"),
    "hide": mark("Hide the column"),
    "enter": mark("Enter: apply"),
    "submit": mark("Enter: submit"),
    "control": mark("Ctrl+Enter: apply"),
    "command": mark("⌘+Enter: apply"),
    "connecting": mark("Connecting"),
    "lost": mark("The connection is lost"),
    "silent": mark("The server does not answer."),
    "stopped": mark("The server does not answer."),
    "error": mark("Unexpected error: see the server's log."),
}
"""What is said in place of Streamlit's words, by the names that the script gives those; still to be translated."""


def speak() -> None:
    """Let what Streamlit says by itself be said in the language of the interface, on the whole page."""
    if current_language() == ENGLISH:
        return
    script = bundled(Path(__file__).with_suffix(".js"))
    component = st.components.v2.component("attention_bench.own_words", html="<div></div>", js=script)
    words = {name: _(message) for name, message in _WORDS.items()}
    component(key="own-words", data={"language": current_language()} | words, height=1)
