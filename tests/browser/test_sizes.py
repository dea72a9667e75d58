"""Positions and sizes that a class needs, in pixels: one table for all pages."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, le

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import settle

HEIGHTS = {390: 844, 1024: 768, 1280: 720, 1920: 1080}
WHOLE = {
    "": ".alignment .cells",
    "heads": ".overview .stage canvas",
    "steps": ".walk svg",
    "surgery": ".comparison .stage canvas",
    "why": ".drawings svg",
    "training": ".alignment .cells",
    "lessons": ".st-key-lessons-lesson",
}
"""What each page shows when it is whole."""

ELEMENTS = """
const all = (css, root = document) => [...root.querySelectorAll("*")].flatMap((each) =>
    [...(each.matches(css) ? [each] : []), ...(each.shadowRoot ? all(css, each.shadowRoot) : [])]);
const seen = (css) => all(css).filter((each) => each.checkVisibility({ visibilityProperty: true })
    && getComputedStyle(each).clipPath === "none" && each.getBoundingClientRect().width > 3);
const cut = (css) => seen(css).filter((each) => each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).overflowX !== "visible").map((each) => each.textContent || each.value);
"""
"""Elements of the page and of its shadow roots; those that are seen; the texts of those that are cut."""

MEASURES = {
    "top of the first map": "seen(whole)[0].getBoundingClientRect().top",
    "cut": "cut('button, label, p, h1, h2, h3, span, .st-key-timeline')",
    "cut labels of heads": "cut('.names .label')",
    "years out of order": """seen(".st-key-timeline button p small").map((each) => parseInt(each.textContent))
        .filter((year, place, years) => place && year < years[place - 1])""",
    "axis words": """[...seen(".corner .axis, .legend .note").map((each) => each.textContent),
        ...seen(".stage").flatMap((each) => each.texts ?? [])].join(" ").match(/query|key/g) ?? []""",
}
"""What is measured: a number, or a list whose length is."""

BOUNDS: dict[str, Callable[[float, float], bool]] = {"<=": le, ">=": ge, "==": eq}
Row = tuple[str, int, bool, str, str, float]
TABLE: list[Row] = [
    *(("", width, False, "top of the first map", "<=", most) for width, most in ((390, 480), (1024, 372), (1280, 300))),
    *((path, width, False, "cut", "==", 0) for width in (1024, 1280) for path in WHOLE),
    ("heads", 390, False, "cut labels of heads", "==", 0),
    ("", 1280, False, "years out of order", "==", 0),
    *(
        (path, width, True, "axis words", ">=", 2)
        for path in ("", "heads", "surgery", "training")
        for width in (1024, 1920)
    ),
]
"""Page, width, whether it is presented, what is measured, and its bound."""
SHOWN = sorted({(path, presented) for path, _width, presented, *_ in TABLE})


@pytest.mark.parametrize(("path", "presented"), SHOWN)
def test_positions_and_sizes(open_page: Callable[..., Page], address: str, path: str, presented: bool) -> None:
    rows = sorted(row for row in TABLE if (row[0], row[2]) == (path, presented))
    page = open_page(f"{address}/{path}", width=rows[0][1], height=HEIGHTS[rows[0][1]], **shown(presented))
    expect(page.locator(WHOLE[path]).first).to_be_visible()
    for _path, width, _presented, what, sign, bound in rows:
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        settle(page)
        found = page.evaluate(f"(whole) => {{ {ELEMENTS} return {MEASURES[what]}; }}", WHOLE[path])
        value = len(found) if isinstance(found, list) else found
        assert BOUNDS[sign](value, bound), (width, what, found)


def shown(presented: bool) -> dict[str, str]:
    return {"present": "on"} if presented else {}
