"""One visual order on Bench, Heads and Surgery: picture, legend, axis words, keys, caption, what saves it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.bench_page import box_of
from tests.support.browsing import settle

PICTURES = {
    "": (".alignment", ".bands", "keep-alignment"),
    "heads": (".overview", ".stage", "keep-all-heads"),
    "surgery": (".comparison", ".stage", "keep-maps"),
}
"""Of each page: its picture, what is drawn of it, and the key of what saves it."""

BELOW = (".legend .scale", ".legend .note", ".keys")
APART = 48  # pixels between two of them at most
CLOSE = 3  # pixels by which what begins at one edge may differ
MARGIN = 8  # pixels that Streamlit draws what follows a caption into its box
SENTENCE = "The tired farmer opened the green gate before sunrise."


def parts(page: Page, path: str) -> list[Any]:
    """Return where the picture is, and all that is said below it, in the order in which it should be."""
    picture, drawn, saves = PICTURES[path]
    figure = page.locator(picture).first
    boxes = [box_of(figure.locator(each)) for each in (drawn, *BELOW)]
    captions = [box for each in page.get_by_test_id("stCaptionContainer").all() if (box := each.bounding_box())]
    last = box_of(page.locator(f".st-key-{saves}"))
    between = [box for box in captions if boxes[-1]["y"] < box["y"] < last["y"]]
    assert len(between) == 1 or path == "", "one caption"  # models that agree are not told apart
    return [*boxes, *between, last]


PANELS = [("", {"also": "wrong beam"}), ("steps", {"mechanism": "transformer", "wrong-word": "3"}), ("training", {})]
"""Where lines of tokens stand over panels."""
COVERED = """figure => [...figure.querySelectorAll('.tokens')].map(
    tokens => tokens.getBoundingClientRect().bottom - tokens.nextElementSibling.getBoundingClientRect().top)"""


@pytest.mark.parametrize(("path", "link"), PANELS)
def test_no_line_of_tokens_covers_what_is_below_it(
    open_page: Callable[..., Page], address: str, path: str, link: dict[str, str]
) -> None:
    page = open_page(f"{address}/{path}", width=390, height=6000, sentence=SENTENCE, **link)
    figures = page.locator(".alignment[data-drawn]")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 6000})
        settle(page)
        expect(figures).to_have_count(3 if "also" in link else 1)
        assert max(over for each in figures.all() for over in each.evaluate(COVERED)) <= 0.5, width


def test_pages_say_the_same_in_the_same_order_and_place(open_page: Callable[..., Page], address: str) -> None:
    """Each page is drawn first on a phone."""
    pages = {path: open_page(f"{address}/{path}", width=390, height=844, sentence=SENTENCE) for path in PICTURES}
    for width, height in ((390, 844), (1280, 720)):
        offsets = {path: offsets_of(page, path, width, height) for path, page in pages.items()}
        for path, each in offsets.items():
            assert max(each) <= APART, (path, each)
            assert each[1] == pytest.approx(offsets[""][1], abs=CLOSE), offsets


def offsets_of(page: Page, path: str, width: int, height: int) -> list[float]:
    """Return how far apart picture and what is said of it are, which is in order and begins at one edge."""
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
    legend = page.locator(f"{PICTURES[path][0]} .legend").first
    expect(legend.locator(".scale")).to_contain_text("attention weight")
    expect(legend.locator(".note")).to_contain_text("rows (top to bottom): query")
    expect(legend.locator(".note")).to_contain_text("columns: key")
    boxes = parts(page, path)
    for above, below in pairwise(boxes):
        assert below["y"] - above["y"] - above["height"] >= -MARGIN, (path, boxes)
    assert max(abs(each["x"] - boxes[0]["x"]) for each in boxes) <= CLOSE, (path, boxes)
    return [below["y"] - above["y"] - above["height"] for above, below in pairwise(boxes[:4])]
