"""The Surgery in a real browser: a word is forced, and the model writes something else; undo takes it back."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from models import load
from tests.support.browsing import SCREENS, query, settle, until_link
from viz.widgets.edits.history import read_history

MILK = "My brother drinks milk every morning."
DRAWN = """
() => [...document.querySelectorAll('*')]
    .some(each => each.shadowRoot?.querySelector('.comparison .stage[data-drawn]')?.exact.every(Boolean))
"""
COLUMNS, ROWS = 8, 11
PLACES = {
    where: f"""stage => {{
    const box = stage.boxes[0], frame = stage.getBoundingClientRect();
    const wide = box.width / {COLUMNS}, high = box.height / {ROWS};
    return [frame.left + box.left + {across}, frame.top + box.top + {down}];
}}"""
    for where, across, down in (
        ("column", "3.5 * wide", "-12"),
        ("row", "-14", "1.5 * high"),
        ("cell", "3.5 * wide", "1.5 * high"),
    )
}
"""Where the word "milk" stands above the map, "frère" beside it, and the cell of both."""

WATCH = """() => {
    const stage = [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector('.comparison .stage')).find(each => each);
    window.tops = new Set();
    const look = () => { window.tops.add(Math.round(stage.getBoundingClientRect().top)); requestAnimationFrame(look); };
    look();
}"""
SENTENCE = "The agreement on the European Economic Area was signed in August 1992."


def choose(page: Page, label: str, option: str) -> None:
    """Open the box `label` and take `option`."""
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def bare(text: str) -> str:
    """Return a text without its spaces."""
    return re.sub(r"\s", "", text)


def test_a_word_is_forced_and_the_translation_changes(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", height=1600, sentence=SENTENCE, model="bahdanau")
    model = load("bahdanau-en-fr")
    before = model.attend(SENTENCE)
    texts = page.locator(".surgery-text")
    expect(texts).to_have_text([before.output_text])
    afresh = texts.nth(1)
    place = next(word for word, text in enumerate(before.target.word_texts) if text.startswith("accord"))
    choose(page, "Edit", "make a row attend to one word")
    choose(page, "Row (query): word being written", f"{place + 1} {before.target.word_texts[place]}")
    choose(page, "onto the word", "12 1992")
    until_link(page, lambda url: "edits=" in url)
    expect(page.get_by_text("being tried:")).to_be_visible()
    expect(afresh.locator("ins").first).to_be_visible()
    read = {place for place, word in enumerate(before.source.words) if before.source.word_texts[word].strip() == "1992"}
    settle(page)  # the link and the page follow the last choice, each in its time
    edits = read_history(query(page)["edits"][0])[0].edits
    after = model.attend(SENTENCE, edits=edits)
    shown = afresh.evaluate("each => [...each.querySelectorAll('span, ins')].map(word => word.textContent).join('')")
    assert {place for edit in edits for place, weight in enumerate(edit.weights) if weight > 0} == read  # type: ignore[union-attr]
    assert after.output_text != before.output_text
    assert bare(shown) == bare(after.output_text)
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("button", name=re.compile("attends only to “1992”"))).to_be_visible()
    page.reload()
    expect(page.locator(".surgery-text").nth(1).locator("ins").first).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(texts).to_have_text([before.output_text])
    until_link(page, lambda url: "edits" not in url)


def maps(page: Page) -> Locator:
    """Return the stage of the maps, once they are drawn and nothing runs any more."""
    settle(page)
    page.wait_for_function(DRAWN)
    settle(page)  # the page tells its width
    return page.locator(".comparison .stage")


def menu_at(page: Page, where: str) -> list[str]:
    """Click one of `PLACES`, and return what it offers."""
    x, y = maps(page).evaluate(PLACES[where])
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    return page.locator(".comparison .menu button").all_inner_texts()


def test_a_word_or_a_cell_that_is_clicked_offers_its_edits(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", sentence=MILK, model="bahdanau")
    assert menu_at(page, "column") == ["“milk” hidden"]
    page.keyboard.press("Escape")
    expect(page.locator(".comparison .menu")).to_be_hidden()
    assert menu_at(page, "row") == ["“frère” attends to all tokens equally", "set the row of “frère” by hand"]
    page.mouse.click(5, 400)
    expect(page.locator(".comparison .menu")).to_be_hidden()
    offered = menu_at(page, "cell")
    assert offered[:2] == ["“milk” hidden", "“frère” attends only to “milk”"]
    assert len(offered) == 4
    page.locator(".comparison .menu button").nth(1).click()
    expect(page.locator(".st-key-edit-list")).to_contain_text("being tried: “frère” attends only to “milk”")
    assert maps(page).evaluate("stage => stage.exact.length") == 2
    page.get_by_role("button", name="Keep").click()
    assert menu_at(page, "column") == ["“milk” hidden"]
    page.locator(".comparison .menu button").click()
    expect(page.locator(".st-key-edit-list")).to_contain_text("being tried: “milk” hidden")
    expect(page.locator(".comparison .note")).to_contain_text(
        "edited: “frère” attends only to “milk” (decoder layer 0 cross-attention); “milk” hidden"
    )


def test_the_keys_reach_a_cell_and_its_edits_with_one_tab_stop(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", sentence=MILK, model="bahdanau")
    maps(page).focus()
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Enter"):
        page.keyboard.press(key)
    items = page.locator(".comparison .menu button")
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(maps(page)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-edit-list")).to_contain_text("being tried: “My” hidden")


def test_an_edit_that_meets_nothing_in_a_new_sentence_says_so(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/surgery", sentence=MILK, model="bahdanau")
    menu_at(page, "column")
    page.locator(".comparison .menu button").click()
    page.get_by_role("button", name="Keep").click()
    expect(page.locator(".st-key-edit-list")).to_contain_text("“milk” hidden")
    settle(page)
    page.locator(".st-key-sentence input").fill("Go.")
    expect(page.locator(".st-key-edit-list")).to_contain_text("no effect here, because this sentence is shorter")
    expect(page.locator(".surgery-text")).to_have_count(1)


@pytest.mark.parametrize("model", ["bahdanau", "transformer", "hf:minilm"])
def test_the_first_cell_stands_high(open_page: Callable[..., Page], address: str, model: str) -> None:
    """Drawn first on a phone."""
    desks, (phone,) = SCREENS
    page = open_page(f"{address}/surgery", **phone.opened, model=model, sentence=SENTENCE)
    for screen in (phone, *desks):
        screen.take(page)
        assert maps(page).evaluate("stage => stage.getBoundingClientRect().top + stage.boxes[0].top") < screen.highest
        assert page.evaluate("document.documentElement.scrollWidth") <= screen.width
        assert page.get_by_test_id("stMain").evaluate("each => each.scrollWidth") <= screen.width


def test_nothing_jumps_while_a_sentence_is_typed_and_at_the_first_edit_the_maps_keep_their_size(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/surgery", width=1280, height=720, sentence=MILK, model="bahdanau")
    top = maps(page).evaluate("stage => stage.getBoundingClientRect().top")
    box = page.locator(".st-key-sentence input")
    box.press("End")
    page.evaluate(WATCH)
    for word in ("The", "committee", "has asked", "for a report", "on the state."):
        page.keyboard.insert_text(f" {word}")
    maps(page)
    assert page.evaluate("[...window.tops]") == [round(top)]
    before = maps(page).evaluate("stage => stage.boxes.map(box => box.width)")
    menu_at(page, "column")
    page.locator(".comparison .menu button").click()
    expect(page.locator(".st-key-edit-list")).to_be_visible()
    assert maps(page).evaluate("stage => stage.boxes.map(box => box.width)") == before
