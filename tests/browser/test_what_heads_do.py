"""What comes of heads, each part as the first page by its link: on a touch phone in Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.support.browsing import query, settle

if TYPE_CHECKING:
    from playwright.sync_api import Page

ANIMAL = "The animal didn't cross the street because it was too tired."
MILK = ("The cat drank the milk.", "The dog drank the milk.")
WRONG = "[data-testid='stException'], [data-testid='stAlertContentError'], [data-testid='stAlertContentWarning']"
GPT = {"model": "hf:gpt-en", "sentence": ANIMAL}
PATCH = {"model": "transformer", "sentence": MILK[0], "check": "patch"}


class Part(NamedTuple):
    """A part of a page: its link, where it is shown, and what it says in Chinese."""

    page: str
    link: dict[str, str]
    figure: str
    says: str


PARTS = {
    "ask": Part(
        "heads",
        GPT | {"below": "ask", "query": "it", "key": "animal"},
        ".st-key-asked-heads .thumbnail img",
        "随机水平 0.11",
    ),
    "adds": Part(
        "heads",
        GPT | {"below": "adds"},
        ".st-key-figure-head-adds .js-plotly-plot",
        "直接 logit 归因",
    ),
    "lens": Part("heads", GPT | {"below": "lens"}, ".st-key-figure-logit-lens .js-plotly-plot", "logit 透镜"),
    "patch": Part(
        "surgery",
        PATCH | {"other": MILK[1]},
        "[class*='st-key-figure-patching-'] .js-plotly-plot",
        "激活替换",
    ),
    "zeroed": Part(
        "heads",
        GPT | {"quantity": "zeroed", "heads1": "2"},
        ".st-key-figure-picked-heads .js-plotly-plot",
        "Mohebbi",
    ),
    "zeroed on the Bench": Part(
        "",
        {"quantity": "zeroed", "mechanisms": "bahdanau transformer", "sentence": "The nurse lost her umbrella."},
        ".alignment canvas",
        "值置零每次去掉一个原文词的值",
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_on_the_page_that_its_link_opens(open_page: Callable[..., Page], address: str, name: str) -> None:
    """On a touch phone in Chinese, first; then as wide as a laptop."""
    part = PARTS[name]
    page = open_page(f"{address}/{part.page}", **part.link, width=390, height=844, touch=True, scheme="dark", lang="zh")
    figure = page.locator(part.figure).first
    figure.wait_for(timeout=180_000)
    settle(page)
    expect(page.get_by_test_id("stMain")).to_contain_text(part.says)
    assert page.locator(WRONG).all_inner_texts() == []
    assert part.link.items() <= {each: values[0] for each, values in query(page).items()}.items()
    for width, height in ((390, 844), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]") == [width] * 2
        figure.scroll_into_view_if_needed()
        box = figure.bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= width


def test_a_sentence_of_another_length_is_refused_with_both_lengths(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/surgery", **PATCH, other="The dog drank.")
    said = re.compile(r"this one has \d+, “The dog drank\.” has \d+")
    expect(page.get_by_test_id("stMain")).to_contain_text(said, timeout=120_000)
