"""Every word of the Bench answers: in every panel at once, by mouse, by touch and by keys, in the browser alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tests.support.bench_page import EXAMPLE, cell, lit, panel, views, wait_for_panels
from tests.support.browsing import settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from viz.views.view import View

READ = 0.06
POINTED = """() => new Promise((done) => {
    window.wanted.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, composed: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => done(window.wanted.matches('.lit'))));
})"""
"""Whether the word is lit two frames of the screen after it is pointed at."""


def opened(open_page: Callable[..., Page], address: str, **link: str) -> Page:
    page = open_page(address, width=1280, height=900, **link)
    wait_for_panels(page, views(EXAMPLE))
    return page


def translated(page: Page, number: int, word: str) -> Locator:
    return panel(page, number).locator(".translation .word").filter(has_text=re.compile(f"^{word}$"))


def test_words_that_are_pointed_at_answer_in_every_panel(open_page: Callable[..., Page], address: str) -> None:
    page = opened(open_page, address)
    point_at_a_word_of_a_translation(page)
    point_at_a_word_of_the_sentence(page)
    page.mouse.move(2, 2)
    keep_and_let_go(page)
    move_by_keys(page)


def point_at_a_word_of_a_translation(page: Page) -> None:
    from playwright.sync_api import expect

    translated(page, 0, "Espace").hover()
    for number, view in enumerate(views(EXAMPLE)):
        row = view.shown.query_tokens.texts.index("Espace")
        weights, keys = view.weights[row], view.shown.key_tokens.texts
        order = [key for key in np.argsort(-weights) if weights[key] >= READ]
        named = ", ".join(f"“{keys[key]}” {weights[key]:.2f}" for key in order[:3])
        expect(panel(page, number).locator(".says")).to_have_text(f"“Espace” attends to {named}")
        assert lit(panel(page, number).locator(".translation")) == ["Espace"]
        assert lit(panel(page, number).locator(".rows")) == ["Espace"]
        assert lit(panel(page, number).locator(".columns")) == [keys[key] for key in sorted(order)]
    read = {text for view in views(EXAMPLE) for text in read_by(view, "Espace")}
    assert set(lit(page.locator(".tokens"))) == read
    lines = page.locator(".links path")
    assert lines.count() == sum(len(read_by(view, "Espace")) for view in views(EXAMPLE))
    widths = [float(each.get_attribute("stroke-width")) for each in lines.all()]
    assert len(set(widths)) > 1
    page.mouse.move(2, 2)
    expect(lines).to_have_count(0)
    expect(page.locator(".alignment .lit")).to_have_count(0)


def read_by(view: View, word: str) -> list[str]:
    row = view.shown.query_tokens.texts.index(word)
    return [text for text, weight in zip(view.shown.key_tokens.texts, view.weights[row], strict=True) if weight >= READ]


def point_at_a_word_of_the_sentence(page: Page) -> None:
    word = page.locator(".tokens .word").filter(has_text="signed")
    word.hover()
    for number, view in enumerate(views(EXAMPLE)):
        key = view.shown.key_tokens.texts.index("signed")
        queries = view.shown.query_tokens.texts
        rows = [text for text, weight in zip(queries, view.weights[:, key], strict=True) if weight >= READ]
        assert lit(panel(page, number).locator(".columns")) == ["signed"]
        assert set(lit(panel(page, number).locator(".rows"))) == set(rows)
        strongest = queries[int(view.weights[:, key].argmax())]
        assert f"“signed” gets attention from “{strongest}”" in panel(page, number).locator(".says").text_content()


def keep_and_let_go(page: Page) -> None:
    from playwright.sync_api import expect

    says = panel(page, 0).locator(".says")
    resting = says.text_content()
    translated(page, 0, "signé").click()
    translated(page, 0, "accord").hover()
    expect(says).to_contain_text("“signé” attends to")
    page.mouse.move(2, 2)
    expect(says).to_contain_text("“signé” attends to")
    page.keyboard.press("Escape")
    expect(says).to_have_text(resting)
    translated(page, 1, "accord").click()
    translated(page, 1, "accord").click()
    page.mouse.move(2, 2)
    expect(says).to_have_text(resting)


def test_where_translations_differ_the_row_that_reads_the_same_answers(
    open_page: Callable[..., Page], address: str
) -> None:
    sentence = "I miss you, and I am looking forward to seeing you again."
    page = open_page(address, width=1280, height=900, sentence=sentence)
    shown = views(sentence)
    wait_for_panels(page, shown)
    assert len({view.trace.output_text for view in shown}) > 1
    for row in range(len(shown[0].shown.query_tokens)):
        page.mouse.move(*cell(page, 0, row, 0, shown[0]))
        for number, view in enumerate(shown[1:], start=1):
            found = lit(panel(page, number).locator(".rows"))
            shared = np.minimum(view.weights, shown[0].weights[row])[:, :-1].sum(axis=1)  # all can read the end
            if found:
                answering = [place for place, text in enumerate(view.shown.query_tokens.texts) if text == found[0]]
                assert max(shared[answering]) >= shared.max() / 1.3
            else:
                assert shared.max() < 0.1
                assert "no matching word here" in panel(page, number).locator(".says").text_content()


def test_on_one_translation_the_same_row_answers_whatever_it_reads(
    open_page: Callable[..., Page], address: str
) -> None:
    from playwright.sync_api import expect

    page = open_page(address, width=1280, height=900, align="bahdanau", sentence="The big dog saw the small dog.")
    expect(page.locator(".alignment .cells")).to_have_count(3)
    expect(page.locator(".alignment .tokens .word")).to_have_count(9)
    rows = panel(page, 0).locator(".rows span")
    for row in range(rows.count() - 1):
        rows.nth(row).hover()
        for number in (1, 2):
            found = panel(page, number).locator(".rows span").evaluate_all(LIT_PLACES)
            assert found == [row]


LIT_PLACES = "every => every.flatMap((each, place) => each.classList.contains('lit') ? [place] : [])"


def test_without_attention_a_panel_says_that_there_is_nothing_to_read(
    open_page: Callable[..., Page], address: str
) -> None:
    from playwright.sync_api import expect

    page = open_page(address, width=1280, height=900, mechanisms="rnn-encoder-decoder bahdanau")
    expect(page.locator(".alignment .cells")).to_have_count(1)
    expect(panel(page, 0).locator(".vector")).to_contain_text("No attention map: this decoder never looks back. It")
    panel(page, 1).locator(".translation .word").first.hover()
    expect(panel(page, 0).locator(".says")).to_contain_text("one vector")
    panel(page, 0).locator(".translation .word").first.hover()
    assert len(lit(panel(page, 0).locator(".translation"))) == 1


def move_by_keys(page: Page) -> None:
    from playwright.sync_api import expect

    stops = page.locator(".alignment [tabindex='0']:not(.noted)")  # what is noted says what it means, and no more
    assert stops.count() == 1 + 2 * 3
    assert all(each.get_attribute("aria-label") for each in stops.all())
    page.locator(".alignment .tokens").focus()
    page.keyboard.press("End")
    expect(page.locator(".alignment .tokens .here")).to_have_text("</s>")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".alignment .tokens .here")).to_have_text("agreement")
    expect(page.locator(".alignment .live")).to_contain_text("Bahdanau (additive): “agreement” gets attention from")
    page.keyboard.press("Tab")
    expect(page.locator(".note-shown")).to_contain_text("query")  # the letters of the formula
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(panel(page, 0).locator(".translation .here")).to_have_text(views(EXAMPLE)[0].shown.query_tokens.texts[1])
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    view = views(EXAMPLE)[0]
    expect(panel(page, 0).locator(".says")).to_contain_text(
        f"“{view.shown.key_tokens.texts[1]}” {view.weights[1, 1]:.4f}"
    )
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.matches(':focus-visible')")
    page.keyboard.press("Escape")
    expect(page.locator(".alignment .lit")).to_have_count(0)


def test_a_tap_points(open_page: Callable[..., Page], browser: Browser, address: str) -> None:
    from playwright.sync_api import expect

    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address)
    word = page.locator(".alignment .tokens .word").filter(has_text="signed").first
    word.tap()
    expect(panel(page, 0).locator(".says")).to_contain_text("“signed” gets attention from")
    expect(panel(page, 2).locator(".says")).to_contain_text("“signed” gets attention from")
    context.close()


def test_pointing_is_answered_in_the_browser_alone(open_page: Callable[..., Page], address: str) -> None:
    """Two frames later, and nothing is sent to the server; `benchmarks.page` says in how many milliseconds."""
    page = open_page(address, width=1280, height=900)
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _frame: sent.append(socket.url)))
    page.reload()
    wait_for_panels(page, views(EXAMPLE))
    settle(page)
    assert sent  # the watch sees what a page sends
    sent.clear()
    words = panel(page, 0).locator(".translation .word")
    for number in range(5):
        words.nth(number % words.count()).evaluate("each => { window.wanted = each; }")
        assert page.evaluate(POINTED)
    assert sent == []
