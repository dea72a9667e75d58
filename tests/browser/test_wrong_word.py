"""One wrong word on the Bench: offered by a click on a cell, and opened first by its link, on a phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import models
from models.measures.wrong_word import with_word
from models.writing import Writing
from tests.support.bench_page import cell, maps, panel, views
from tests.support.browsing import says, settle
from viz.text.tokens import visible

if TYPE_CHECKING:
    from playwright.sync_api import Page

SENTENCE = "The cat drank the milk because it was hungry."
KEY = "bahdanau-en-fr"


def test_a_word_that_is_clicked_is_replaced_and_the_rest_is_written_anew(
    open_page: Callable[..., Page], address: str
) -> None:
    from playwright.sync_api import expect

    page = open_page(f"{address}/bench", mechanisms="bahdanau", sentence=SENTENCE)
    (view,) = views(SENTENCE, [KEY])
    maps(page).first.wait_for(timeout=120_000)
    settle(page)
    page.mouse.click(*cell(page, 0, 1, 1, view))
    panel(page, 0).get_by_role("button", name="Put another word").click()
    says(page, **{"also": "wrong", "wrong-word": "1"})
    box = page.get_by_label("Another word in its place")
    box.fill("poisson")
    says(page, instead="poisson")
    model = models.load(KEY)
    begin = model.attend(SENTENCE, with_word(view.trace, 1, "poisson")).target.ids[:-1]
    after = model.attend(SENTENCE, write=Writing(0, begin=begin))
    assert after.output_text.startswith("Le poisson")
    labels = page.locator(".st-key-figure-wrong-word .panel").nth(1).locator(".rows span")
    expect(labels).to_have_text([visible(each) for each in after.target.word_texts], use_inner_text=False)


def test_a_link_opens_it_first_on_a_phone_in_chinese(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    link = {"also": "wrong", "wrong-of": "transformer", "wrong-word": "1", "instead": "poisson", "lang": "zh"}
    page = open_page(f"{address}/bench", width=390, height=844, touch=True, sentence=SENTENCE, **link)
    header = page.get_by_role("heading", name="写错一个词")
    expect(header).to_be_visible(timeout=120_000)
    expect(page.get_by_text("曝光偏差")).to_be_visible()
    settle(page)
    drawn = page.locator(".st-key-figure-wrong-word .panel")
    expect(drawn).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    says(page, **{"also": "wrong", "wrong-word": "1", "instead": "poisson"})


def test_a_word_that_is_tapped_on_steps_is_replaced(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    link = {"mechanism": "bahdanau", "sentence": "The cat drank the milk.", "lang": "zh"}
    page = open_page(f"{address}/steps", width=390, height=844, touch=True, **link)
    words = page.locator(".walk .sentence button[data-row]")
    words.first.wait_for(timeout=120_000)
    settle(page)
    expect(page.locator(".walk .put")).to_have_count(0)
    words.nth(1).tap()
    offer = page.locator(".walk .put")
    expect(offer).to_contain_text("chat")
    settle(page)
    offer.tap()
    says(page, **{"wrong-word": "1"})
    expect(page.get_by_role("heading", name="写错一个词")).to_be_visible()
    settle(page)
    box = page.get_by_label("换上去的词")
    box.fill("chien")
    says(page, instead="chien")
    rows = page.locator(".st-key-figure-wrong-word .panel").nth(1).locator(".rows span")
    expect(rows.filter(has_text="chien")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
