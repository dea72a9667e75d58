"""Memories in a real browser: the LSTMN as a translator on Bench, Heads and Steps, and the readers with a memory."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

import models
from tests.support.browsing import point
from tests.support.readers import LSTMN

SENTENCE = "I don't know what you want."
KEY = "lstmn-deep-en-fr"


def test_the_translator_on_tapes_is_on_the_timeline_pointed_at_and_walked(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address, sentence=SENTENCE, mechanisms="lstmn-shallow lstmn-deep")
    page.get_by_role("button", name="Bahdanau: variants, heads, sources").click()
    expect(page.get_by_role("button", name="LSTMN (deep fusion)")).to_be_visible()
    page.keyboard.press("Escape")

    shown = models.load(KEY).attend(SENTENCE)["decoder.0.self"].to_words()
    page.goto(f"{address}/heads?model={KEY}&sentence={SENTENCE}&map=decoder")
    stage = page.locator(".overview .stage[data-drawn]")
    expect(stage).to_be_visible()
    row = len(shown.query_tokens) - 1
    column = int(shown.weights[0, row].argmax())
    assert f"“{shown.key_tokens.texts[column]}”" in point(page, 0, row, column, shown.weights[0].shape)

    page.goto(f"{address}/steps?mechanism=lstmn-deep&sentence={SENTENCE}&layer=decoder.0.self&step=next")
    walk = page.locator(".walk")
    expect(walk.locator("[aria-current]")).to_have_attribute("data-key", "next")
    steps = [name.split(" ", 1)[1] for name in walk.locator("[data-key]").all_inner_texts()]
    assert steps[0] == "Keys of the tape"
    assert steps[-1] == "Into the LSTM"
    expect(walk).to_contain_text("Both tapes enter one cell")


def test_readers_with_a_memory_show_how_far_back_they_read_and_are_walked(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(f"{address}/heads", model=LSTMN, sentence=SENTENCE)
    expect(page.get_by_role("heading", name="How far back: language models side by side")).to_be_visible()
    expect(page.get_by_text("N-gram RNN has no attention weights")).to_be_visible()

    page.goto(f"{address}/steps?mechanism=n-gram-rnn&sentence={SENTENCE}&step=next")
    walk = page.locator(".walk")
    expect(walk.locator("[aria-current]")).to_have_attribute("data-key", "next")
    steps = [name.split(" ", 1)[1] for name in walk.locator("[data-key]").all_inner_texts()]
    assert steps == ["Slices side by side", "Slices joined", "The next word"]
