"""The Surgery in a real browser: a word is forced, and the model writes something else; undo takes it back."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from models import load
from tests.support.browsing import query
from viz.widgets.edits.history import read_history

SENTENCE = "The agreement on the European Economic Area was signed in August 1992."


def choose(page: Page, label: str, option: str) -> None:
    """Open the box `label` and take `option`."""
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_a_word_is_forced_and_the_translation_changes(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", height=1600, sentence=SENTENCE, model="bahdanau")
    model = load("bahdanau-en-fr")
    before = model.attend(SENTENCE)
    afresh = page.locator(".surgery-text").nth(1)
    expect(afresh).to_have_text(before.output_text)
    place = next(word for word, text in enumerate(before.target.word_texts) if text.startswith("accord"))
    choose(page, "Edit", "force a row on a word")
    choose(page, "Row: writing the word", f"{place + 1} {before.target.word_texts[place]}")
    choose(page, "onto the word", "12 1992")
    page.wait_for_url(re.compile("edits="))
    expect(page.get_by_text("being tried:")).to_be_visible()
    expect(afresh.locator("ins").first).to_be_visible()
    edits = read_history(query(page)["edits"][0])[0].edits
    after = model.attend(SENTENCE, edits=edits)
    assert after.output_text != before.output_text
    shown = afresh.evaluate(
        "each => [...each.querySelectorAll('span, ins')].map(word => word.textContent).join('')",
    )
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", after.output_text)
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("button", name=re.compile("reads only “1992”"))).to_be_visible()
    page.reload()
    expect(page.locator(".surgery-text").nth(1).locator("ins").first).to_be_visible()
    page.locator(".st-key-undo button:visible").click()  # a button with a tooltip is there twice
    expect(page.locator(".surgery-text").nth(1)).to_have_text(before.output_text)
    page.wait_for_url(lambda url: "edits" not in url)


def test_a_cell_that_is_clicked_offers_the_edits_of_its_row_and_word(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/surgery", sentence="My brother drinks milk every morning.", model="bahdanau")
    box = page.locator(".st-key-figure-maps .nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.45, box["y"] + box["height"] * 0.45)
    offer = page.locator(".st-key-offer-force button")
    expect(offer).to_contain_text("reads only")
    said = offer.inner_text()
    offer.click()
    expect(page.locator(".st-key-edit-list")).to_contain_text(f"being tried: {said}")
