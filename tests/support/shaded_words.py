"""Shaded text as a browser reads it."""

from __future__ import annotations

from html.parser import HTMLParser


class Words(HTMLParser):
    """Reads what a browser would: the words with their attributes, and every tag."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[dict[str, str]] = []
        self.tags: set[str] = set()
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.inside = self.inside or tag == "li"
        if tag == "li":
            self.words.append({"text": "", **{name: value or "" for name, value in attrs}})

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "li"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.words[-1]["text"] += data
