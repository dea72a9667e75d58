"""A page that is left still asks for something while the next one is on its way: nobody sees a white page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.support.browsing import settle, until_link
from tests.support.waiting import until


class Line:
    """A page's connection, whose answers can be held back, as a slow server or a long way would."""

    def __init__(self) -> None:
        self.asked: list[ClientState] = []
        self.held: list[str | bytes] | None = None

    def hold(self) -> None:
        """Hold back what the server sends from now on."""
        self.asked, self.held = [], []

    def release(self) -> None:
        """Let through what was held back, and what comes."""
        held, self.held = self.held or [], None
        for message in held:
            self._page.send(message)

    def turned(self) -> bool:
        """Return whether the server has ended a run whose page differs from the one that asked."""
        held = [ForwardMsg.FromString(each) for each in self.held or [] if isinstance(each, bytes)]
        pages = {each.navigation.page_script_hash for each in held if each.HasField("navigation")}
        ended = bool(held) and held[-1].HasField("session_status_changed")
        return ended and bool(pages - {self.asked[0].page_script_hash})

    def said(self) -> list[str]:
        """Return what the server has since said of the link."""
        held = [ForwardMsg.FromString(each) for each in self.held or [] if isinstance(each, bytes)]
        return [each.page_info_changed.query_string for each in held if each.HasField("page_info_changed")]

    def join(self, page: WebSocketRoute) -> None:
        """Stand between a page and the server."""
        self._page, server = page, page.connect_to_server()

        def ask(message: str | bytes) -> None:
            said = BackMsg.FromString(message if isinstance(message, bytes) else message.encode())
            if said.HasField("rerun_script"):
                self.asked.append(said.rerun_script)
            server.send(message)

        page.on_message(ask)
        server.on_message(lambda message: page.send(message) if self.held is None else self.held.append(message))


def until_noted(page: Page, holds: Callable[[], Any]) -> None:
    """Wait until a handler of this page has noted something; it is called while the page is waited for."""

    def look() -> Any:
        page.wait_for_timeout(50)
        return holds()

    until(look)


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch, browser: Browser) -> Line:
    """Return the line of the page that this test opens."""
    line, new_context = Line(), browser.new_context

    def with_line(**options: Any) -> Any:
        context = new_context(**options)
        context.route_web_socket(re.compile("_stcore/stream"), line.join)
        return context

    monkeypatch.setattr(browser, "new_context", with_line)
    return line


def press_link(page: Page) -> None:
    page.get_by_test_id("stTopNavLink").filter(has_text="Surgery").click()


@pytest.mark.parametrize("turn", [press_link, Page.go_back], ids=["link", "back"])
def test_a_page_whose_width_changes_when_the_next_was_chosen_shows_the_next(
    open_page: Callable[..., Page], address: str, line: Line, turn: Callable[[Page], object]
) -> None:
    page = open_page(f"{address}/surgery", width=1410)
    settle(page)
    page.get_by_test_id("stTopNavLink").filter(has_text="Training").click()
    until_link(page, lambda url: "/training" in url)
    settle(page)
    line.hold()
    turn(page)
    until_noted(page, lambda: line.asked)
    page.set_viewport_size({"width": 1100, "height": 1400})
    until_noted(page, lambda: len(line.asked) > 1)
    turned, late = line.asked[:2]
    assert not turned.fragment_id
    assert late.fragment_id
    assert late.page_script_hash != turned.page_script_hash
    line.release()
    until_link(page, lambda url: "/surgery" in url)
    settle(page)
    expect(page.locator(".st-key-sentence")).to_be_visible()
    expect(page).to_have_title(re.compile("^Surgery"))
    # The page that is shown has told its width itself.
    assert any(each.fragment_id and each.page_script_hash == turned.page_script_hash for each in line.asked)


def test_a_page_whose_width_changes_when_a_lesson_has_turned_to_the_next_shows_the_next(
    open_page: Callable[..., Page], address: str, line: Line
) -> None:
    page = open_page(address, lesson="bahdanau-and-luong", step="3")
    expect(page.locator(".st-key-lesson")).to_contain_text("step 3 of ")
    settle(page)
    line.hold()
    page.keyboard.press("PageDown")
    until_noted(page, line.turned)
    before = len(line.asked)
    page.set_viewport_size({"width": 1100, "height": 1400})
    until_noted(page, lambda: len(line.asked) > before)
    assert line.asked[-1].fragment_id
    line.release()
    until_link(page, lambda url: "/steps" in url)
    settle(page)
    expect(page.locator(".st-key-lesson")).to_contain_text("step 4 of ")
    expect(page.locator(".st-key-sentence")).to_be_visible()


def test_a_link_says_all_that_was_typed_while_other_letters_were_answered(
    open_page: Callable[..., Page], address: str, line: Line
) -> None:
    page = open_page(f"{address}/heads")
    settle(page)
    box = page.locator(".st-key-sentence input")
    line.hold()
    box.fill("The dog sl")
    until_noted(page, line.said)
    box.fill("The dog sleeps.")
    until_noted(page, lambda: "sentence=The+dog+sleeps." in line.asked[-1].query_string)
    line.release()
    settle(page)
    until_link(page, lambda url: "sentence=The+dog+sleeps." in url)
