"""The app in a real browser: a sentence is typed, three maps are drawn, a weight is read by hovering."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

import models
from viz.figures.drawing.theme import coloured
from viz.pages.bench.page import USUAL
from viz.text.tokens import label
from viz.views.differences import choose_difference
from viz.views.view import View, choose_view
from viz.widgets.sentence import USUAL as PAIR

PATIENCE = 120_000  # milliseconds: the server loads its models while the first page waits
SENTENCE = "The cat drank the milk because it was hungry."
KEYS = tuple(f"{mechanism}-{PAIR}" for mechanism in USUAL)


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


def views(sentence: str) -> list[View]:
    return [choose_view(models.load(key).attend(sentence)) for key in KEYS]


def wait_for_heatmaps(page: Page, shown: list[View]) -> None:
    """Wait until every panel is drawn with the rows of `shown`."""
    expect(page.locator(".heatmaplayer image")).to_have_count(len(shown))
    for number, view in enumerate(shown, start=1):
        axis = "y" if number == 1 else f"y{number}"
        ticks = page.locator(f".{axis}tick text")
        expect(ticks).to_have_count(len(view.shown.query_tokens))


def hover(page: Page, number: int, query: int, key: int) -> str:
    """Point at one cell of the heatmap `number`, counted from 0, and return what is shown."""
    queries, keys = (
        int(side)
        for side in page.evaluate(
            "number => { const z = document.querySelector('.js-plotly-plot')._fullData[number].z;"
            " return [z.length, z[0].length]; }",
            number,
        )
    )
    box = page.locator(".heatmaplayer image").nth(number).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] * (key + 0.5) / keys
    y = box["y"] + box["height"] * (query + 0.5) / queries
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    text = page.locator(".hoverlayer .hovertext")
    expect(text).to_have_count(1)
    return text.text_content() or ""


def test_a_typed_sentence_is_drawn_translated_and_read_by_hovering(page: Page) -> None:
    expect(page.locator(".heatmaplayer image")).to_have_count(3)
    box = page.get_by_role("textbox").first
    box.click()
    box.press("ControlOrMeta+a")
    box.press_sequentially(SENTENCE, delay=5)
    shown = views(SENTENCE)
    for view in shown:
        expect(page.get_by_text(view.trace.output_text, exact=True).first).to_be_visible()
    wait_for_heatmaps(page, shown)
    assert any(re.search(r"\blait\b", view.trace.output_text) for view in shown)
    assert parse_qs(urlsplit(page.url).query)["sentence"] == [SENTENCE]
    for number, view in enumerate(shown):
        queries, keys = view.weights.shape
        strongest = [(1, int(view.weights[1].argmax())), (queries - 1, int(view.weights[-1].argmax()))]
        for query, key in dict.fromkeys([(0, 0), *strongest, (queries - 1, keys - 1)]):
            check_hover(page, number, view, query, key)


def check_hover(page: Page, number: int, view: View, query: int, key: int) -> None:
    """Check that pointing at a cell gives its weight and both words."""
    text = hover(page, number, query, key)
    assert float(re.match(r"[0-9.]+", text).group()) == pytest.approx(view.weights[query, key], abs=5.1e-5)
    for token in (view.shown.query_tokens.texts[query], view.shown.key_tokens.texts[key]):
        assert unescape(label(token)) in text
    page.mouse.move(1, 1)
    expect(page.locator(".hoverlayer .hovertext")).to_have_count(0)


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
        images = page.locator(".heatmaplayer image")
        expect(images).to_have_count(3)
        expect(page.get_by_role("textbox").first).to_have_value(SENTENCE)
        expect(page.get_by_role("combobox", name="Layer and head")).to_have_value("layer 0, mean")
        expect(page.get_by_test_id("stDataFrame")).to_be_visible()
        expect(page.locator(".js-plotly-plot")).to_have_count(2)
        target = models.load(KEYS[0]).attend(SENTENCE).output_text
        shown = [choose_view(models.load(key).attend(SENTENCE, target), **choice) for key, choice in HEADS]
        difference = choose_difference(*shown)
        drawn = page.evaluate("[...document.querySelectorAll('.js-plotly-plot')[1]._fullData[0].z].map(r => [...r])")
        expected = coloured(difference.weights, "root")
        assert np.allclose(drawn, expected, atol=1e-4)
        assert {key: value for key, (value,) in parse_qs(urlsplit(page.url).query).items()} == link
        page.get_by_role("button", name="More").click()
        for chosen in ("rows: best for each model", "square-root colour", "PNG picture"):
            expect(page.get_by_role("radio", name=chosen)).to_be_checked()


HEADS: tuple[tuple[str, dict[str, Any]], ...] = (
    (KEYS[0], {}),
    (KEYS[2], {"site": "decoder.0.cross", "head": "mean"}),
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_picture_holds_its_words_on_its_own_paper(
    browser: Browser, address: str, tmp_path: Path, scheme: str
) -> None:
    """Whatever the page's own colours are; and on the page the text has the page's colour."""
    sentence = "The cat saw <b> the cat."
    with visit(
        browser, f"{address}/?{urlencode({'sentence': sentence, 'picture': 'svg'})}", color_scheme=scheme
    ) as page:
        wait_for_heatmaps(page, views(sentence))
        ink, paper = (brightness(page, selector, name) for selector, name in PAGE_COLOURS)
        assert (ink > paper) == (scheme == "dark")
        assert abs(ink - paper) > 100
        with page.expect_download() as download:
            page.locator("[data-title^='Download plot']").first.click()
        path = tmp_path / "picture.svg"
        download.value.save_as(path)
    assert download.value.suggested_filename == "The-cat-saw-b-the-cat-bahdanau-luong-general-transformer.svg"
    svg = ElementTree.parse(path).getroot()
    texts = ["".join(each.itertext()) for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    for view in views(sentence):
        assert view.title in " ".join(texts)
        for token in (*view.shown.query_tokens.texts, *view.shown.key_tokens.texts):
            assert token in texts
    background = next(svg.iter("{http://www.w3.org/2000/svg}rect"))
    assert "rgb(255, 255, 255)" in background.get("style", "")
    fills = {re.search(r"fill: ([^;]+);", each.get("style", "")) for each in svg.iter(f"{{{SVG}}}text")}
    assert {found.group(1) for found in fills if found} == {"rgb(28, 35, 48)"}


SVG = "http://www.w3.org/2000/svg"
PAGE_COLOURS = ((".xtick text", "fill"), (".stApp", "background-color"))


def brightness(page: Page, selector: str, name: str) -> float:
    """Return the mean of red, green and blue of a computed colour."""
    colour = page.evaluate("([s, n]) => getComputedStyle(document.querySelector(s))[n]", [selector, name])
    return sum(map(float, re.findall(r"[0-9.]+", colour)[:3])) / 3


def test_the_sentence_travels_between_the_pages(browser: Browser, address: str) -> None:
    """From a link straight to the other page and back, typed text too, and through a reload."""
    with visit(browser, f"{address}/?{urlencode({'sentence': SENTENCE})}") as page:
        box = page.get_by_label("Type a sentence")
        expect(page.locator(".heatmaplayer image")).to_have_count(3)
        expect(box).to_have_value(SENTENCE)
        for name, path in (("Heads", "/heads"), ("Bench", "/"), ("Heads", "/heads")):
            page.get_by_test_id("stHeader").get_by_role("link", name=name, exact=True).click()
            page.wait_for_url(lambda url, path=path: urlsplit(url).path == path and "sentence" in url)
            expect(box).to_have_value(SENTENCE)
        box.fill("A typed sentence.")
        page.wait_for_url(lambda url: "typed" in url)
        page.reload()
        expect(box).to_have_value("A typed sentence.")
        page.get_by_test_id("stHeader").get_by_role("link", name="Bench", exact=True).click()
        page.wait_for_url(lambda url: urlsplit(url).path == "/" and "typed" in url)
        expect(box).to_have_value("A typed sentence.")
        wait_for_heatmaps(page, views("A typed sentence."))


def test_a_page_is_found_again_as_it_was_left(browser: Browser, address: str) -> None:
    """Settings of the Bench wait while the Heads are looked at; each page has its own."""
    link = {"align": "text", "target": "Le chat noir.", "unit": "piece", "mechanisms": "luong-general transformer"}
    with visit(browser, f"{address}/?{urlencode(link)}") as page:
        expect(page.locator(".heatmaplayer image")).to_have_count(2)
        for _visit in range(2):
            page.get_by_test_id("stHeader").get_by_role("link", name="Heads", exact=True).click()
            expect(page.locator(".comparison .stage[data-drawn]")).to_be_visible()
            assert parse_qs(urlsplit(page.url).query).keys() <= {"sentence"}
            page.get_by_test_id("stHeader").get_by_role("link", name="Bench", exact=True).click()
            expect(page.get_by_label("Your translation")).to_have_value("Le chat noir.")
            expect(page.locator(".st-key-figure-alignment .heatmaplayer image")).to_have_count(2)
            page.wait_for_url(lambda url: link.items() <= dict(parse_qsl(urlsplit(url).query)).items())
        page.get_by_role("radio", name="words").click()
        page.wait_for_url(lambda url: "unit" not in url and "align=text" in url)


def test_a_link_with_two_thousand_chinese_characters_opens_and_reloads(browser: Browser, address: str) -> None:
    text = "\u6211\u7231\u5403\u82f9\u679c" * 400
    with visit(browser, f"{address}/?{urlencode({'sentence': text, 'mechanisms': 'luong-general'})}") as page:
        for _ in range(2):
            expect(page.get_by_role("textbox").first).to_have_value(text)
            expect(page.get_by_text("longer than the model takes")).to_be_visible()
            expect(page.locator(".heatmaplayer image")).to_have_count(1)
            page.reload()


def test_an_empty_box_gets_a_message_and_the_maps_stay(page: Page) -> None:
    expect(page.locator(".heatmaplayer image")).to_have_count(3)
    page.get_by_role("textbox").first.fill("")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator(".heatmaplayer image")).to_have_count(3)


def test_a_phone_shows_the_maps_one_below_the_other(browser: Browser, address: str) -> None:
    link = f"{address}/?{urlencode({'also': 'difference numbers'})}"
    with visit(browser, link, viewport={"width": 390, "height": 844}) as page:
        page.wait_for_function(
            """() => {
                const images = [...document.querySelectorAll('.heatmaplayer image')];
                const boxes = images.map(each => each.getBoundingClientRect());
                return boxes.length === 4 && boxes.every((box, place) => !place || box.top > boxes[place - 1].bottom);
            }"""
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        main = page.get_by_test_id("stMain")
        assert main.evaluate("element => element.scrollWidth") <= 390
