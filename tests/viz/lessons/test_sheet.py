"""The sheet that is handed in is one file that fetches nothing, and what a student wrote is text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from viz.lessons.sheet import Pin, SheetAnswer, sheet_of

HOSTILE = '<script>alert(1)</script> & "quoted"'
PIN = Pin(
    HOSTILE,
    b"<svg xmlns='http://www.w3.org/2000/svg'></svg>",
    'http://localhost/?sentence="><img>&lesson=milk.1',
    {"sentence": HOSTILE, "lesson": "milk.1"},
    ("bahdanau-en-fr · SHA-256 abc",),
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_sheet_holds_all_and_runs_and_fetches_nothing() -> None:
    answers = [SheetAnswer("Milk, step 1", "Which <b>?", HOSTILE, right=False)]
    page = sheet_of([(PIN, f"My remark {HOSTILE}")], answers, "Ann <x>")
    tags = Tags()
    tags.feed(page)
    assert {tag for tag, _attributes in tags.found}.isdisjoint({"script", "x", "link", "iframe"})
    sources = [attributes["src"] or "" for tag, attributes in tags.found if tag == "img"]
    assert [each[:26] for each in sources] == ["data:image/svg+xml;base64,"]
    links = [attributes["href"] for tag, attributes in tags.found if tag == "a"]
    assert links == [PIN.address]
    assert not re.search(r"url\(|@import", page)
    for text in ("Ann <x>", f"My remark {HOSTILE}", HOSTILE, "SHA-256 abc", "milk.1", "Which <b>?", "not right"):
        assert text in tags.text


@pytest.mark.parametrize(
    ("address", "is_link"),
    [
        ("https://bench.example/?sentence=x", True),
        ("HTTP://localhost:8501/", True),
        ("javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        (" javascript:alert(1)//https://x", False),
        ("data:text/html,<script>alert(1)</script>", False),
        ("vbscript:x", False),
        ("file:///etc/passwd", False),
        ("//elsewhere.example", False),
        ("https:javascript", False),
        ("", False),
    ],
)
def test_only_an_address_of_the_web_becomes_a_link(address: str, is_link: bool) -> None:
    tags = Tags()
    tags.feed(sheet_of([(replace(PIN, address=address), "")], []))
    assert [attributes["href"] for tag, attributes in tags.found if tag == "a"] == [address] * is_link
    assert address.strip() in tags.text
