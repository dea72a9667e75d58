"""A causal model goes on with a text in a real browser: on a desk, on a phone, in Chinese, in a room that follows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import query, settle, until_link

BEGUN = "The old man walked to the"
GPT = "hf:gpt-en"
PHONE = {"width": 390, "height": 844, "touch": True}


def likely(page: Page, rank: int = 0) -> Locator:
    return page.locator(f".st-key-go-on-{rank} button")


def written(page: Page) -> Locator:
    return page.locator(".st-key-written button")


def write(page: Page, name: str = "Write") -> None:
    page.locator(".st-key-write-box button").first.click()
    page.locator("[data-testid=stPopoverBody]").get_by_role("button", name=name, exact=True).click()


def test_a_word_is_clicked_tokens_are_written_and_the_text_is_rewound(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/heads", **PHONE, model=GPT, sentence=BEGUN, lang="zh")
    settle(page)
    word = likely(page, 1).inner_text().rsplit(" ", 1)[0]
    likely(page, 1).click()
    expect(written(page)).to_have_count(1)
    assert written(page).inner_text().strip() == word.strip()
    until_link(page, lambda url: "write=0+begin" in url)

    write(page, "续写")
    until_link(page, lambda url: "write=10+begin" in url)
    expect(written(page).nth(1)).to_be_visible()
    settle(page)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    shown = written(page).all_inner_texts()

    again = open_page(f"{address}/heads", **PHONE, **{name: value[0] for name, value in query(page).items()})
    expect(written(again)).to_have_text(shown)

    written(again).nth(1).click()
    expect(written(again)).to_have_count(1)
    assert written(again).inner_text().strip() == word.strip()


def test_a_class_sees_what_its_teacher_writes_and_goes_back_with_them(
    open_page: Callable[..., Page], address: str
) -> None:
    teacher = open_page(f"{address}/heads", model=GPT, sentence=BEGUN)
    expect(likely(teacher)).to_be_visible()
    teacher.get_by_test_id("stHeader").get_by_role("link", name="Lessons", exact=True).click()
    teacher.get_by_role("button", name="Open a room", exact=True).first.click()
    until_link(teacher, lambda url: "room=" in url)
    student = open_page(f"{address}/lessons", room=query(teacher)["room"][0])
    teacher.get_by_test_id("stHeader").get_by_role("link", name="Heads", exact=True).click()
    expect(likely(teacher)).to_be_visible()
    expect(likely(student)).to_be_visible()
    write(teacher)
    until_link(teacher, lambda url: "write=10" in url)
    expect(written(teacher).nth(1)).to_be_visible()
    expect(written(student)).to_have_text(written(teacher).all_inner_texts())
    teacher.keyboard.press("Escape")
    written(teacher).nth(1).click()
    expect(written(teacher)).to_have_count(1)
    expect(written(student)).to_have_count(1)


def last_row(stage: Locator) -> dict[str, float]:
    """Return the middle of the last row of the first map, on its first key."""
    found: dict[str, float] = stage.evaluate("({ boxes: [box] }) => ({ x: box.left + 8, y: box.top + box.height - 4 })")
    return found


@pytest.mark.parametrize(("screen", "lang"), [({}, "en"), (PHONE, "zh")], ids=["keys on a desk", "phone in Chinese"])
def test_a_written_row_is_pinned_and_stays_while_the_text_goes_on_otherwise(
    open_page: Callable[..., Page], address: str, screen: dict[str, int], lang: str
) -> None:
    page = open_page(f"{address}/heads", **screen, model=GPT, sentence=BEGUN, write="3", heads2="2", lang=lang)
    stage = page.locator(".st-key-figure-picked-heads .comparison .stage[data-drawn]")
    expect(stage).to_be_visible()
    settle(page)
    word = written(page).nth(2).inner_text().strip().lstrip("␣")
    if screen:
        stage.tap(position=last_row(stage))
    else:
        stage.focus()
        for _row in range(40):
            stage.press("Shift+ArrowDown")
        stage.press("Enter")
        page.keyboard.press("ArrowDown")
    item = page.get_by_role("menuitem", name={"en": "Pin the row of", "zh": "固定"}[lang])
    assert word in item.inner_text()
    item.tap() if screen else page.keyboard.press("Enter")
    until_link(page, lambda url: "pinned=2.2." in url)
    pinned = page.locator(".st-key-figure-pinned .js-plotly-plot")
    expect(pinned).to_be_visible()
    expect(pinned.locator(".heatmaplayer image")).to_have_count(1)
    settle(page)

    written(page).nth(1).click()
    expect(written(page)).to_have_count(1)
    for count in (2, 3):
        likely(page, 2).click()
        expect(written(page)).to_have_count(count)
    settle(page)
    expect(pinned.locator(".heatmaplayer image")).to_have_count(2)
    changed = {"en": "The text has changed since", "zh": "此后文本有改动"}[lang]
    caption = page.locator("[data-testid=stCaptionContainer]").filter(has_text=changed)
    expect(caption).to_contain_text(word)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0

    again = open_page(f"{address}/heads", **screen, **{name: value[0] for name, value in query(page).items()})
    there = again.locator("[data-testid=stCaptionContainer]").filter(has_text=changed)
    expect(there).to_have_text(caption.inner_text())
    settle(again)
    unpin = again.locator(".st-key-unpinning button")
    unpin.focus()
    unpin.press("Enter")
    until_link(again, lambda url: "pinned=" not in url)
    expect(there).to_have_count(0)
