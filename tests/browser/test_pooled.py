"""A text whose record would not fit, in a real browser: pooled heads are drawn, and one is opened whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from models import load
from tests.support.browsing import ROOT, cell_of, point, query, running, settle, until_link

GPT = "hf:gpt-en"
TEXT = "The old man walked to the door, and the old man sat down."
LAYER, HEAD, HEADS = 3, 4, 8
SAID = "Only the layers of picked heads are kept in full"
PICKED = ".comparison"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running("tests/support/pooled_app.py", PYTHONPATH=str(ROOT)) as address:
        yield address


def test_heads_pooled_as_layers_fire_are_drawn_and_one_opened_from_them_shows_its_whole_map(
    open_page: Callable[..., Page], address: str
) -> None:
    trace = load(GPT).attend(TEXT)
    weights = trace[f"decoder.{LAYER}.self"].weights[HEAD]
    page = open_page(f"{address}/heads", model=GPT, sentence=TEXT, heads0="1")
    expect(page.locator("[data-testid=stCaptionContainer]").filter(has_text=SAID)).to_be_visible()
    expect(page.locator(f".overview .stage[data-drawn], {PICKED} .stage[data-drawn]")).to_have_count(2)
    settle(page)
    assert page.locator(".overview .stage").evaluate("stage => stage.boxes.length") == 4 * HEADS

    page.mouse.click(*cell_of(page, LAYER * HEADS + HEAD, 2, 1, weights.shape))
    until_link(page, lambda url: f"heads{LAYER}=" in url)
    settle(page)
    assert query(page)[f"heads{LAYER}"] == [str(HEAD)]
    stage = page.locator(f"{PICKED} .stage")
    titles = stage.evaluate("stage => stage.texts")
    assert f"layer {LAYER}, head {HEAD}" in titles
    assert stage.evaluate("stage => stage.exact") == [True, True]
    for row, column in ((4, 0), (4, 3), (len(weights) - 1, 1), (len(weights) - 1, len(weights) - 1)):
        said = point(page, 1, row, column, weights.shape, figure=PICKED)
        assert f"{weights[row, column]:.4f}" in said
