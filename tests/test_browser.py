"""The app in a real browser: a sentence is typed, three maps are drawn, a weight is read by hovering."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

import models
from viz.pages.bench import MECHANISMS, PAIR
from viz.tokens import label
from viz.views import View, choose_view

ROOT = Path(__file__).parent.parent
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 120_000  # milliseconds: the server loads its models while the first page waits
SENTENCE = "The cat drank the milk because it was hungry."
KEYS = tuple(f"{mechanism}-{PAIR}" for mechanism in MECHANISMS)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_it_answers(server: subprocess.Popen[bytes], address: str) -> None:
    """Wait for the first answer; each attempt that is refused is followed by another until time is up."""
    attempts = 0
    while server.poll() is None and attempts < 600:
        attempts += 1
        try:
            with urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                assert answer.read() == b"ok"
                return
        except URLError:
            try:
                server.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
    pytest.fail(f"the app did not start; exit code {server.poll()}")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Start the app as the README says, on a free port; stop it afterwards."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as server:
        try:
            wait_until_it_answers(server, f"http://localhost:{port}")
            yield f"http://localhost:{port}"
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open the app; whatever the page asks for must come from this machine, and nothing may fail on it."""
    asked: list[str] = []
    problems: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    context = browser.new_context(viewport={"width": 1400, "height": 1300})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.on("request", note)
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(address)
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
    """Point at one cell of the heatmap `number`, counted from 0, and give what is shown."""
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
        query = 1
        key = int(view.weights[query].argmax())
        text = hover(page, number, query, key)
        assert float(re.match(r"[0-9.]+", text).group()) == pytest.approx(view.weights[query, key], abs=5.1e-5)
        for token in (view.shown.query_tokens.texts[query], view.shown.key_tokens.texts[key]):
            assert label(token) in text
        page.mouse.move(1, 1)
        expect(page.locator(".hoverlayer .hovertext")).to_have_count(0)


def test_an_empty_box_gets_a_message_and_the_maps_stay(page: Page) -> None:
    expect(page.locator(".heatmaplayer image")).to_have_count(3)
    page.get_by_role("textbox").first.fill("")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator(".heatmaplayer image")).to_have_count(3)


def test_a_phone_shows_the_maps_one_below_the_other(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_function(
        """() => {
            const images = [...document.querySelectorAll('.heatmaplayer image')];
            const boxes = images.map(each => each.getBoundingClientRect());
            return boxes.length === 3 && boxes.every((box, place) => !place || box.top > boxes[place - 1].bottom);
        }"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
