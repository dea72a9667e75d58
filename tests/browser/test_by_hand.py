"""Words aligned by hand in a real browser: by mouse, by words, by keys; each mechanism's error stands beside."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tests.support.browsing import until_link
from viz.canvas.aligner import encode_aligner
from viz.canvas.standalone import Picture, standalone_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

LISTEN = """place => {
    window.told = [];
    place.addEventListener("told", ({ detail }) => window.told.push(detail.value.links));
}"""
FEED = """async (place, text) => {
    const { shadowRoot } = place;
    place.dispatchEvent(new CustomEvent("fed", { detail: Uint8Array.from(atob(text), each => each.charCodeAt(0)) }));
    shadowRoot.querySelector(".undo").textContent = "";  // written when what was fed is shown
    while (!shadowRoot.querySelector(".undo").textContent) await new Promise(requestAnimationFrame);
}"""
SENTENCE, TRANSLATION = "The cat drinks milk.", "Le chat boit du lait."


def opened(open_page: Callable[..., Page], address: str, **link: str) -> Page:
    page = open_page(address, width=1280, height=900, sentence=SENTENCE, also="hand", target=TRANSLATION, **link)
    page.locator(".aligner td[data-row]").first.wait_for()
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")
    return page


def cell(page: Page, row: int, key: int) -> Locator:
    return page.locator(f".aligner td[data-row='{row}'][data-key='{key}']")


def aligned(page: Page) -> list[str]:
    return sorted(parse_qs(urlsplit(page.url).query).get("hand", [""])[0].split())


def test_cells_and_words_are_clicked_and_the_link_knows(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = opened(open_page, address)
    expect(page.get_by_text("Align words on the left. Each mechanism's error rate")).to_be_visible()
    cell(page, 0, 0).click()
    for _click in range(2):
        cell(page, 3, 3).click()
    page.locator(".aligner thead th", has_text="cat").click()
    page.locator(".aligner tbody th", has_text="chat").click()
    expect(cell(page, 1, 1)).to_have_attribute("data-state", "sure")
    expect(cell(page, 3, 3)).to_have_attribute("data-state", "possible")
    expect(page.locator(".aligner .count")).to_have_text("sure: 2, possible: 1")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    until_link(page, lambda _url: aligned(page) == ["0-0", "1-1", "3?3"])
    page.locator(".aligner .undo").click()
    expect(cell(page, 1, 1)).to_have_attribute("data-state", "")
    page.wait_for_function("() => !location.search.includes('1-1')")
    page.reload()
    expect(cell(page, 3, 3)).to_have_attribute("data-state", "possible")
    expect(cell(page, 1, 1)).to_have_attribute("data-state", "")


def test_an_answer_to_earlier_clicks_undoes_no_later_one(browser: Browser) -> None:
    """What the server says to a first click may come after a second one was sent."""
    from playwright.sync_api import expect

    def says(links: str) -> bytes:
        return encode_aligner(("The", "cat"), ("Le", "chat"), links, of="pair", languages=("en", "fr"))

    def feed(links: str) -> None:
        page.locator(".picture").evaluate(FEED, base64.b64encode(says(links)).decode())

    page = browser.new_page()
    page.set_content(standalone_html("By hand", [Picture("aligner", says(""))]))
    page.locator(".picture").evaluate(LISTEN)
    for place in (0, 1):
        cell(page, place, place).click()
        page.wait_for_function("count => window.told.length === count", arg=place + 1)
    assert page.evaluate("window.told") == ["0-0", "0-0 1-1"]
    count = page.locator(".aligner .count")
    for links, sure in (("0-0", 2), ("0-0 1-1", 2), ("0-0", 1)):  # answers to both, then another link
        feed(links)
        expect(count).to_have_text(f"sure: {sure}, possible: 0")
    page.close()


def test_the_grid_is_one_stop_and_arrows_move_inside(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = opened(open_page, address, hand="0-0")
    assert page.locator(".aligner table [tabindex='0']").count() == 1
    cell(page, 0, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(cell(page, 1, 2)).to_be_focused()
    expect(cell(page, 1, 2)).to_have_attribute("data-state", "sure")
    assert page.locator(".aligner table [tabindex='0']").count() == 1
    assert cell(page, 1, 2).evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    expect(page.locator(".aligner .undo")).to_be_focused()


def test_links_that_align_are_ringed_and_named(open_page: Callable[..., Page], address: str) -> None:
    from playwright.sync_api import expect

    page = opened(open_page, address, links="grown")
    expect(page.locator(".alignment .tints")).to_contain_text("ringed: alignment links (row and column maxima, grown")
    ringed = "each => each.toDataURL()"
    with_rings = page.locator(".alignment .cells").first.evaluate(ringed)
    page.get_by_role("button", name="Settings").click()
    page.get_by_test_id("stPopoverBody").get_by_role("radio", name="none", exact=True).click()
    expect(page.locator(".alignment .tints")).not_to_contain_text("ringed")
    assert page.locator(".alignment .cells").first.evaluate(ringed) != with_rings
