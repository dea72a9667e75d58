"""The browser's Back and Forward in a real browser: each page as it was left, with one step for each thing done."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import query, running, settle, until_link

FIRST, SECOND = "The dog sleeps.", "The cat drank the milk."

Seen = tuple[str, dict[str, list[str]], str]
"""The page's part of the link, what stands behind its question mark, and the sentence in the box."""


def seen(page: Page) -> Seen:
    settle(page)
    box = page.locator(".st-key-sentence input, .st-key-long input")
    return page.url.rpartition("/")[2].partition("?")[0], query(page), box.input_value()


def type_in(page: Page, sentence: str) -> None:
    page.locator(".st-key-sentence input").fill(sentence)


def turn_to(page: Page, name: str) -> None:
    page.get_by_role("link", name=name).first.click()


def becomes(page: Page, state: Seen) -> bool:
    """Return whether the page shows `state`, at once or after a while: on a busy machine a box is filled late."""
    return any(seen(page) == state for _time in range(10))


def choose_mechanism(page: Page) -> None:
    page.locator(".st-key-mechanism [role='combobox'], .st-key-mechanism button").last.click()
    page.get_by_role("option").nth(1).click()


def test_back_and_forward_show_each_page_with_the_sentence_and_the_settings_that_it_had(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, unknown="1")
    type_in(page, FIRST)
    states = [seen(page)]

    def note(change: Callable[[], None]) -> None:
        change()
        states.append(seen(page))

    page.get_by_role("button", name="Settings").click()
    note(page.locator(".st-key-unit button").nth(1).click)
    page.keyboard.press("Escape")
    note(lambda: turn_to(page, "Heads"))
    page.get_by_role("button", name="Settings").click()
    note(page.locator(".st-key-colour button").nth(1).click)
    page.keyboard.press("Escape")
    turn_to(page, "Steps")
    settle(page)
    note(lambda: type_in(page, SECOND))
    note(lambda: choose_mechanism(page))
    for name in ("Surgery", "Why attention", "Bench", "Heads"):
        note(lambda name=name: turn_to(page, name))  # type: ignore[misc]

    assert [sentence for _path, _link, sentence in states[:6]] == [FIRST] * 4 + [SECOND] * 2
    assert states[1][1] == {"sentence": [FIRST], "unit": ["piece"]}
    assert states[3][1] == {"sentence": [FIRST], "colour": ["root"]}
    assert states[-2][1] == {"sentence": [SECOND], "unit": ["piece"]}
    assert states[-1][1] == {"sentence": [SECOND], "colour": ["root"]}
    for before in reversed(states[:-1]):
        page.go_back()
        assert becomes(page, before), seen(page)
    for after in states[1:4]:
        page.go_forward()
        assert becomes(page, after), seen(page)
    settle(page)  # the run that draws the settings anew would close what is opened before it
    page.get_by_role("button", name="Settings").click()
    expect(page.locator(".st-key-colour button").nth(1)).to_have_attribute("aria-checked", "true")


def test_the_name_of_the_page_that_opens_leads_to_it_and_tabs_are_told_apart(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/bench", sentence=FIRST)
    assert becomes(page, ("", {"sentence": [FIRST]}, FIRST)), seen(page)
    assert page.title() == "Bench · Attention Bench"
    for name in ("Surgery", "Heads", "Steps", "Why attention"):
        turn_to(page, name)
        expect(page).to_have_title(f"{name} · Attention Bench")


@pytest.mark.parametrize("links", ["on", "off"])
def test_a_sentence_comes_along_even_with_its_last_letter_just_typed(
    open_page: Callable[..., Page], address: str, links: str
) -> None:
    """Links that are off leave the address bar empty on the way."""
    with running("app.py", ATTENTION_BENCH_LINKS=links) if links == "off" else nullcontext(address) as server:
        page = open_page(server)
        box = page.locator(".st-key-sentence input")
        expect(page.locator(".alignment .plot").first).to_be_visible()  # the models are loaded
        settle(page)
        box.press("End")
        box.press_sequentially(" I see a dog.", delay=20)
        typed = box.input_value()
        for name in ("Heads", "Steps", "Bench"):
            turn_to(page, name)
            until_link(page, lambda url, name=name: name.lower() in url or name == "Bench")  # type: ignore[misc]
            expect(page.locator(".st-key-timeline, .walk .sentence, .overview .stage").first).to_be_visible()
            settle(page)
            state = seen(page)
            assert state[2] == typed
            assert state[1] == ({"sentence": [typed]} if links == "on" else {})


def test_a_link_keeps_what_it_says_for_the_page_that_is_turned_to(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/lessons", sentence=FIRST, languages="en-fr", unit="piece")
    page.locator(".st-key-lessons-lesson").first.wait_for()
    assert page.get_by_role("alert").count() == 0
    page.get_by_test_id("stTopNavLink").filter(has_text="Bench").click()
    page.locator(".alignment[data-drawn]").wait_for()
    expect(page.locator(".st-key-sentence input")).to_have_value(FIRST)
    assert "unit=piece" in page.url
