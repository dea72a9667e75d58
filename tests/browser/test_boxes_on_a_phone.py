"""Text boxes on a touch phone: whatever is typed is sent, on Enter and when the box is left, on every page and fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import settle

PHONE = {"width": 390, "height": 844, "touch": True}
STATES = {
    "bench": ("", {"align": "text"}),
    "why": ("why", {}),
    "steps": ("steps", {}),
    "heads": ("heads", {"against": "sentence"}),
    "a word in two sentences": ("heads", {"against": "word"}),
    "a reader of pairs": ("heads", {"model": "hf:minilm"}),
    "a model of the hub": ("heads", {"model": "hub"}),
    "surgery": ("surgery", {"model": "hard"}),
    "training": ("training", {}),
    "lessons": ("lessons", {}),
    "sheet": ("", {"lesson": "bahdanau-and-luong", "step": "8"}),
}
BOXES = {
    "bench": {"sentence", "target"},
    "why": {"long"},
    "heads": {"sentence", "other"},
    "a word in two sentences": {"sentence", "other"},
    "a reader of pairs": {"sentence", "pair"},
    "a model of the hub": {"sentence", "hub-name"},
    "lessons": {"room-typed", "room-of-key", "room-key"},
    "sheet": {"room-typed", "room-of-key", "room-key", "sheet-author"},
}
"""Which are known to be there; of a page that is not named, the sentence."""
MORE = {
    "a word in two sentences": "heads",
    "a reader of pairs": "heads",
    "a model of the hub": "heads",
    "sheet": "lessons",
}
"""States that add a box to another: the rest of them is not opened and typed into again."""

RECORD = """
() => {
    const send = WebSocket.prototype.send;
    window.sent = [];
    WebSocket.prototype.send = function (message) {
        window.sent.push(typeof message === "string" ? message : new TextDecoder().decode(message));
        return send.call(this, message);
    };
}
"""
FIND = """
() => {
    const kinds = "input:not([type=file], [type=checkbox], [type=radio], [type=range], [type=hidden]), textarea";
    const found = [];
    const within = document.querySelector("[data-testid=stPopoverBody]") ?? document;
    for (const box of within.querySelectorAll(kinds)) {
        const isCovered = box.nextElementSibling?.matches(".wrapping");
        if (box.readOnly || box.disabled || isCovered || !box.checkVisibility()) continue;
        if (box.closest("[data-testid=stDataFrameResizable], [role=combobox], .stSelectbox, .stMultiSelect")) continue;
        box.dataset.box = box.closest("[class*=st-key-]").className.match(/st-key-([\\w-]+)/)[1];
        found.push(box.dataset.box);
    }
    return found;
}
"""
FOLDED = "[data-testid=stExpander] details:not([open]) > summary"
BUTTONS = "[data-testid=stPopoverButton]:visible"
_numbers = count(1000)


def calm(page: Page) -> None:
    """Wait until the run that a click makes is over, whether it has begun already or not."""
    settle(page)


def places(page: Page) -> Iterator[None]:
    """Open each fold and leave it open, then each popover one by one, and in what is open each tab."""
    calm(page)
    for _fold in range(30):
        if page.locator(FOLDED).count() == 0:
            break
        page.locator(FOLDED).first.click()
        calm(page)
    yield from tabs(page)
    number = 0
    while number < page.locator(BUTTONS).count():  # what is typed may change how many there are
        page.locator(BUTTONS).nth(number).click()
        page.locator("[data-testid=stPopoverBody]").wait_for()
        calm(page)
        yield from tabs(page)
        number += 1
        page.keyboard.press("Escape")
        calm(page)


def tabs(page: Page) -> Iterator[None]:
    yield
    for number in range(page.get_by_role("tab").count()):
        page.get_by_role("tab").nth(number).click()
        calm(page)
        yield


def type_in(box: Locator, leave: Callable[[Locator], None]) -> str:
    """Type what was typed nowhere else, and leave the box; return what was typed."""
    text = f"{next(_numbers)} big cats sleep"
    box.tap()
    box.fill("")
    box.press_sequentially(text)
    leave(box)
    return text


@pytest.mark.parametrize("state", STATES)
def test_what_is_typed_into_any_box_is_sent(open_page: Callable[..., Page], address: str, state: str) -> None:
    path, link = STATES[state]
    page = open_page(f"{address}/{path}", **PHONE, **link)
    page.get_by_test_id("stMain").locator("input").first.wait_for()
    calm(page)
    if state == "sheet":
        page.get_by_text("The whole translation.").tap()
        page.get_by_test_id("stExpandSidebarButton").tap()
        page.get_by_test_id("stSidebarNavLink").filter(has_text="Lessons").tap()
        expect(page.get_by_label("Your name")).to_be_visible()
    page.evaluate(RECORD)
    wanted = BOXES.get(state, {"sentence"})
    done: set[str] = set(BOXES[MORE[state]]) - {"other"} if state in MORE else set()
    for _place in places(page):
        if state in MORE and done >= wanted:
            break
        for name in page.evaluate(FIND):
            if name in done:
                continue
            done.add(name)
            for leave in (lambda box: box.press("Enter"), lambda box: box.blur()):
                page.evaluate(FIND)
                box = page.locator(f'[data-box="{name}"]')
                text = type_in(box, leave)
                page.wait_for_function("text => window.sent.some(each => each.includes(text))", arg=text, timeout=20000)
    assert done >= wanted
