"""Text of a visitor is no markup: neither marks nor addresses become anything else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.text.markup import plain

ADDRESS = re.compile(r"(?i)(https?://|www(?=\.))([-.\w]+)|([-.\w+]+)@([-\w]+(\.[-\w]+)+)")
"""What mdast-util-gfm-autolink-literal looks for in text whose backslashes are gone."""


def read(markdown: str) -> str:
    """Return the text that Markdown sees: each backslash before a mark taken away."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


@pytest.mark.parametrize(
    "text",
    ["http://a.b", "see HTTPS://evil.example/x", "www.evil.example", "WWW.a.b", "me@evil.example", "mailto:a@b.c"],
)
def test_an_address_is_no_link(text: str) -> None:
    assert ADDRESS.search(text)
    assert not ADDRESS.search(read(plain(text)))
    assert read(plain(text)).replace("\u2060", "") == text


@given(st.lists(st.sampled_from(["http", "s", "://", "www", ".", "@", "a", "b.c", " ", "\\", "*", "WwW", "猫"])))
def test_nothing_of_it_is_an_address_and_nothing_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    assert not ADDRESS.search(read(plain(text)))
    assert read(plain(text)).replace("\u2060", "") == text


def test_words_stay_as_they_are() -> None:
    assert plain("the http world, wwwhat") == "the http world\\, wwwhat"
