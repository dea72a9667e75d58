"""The app in a real browser: a sentence is typed, three maps are drawn, a weight is read by pointing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

import models
from tests.support.bench_page import KEYS, box_of, cell, maps, panel, views, wait_for_panels
from tests.support.browsing import AT_REST, says, settle, until_link
from viz.figures.drawing.theme import coloured
from viz.views.differences import choose_difference
from viz.views.view import View, choose_view

PATIENCE = 120_000  # milliseconds: the server loads its models while the first page waits
SENTENCE = "The cat drank the milk because it was hungry."


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open the app as the first visit finds it."""
    with visit(browser, address) as page:
        yield page


def is_problem(message: ConsoleMessage) -> bool:
    """Return whether the console names an error; Streamlit looks for its own paths below that of a page, in vain."""
    below_a_page = re.search(r"//[^/]+/\w+/_stcore/", message.location["url"])
    return message.type == "error" and not (below_a_page and "404" in message.text)


@contextmanager
def visit(browser: Browser, url: str, **context_options: Any) -> Iterator[Page]:
    """Open `url`; whatever the page asks for must come from this machine, and nothing may fail on it."""
    asked: list[str] = []
    problems: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    context = browser.new_context(**{"viewport": {"width": 1400, "height": 1300}} | context_options)
    context.add_init_script(path=AT_REST)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.on("request", note)
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if is_problem(message) else None)
    page.goto(url)
    yield page
    context.close()
    hosts = {urlsplit(url).hostname for url in asked if not url.startswith(("data:", "blob:"))}
    assert hosts == {"localhost"}
    assert problems == []


def test_a_typed_sentence_is_drawn_translated_and_read_by_pointing(page: Page) -> None:
    expect(maps(page)).to_have_count(3)
    box = page.get_by_role("textbox").first
    box.click()
    box.press("ControlOrMeta+a")
    box.press_sequentially(SENTENCE, delay=5)
    shown = views(SENTENCE)
    wait_for_panels(page, shown)
    for number, view in enumerate(shown):
        assert panel(page, number).locator(".translation").text_content() == view.trace.output_text
    assert any(re.search(r"\blait\b", view.trace.output_text) for view in shown)
    says(page, sentence=SENTENCE)
    for number, view in enumerate(shown):
        queries, keys = view.weights.shape
        strongest = [(1, int(view.weights[1].argmax())), (queries - 1, int(view.weights[-1].argmax()))]
        for query, key in dict.fromkeys([(0, 0), *strongest, (queries - 1, keys - 1)]):
            check_cell(page, number, view, query, key)


def check_cell(page: Page, number: int, view: View, query: int, key: int) -> None:
    """Check that pointing at a cell gives its weight and both words."""
    page.mouse.move(*cell(page, number, query, key, view))
    line = panel(page, number).locator(".says")
    expect(line).to_contain_text(f"“{view.shown.query_tokens.texts[query]}”")
    word = view.shown.key_tokens.texts[key]
    found = re.search(rf"“{re.escape(word)}” (\d\.\d{{4}})", line.text_content() or "")
    assert found, line.text_content()
    assert float(found[1]) == pytest.approx(view.weights[query, key], abs=5.1e-5)


def test_a_link_restores_the_view_and_the_difference_is_drawn(browser: Browser, address: str) -> None:
    link = {
        "sentence": SENTENCE,
        "mechanisms": "bahdanau transformer",
        "align": "bahdanau",
        "colour": "root",
        "head-transformer": "0.mean",
        "also": "difference numbers",
    }
    with visit(browser, f"{address}/?{urlencode(link)}") as page:
        expect(maps(page)).to_have_count(2)
        expect(page.get_by_role("textbox").first).to_have_value(SENTENCE)
        expect(page.get_by_test_id("stDataFrame")).to_be_visible()
        expect(page.locator(".js-plotly-plot .heatmaplayer image")).to_have_count(1)
        target = models.load(KEYS[0]).attend(SENTENCE).output_text
        shown = [choose_view(models.load(key).attend(SENTENCE, target), **choice) for key, choice in HEADS]
        difference = choose_difference(*shown)
        drawn = page.evaluate("[...document.querySelector('.js-plotly-plot')._fullData[0].z].map(r => [...r])")
        expected = coloured(difference.weights, "root")
        assert np.allclose(drawn, expected, atol=1e-4)
        assert {key: value for key, (value,) in parse_qs(urlsplit(page.url).query).items()} == link
        page.get_by_role("button", name="Settings").click()
        for chosen in ("rows: best for each model", "square-root colour", "PNG picture"):
            expect(page.get_by_role("radio", name=chosen)).to_be_checked()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Transformer: variants").click()
        expect(page.get_by_role("combobox", name="Layer and head")).to_have_value("layer 0, mean")


