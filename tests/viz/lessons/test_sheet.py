"""The sheet that is handed in is one file that fetches nothing, and what a student wrote is text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from viz.lessons.sheet import Answer, Pin, sheet_of

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
    answers = [Answer("Milk, step 1", "Which <b>?", HOSTILE, right=False)]
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
