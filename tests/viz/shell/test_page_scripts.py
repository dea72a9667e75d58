"""The installed Streamlit has what the scripts of the page look for; what they do is tried in a browser."""

from __future__ import annotations

import re

import pytest

from tests.support.bundle import bundle
from viz.shell.page_scripts import CLICKER, DARK, HERE, HISTORY, NOTING, ROVING, SENDING, TURNING, WRAPPING
from viz.text.files import file_text

PARTS = re.compile(r"\bst[A-Z]\w+|data-test[\w-]*")
ASSUMED = {
    HISTORY: ("pushState", "replaceState", "popstate"),
    TURNING: ("Bad delta path", "rerunRequested", "running", "popstate", "pushState", "replaceState"),
    SENDING: ("rerunRequested", "running", "Enter"),
    CLICKER: (),
    ROVING: ("aria-current",),
    NOTING: ("attachShadow",),  # parts of the page in trees of their own
    DARK: (),
    WRAPPING: ("stTextInput", "getAttribute"),
}


def test_every_script_is_tried() -> None:
    assert {*ASSUMED, HERE / "own_words.js"} == set(HERE.glob("*.js"))


@pytest.mark.parametrize("script", ASSUMED, ids=lambda path: path.stem)
def test_what_a_script_looks_for_is_in_the_installed_streamlit(script: object) -> None:
    text = file_text(script)  # type: ignore[arg-type]
    names = {*PARTS.findall(text), *ASSUMED[script]}  # type: ignore[index]
    assert names
    assert {name for name in names if name not in bundle()} == set()