HEADS: tuple[tuple[str, dict[str, Any]], ...] = (
    (KEYS[0], {}),
    (KEYS[2], {"site": "decoder.0.cross", "head": "mean"}),
)


def test_a_picture_to_keep_holds_its_words(browser: Browser, address: str, tmp_path: Path) -> None:
    """Whatever the page's own colours are; and on the page the text has the page's colour."""
    sentence = "The cat saw <b> the cat."
    link = f"{address}/?{urlencode({'sentence': sentence})}"
    with visit(browser, link, color_scheme="dark") as page:
        wait_for_panels(page, views(sentence))
        ink, paper = (brightness(page, selector, name) for selector, name in PAGE_COLOURS)
        assert ink - paper > 100
        page.get_by_role("button", name="Save as").click()
        page.get_by_role("radio", name="SVG").click()
        settle(page)  # the button of a run that is over has nothing to give
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        path = tmp_path / "picture.svg"
        download.value.save_as(path)
    assert download.value.suggested_filename == "The-cat-saw-b-the-cat-bahdanau-luong-general-transformer.svg"
    words = "".join(ElementTree.parse(path).getroot().itertext())
    for view in views(sentence):
        assert view.title in words
        for token in (*view.shown.query_tokens.texts, *view.shown.key_tokens.texts):
            assert token in words


PAGE_COLOURS = ((".alignment .rows span", "color"), (".stApp", "background-color"))


def brightness(page: Page, selector: str, name: str) -> float:
    """Return the mean of red, green and blue of a computed colour."""
    colour = page.locator(selector).first.evaluate("(each, name) => getComputedStyle(each)[name]", name)
    return sum(map(float, re.findall(r"[0-9.]+", colour)[:3])) / 3


def test_a_page_is_found_again_as_it_was_left(browser: Browser, address: str) -> None:
    """Settings of the Bench wait while the Heads are looked at; each page has its own."""
    link = {"align": "text", "target": "Le chat noir.", "unit": "piece", "mechanisms": "luong-general transformer"}
    with visit(browser, f"{address}/?{urlencode(link)}") as page:
        expect(maps(page)).to_have_count(2)
        page.get_by_test_id("stHeader").get_by_role("link", name="Heads", exact=True).click()
        expect(page.locator(".comparison .stage[data-drawn]")).to_be_visible()
        assert parse_qs(urlsplit(page.url).query).keys() <= {"sentence"}
        page.get_by_test_id("stHeader").get_by_role("link", name="Bench", exact=True).click()
        expect(page.get_by_label("Your translation")).to_have_value("Le chat noir.")
        expect(maps(page)).to_have_count(2)
        until_link(page, lambda url: link.items() <= dict(parse_qsl(urlsplit(url).query)).items())
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("radio", name="words", exact=True).click()
        until_link(page, lambda url: "unit" not in url and "align=text" in url)


def test_a_link_with_two_thousand_chinese_characters_opens_and_reloads(browser: Browser, address: str) -> None:
    text = "\u6211\u7231\u5403\u82f9\u679c" * 400
    link = {"sentence": text, "mechanisms": "luong-general", "languages": "zh-en"}
    with visit(browser, f"{address}/?{urlencode(link)}") as page:
        for _ in range(2):
            expect(page.get_by_role("textbox").first).to_have_value(text)
            expect(page.get_by_text("This text is too long for the model")).to_be_visible()
            expect(maps(page)).to_have_count(1)
            page.reload()


def test_an_empty_box_gets_a_message_and_the_maps_stay(page: Page) -> None:
    expect(maps(page)).to_have_count(3)
    page.get_by_role("textbox").first.fill("")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(maps(page)).to_have_count(3)


def test_a_phone_shows_the_maps_one_below_the_other(browser: Browser, address: str) -> None:
    link = f"{address}/?{urlencode({'also': 'difference numbers'})}"
    with visit(browser, link, viewport={"width": 390, "height": 844}) as page:
        expect(maps(page)).to_have_count(3)
        boxes = [box_of(each) for each in maps(page).all()]
        assert all(below["y"] > above["y"] + above["height"] for above, below in pairwise(boxes))
        expect(page.locator(".heatmaplayer image")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        main = page.get_by_test_id("stMain")
        assert main.evaluate("element => element.scrollWidth") <= 390
