"""Each of Streamlit's words that is said in another language is still one of the installed Streamlit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.elements import exception

from tests.support.bundle import bundle
from viz.shell import own_words
from viz.text.files import file_text

SCRIPT = file_text(Path(own_words.__file__).with_suffix(".js"))
SAID = dict(re.findall(r'^  (\w+): "(.*)",$', SCRIPT, flags=re.MULTILINE))
ASSEMBLED = {
    "one": ("} option`", "} available."),
    "available": ("} options`", "} available."),
    "enter": ("Press Enter to ${", "`apply`"),
    "submit": ("Press Enter to ${", "`submit form`"),
    "control": ("`Press ${", "`Ctrl`", "+Enter to ${", "`apply`"),
    "command": ("`Press ${", "`⌘`", "+Enter to ${", "`apply`"),
}
"""Words of which Streamlit's scripts hold the parts alone."""


def test_each_word_has_one_in_its_place() -> None:
    assert set(SAID) == set(own_words._WORDS)


@pytest.mark.parametrize("name", SAID)
def test_streamlit_still_says_it(name: str) -> None:
    said = bundle() + Path(exception.__file__).read_text(encoding="utf8")
    parts = ASSEMBLED.get(name, [each.strip() for each in re.split(r"\{\w+\}", SAID[name]) if each.strip()])
    assert parts
    assert [part for part in parts if part not in said] == []


def test_the_boxes_in_which_words_are_looked_for_are_there() -> None:
    names = {*re.findall(r"\bst[A-Z]\w+", SCRIPT), "InputInstructions", "data-live-announcer"}
    assert {name for name in names if name not in bundle()} == set()
