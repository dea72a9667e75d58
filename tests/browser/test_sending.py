"""The sentence is sent at once when nothing is being answered, and keys of the meantime together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import settle

PHONE = {"width": 390, "height": 844, "touch": True}
WITHOUT_PAUSE = (
    "{ const wait = setTimeout; window.setTimeout = (then, ms, ...of) => ms === 200 ? 0 : wait(then, ms, ...of); }"
)
"""Streamlit's own pause after the last key never ends."""


def frames(page: Page) -> list[bytes]:
    """Load the page anew; return a list that grows by all that it sends."""
    sent: list[bytes] = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(bytes(frame)) if frame else None)
    )
    page.reload()
    settle(page)
    return sent


@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
def test_all_that_is_typed_is_answered_though_streamlits_pause_never_ends(
    open_page: Callable[..., Page], address: str, screen: dict[str, int]
) -> None:
    page = open_page(f"{address}/", **screen, sentence="The cat")
    page.add_init_script(WITHOUT_PAUSE)
    page.reload()
    settle(page)
    box = page.get_by_role("textbox", name="Type a sentence").filter(visible=True).last
    box.press("End")
    for typed in ("s", " sat on the wooden chair near my window"):  # nothing is being answered; then something is
        page.keyboard.type(typed, delay=15)
        expect(page.locator(".alignment").first).to_contain_text(typed.split()[-1])


def test_a_word_of_chinese_is_sent_once_it_is_chosen(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/", languages="zh-en", lang="zh", sentence="我")
    sent = frames(page)
    page.get_by_role("textbox").first.press("End")
    sent.clear()
    keyboard = page.context.new_cdp_session(page)
    for part in ("qw", "qwx"):
        keyboard.send("Input.imeSetComposition", {"text": part, "selectionStart": len(part), "selectionEnd": len(part)})
    keyboard.send("Input.insertText", {"text": "吃"})
    expect(page.locator(".alignment").first).to_contain_text("吃")
    assert any("我吃".encode() in frame for frame in sent)
    assert not any(b"qw" in frame for frame in sent)
