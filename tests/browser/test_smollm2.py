"""SmolLM2 in a real browser, each page opened first by its link: on a desk, and on a touch phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import models
from models.measures.induction import induction_scores
from models.trace import AttentionTrace
from tests.support.browsing import point, settle, until_link

SENTENCE = "The old painter Marlowe met a young dancer. Later that day, the old painter"
PHONE = {"width": 390, "height": 844, "touch": True}
HEADS, COPIED = 270, "Mar"
TOLD = r"""
(walk, title) => [...walk.querySelectorAll('.column title')].map(
    each => parseFloat(each.textContent.split('\n').find(line => line.startsWith(title)).slice(title.length)))
"""
WEIGHT = "\u6743\u91cd a: "
Visit = Callable[..., Page]


@cache
def trace(key: str) -> AttentionTrace:
    return models.load(key).attend(SENTENCE)


def induction_head(key: str) -> tuple[int, int]:
    """Return layer and head that by their score copy most: found by the numbers, not by name."""
    scores = np.array([induction_scores(each.weights, trace(key).source.ids)[0] for each in trace(key).maps])
    layer, head = np.unravel_index(scores.argmax(), scores.shape)
    return int(layer), int(head)


def fits(page: Page) -> None:
    """Hold that nothing reaches beyond the screen."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_heads_shows_every_head_the_one_that_copies_and_writes_a_token(
    open_page: Visit, address: str, smollm2: str
) -> None:
    layer, head = induction_head(smollm2)
    link = {f"heads{layer}": str(head), "unit": "piece", "lang": "zh"}
    page = open_page(f"{address}/heads", **PHONE, model=smollm2, sentence=SENTENCE, **link)
    stage = page.locator(".overview .stage[data-drawn]")
    expect(stage).to_be_visible()
    expect(page.locator(".comparison .stage[data-drawn]")).to_be_visible()
    settle(page)
    assert stage.evaluate("stage => stage.boxes.length") == HEADS
    shown = trace(smollm2).maps[layer]
    row, column = len(shown.query_tokens) - 1, int(shown.weights[head, -1].argmax())
    assert shown.key_tokens.texts[column].strip() == COPIED
    said = point(page, 0, row, column, shown.weights[0].shape, figure=".comparison").split("\n")
    assert float(said[1]) == pytest.approx(shown.weights[head, row, column], abs=5.1e-5)
    assert COPIED in said[3]
    fits(page)

    page.locator(".st-key-go-on-0 button").click()
    until_link(page, lambda url: "write=0+begin" in url)
    expect(page.locator(".st-key-written button")).to_have_count(1)
    expect(page.locator(".st-key-written button")).to_contain_text(COPIED)


def test_surgery_opens_it_at_the_head_that_copies_and_says_what_it_predicts(
    open_page: Visit, address: str, smollm2: str
) -> None:
    layer, head = induction_head(smollm2)
    link = {"model": smollm2, "sentence": SENTENCE, "shown": f"decoder.{layer}.self.{head}", "lang": "zh"}
    page = open_page(f"{address}/surgery", **PHONE, **link)
    expect(page.locator(".comparison .stage[data-drawn]")).to_be_visible()
    expect(page.locator(".st-key-likeliest")).to_contain_text(COPIED)
    settle(page)
    fits(page)


def test_steps_walks_through_the_head_that_copies_to_the_next_token(
    open_page: Visit, address: str, smollm2: str
) -> None:
    layer, head = induction_head(smollm2)
    row = len(trace(smollm2).source) - 1
    link = {"layer": f"decoder.{layer}.self", "head": str(head), "word": str(row), "unit": "piece", "lang": "zh"}
    page = open_page(f"{address}/steps", **PHONE, mechanism=smollm2, sentence=SENTENCE, step="rotate", **link)
    walk = page.locator(".walk")
    expect(walk.locator("[aria-current]")).to_have_attribute("data-key", "rotate")
    expect(walk.locator(".column.chosen title")).to_contain_text(COPIED)
    weights = trace(smollm2).maps[layer].weights[head, row]
    np.testing.assert_allclose(walk.evaluate(TOLD, WEIGHT), weights, atol=6e-4)
    keys = [each.get_attribute("data-key") for each in walk.locator("[data-key]").all()]
    assert keys[:4] == ["normalise", "project", "rotate", "share"]
    assert keys[-5:] == ["add", "renormalise", "expand", "feedforward", "predict"]
    for key in keys[3:]:
        walk.locator(".next").click()
        expect(walk.locator("[aria-current]")).to_have_attribute("data-key", str(key))
    expect(walk.locator(".likely .written")).to_have_text(COPIED)
    expect(walk.locator(".says")).to_contain_text("之后还有 12 个块")
    until_link(page, lambda url: "step=predict" in url)
    settle(page)
    fits(page)
