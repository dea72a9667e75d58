"""Links set by hand as data, and as text for the page's link."""

from __future__ import annotations

import re
from dataclasses import dataclass

from models.experiments.links import Link
from viz.widgets.settings import Found

MOST_WORDS = 40
"""Words of a text that is aligned by hand: a grid of more is nothing to click in."""

_LINK = re.compile(r"(\d{1,2})([-?])(\d{1,2})")


@dataclass(frozen=True, slots=True)
class HandLinks:
    """What a reader aligned."""

    sure: frozenset[Link] = frozenset()  # each link in one of them
    possible: frozenset[Link] = frozenset()  # each link in one of them


def read_links(text: str, words: tuple[int, int] = (MOST_WORDS, MOST_WORDS)) -> Found:
    """Return the links that a text such as ``0-0 1?2`` says; what is no link between these words is named."""
    kinds: dict[Link, str] = {}
    unknown = []
    for each in text.split():
        found = _LINK.fullmatch(each)
        if found and int(found[1]) < words[0] and int(found[3]) < words[1]:
            kinds[int(found[1]), int(found[3])] = found[2]
        else:
            unknown.append(each)
    sure, possible = (frozenset(link for link, kind in kinds.items() if kind == sign) for sign in "-?")
    return Found(HandLinks(sure, possible), " ".join(unknown) or None)


def show_links(links: HandLinks) -> str:
    """Return links as they stand in the address bar."""
    signed = [(link, "-") for link in links.sure] + [(link, "?") for link in links.possible]
    return " ".join(f"{source}{sign}{target}" for (source, target), sign in sorted(signed))
