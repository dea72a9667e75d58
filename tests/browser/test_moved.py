"""The switch weight / moved in a real browser: by link, by hand and by Back, on a desk and on a phone in Chinese."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page

import models
from tests.support.browsing import query, settle
from tests.support.waiting import until
from viz.figures.drawing.theme import weight_colour
from viz.views.view import choose_view

SENTENCE = "The cat drank the milk because it was hungry."
KEY = "transformer-en-fr"
QUANTITIES = ("weights", "moved")
PAINTED = """
(stage, [kind, head, [rows, columns]]) => {
    const canvas = stage.querySelector(kind), ratio = canvas?.width / canvas?.clientWidth;
    if (!Number.isFinite(ratio)) return null; // not laid out yet
    const whole = { left: 0, top: 0, width: canvas.clientWidth, height: canvas.clientHeight };
    const { left, top, width, height } = stage.boxes?.[head] ?? whole, pen = canvas.getContext('2d');
    return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => {
        const place = [left + (column + 0.5) / columns * width, top + (row + 0.5) / rows * height];
        return [...pen.getImageData(...place.map(each => Math.floor(each * ratio)), 1, 1).data].slice(0, 3);
    }));
}
"""
COUNT_PAINTED = """() => {
    const { prototype } = CanvasRenderingContext2D, put = prototype.putImageData;
    window.paintings = 0;
    prototype.putImageData = function (...given) { window.paintings += 1; return put.apply(this, given); };
}"""
WORDS = "() => document.querySelector('.stMain').innerText"
SHADOWS = """() => [...document.querySelectorAll('*')]
    .flatMap(each => [...each.shadowRoot?.children ?? []])
    .flatMap(each => [each.innerText ?? '', each.querySelector('.stage')?.texts?.join(' ') ?? '']).join(' ')"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page that has the switch, and one map on it."""

    path: str
    stage: str  # what the map is drawn in
    canvas: str = ".maps"
    number: int = 0  # of the map among those of the stage
    site: str
    head: int
    tolerance: float = 2  # of a channel of a colour, from 0 to 255
    behind: bool = False  # whether the switch is behind the button of settings
    link: dict[str, str] = field(default_factory=dict, hash=False)

    @cache  # noqa: B019 - of constants
    def colours(self, quantity: str) -> NDArray[np.float64]:
        """Return the colour of each cell as the model has it, [query, key, channel]."""
        trace = models.load(KEY).attend(SENTENCE)
        view = choose_view(trace.moved() if quantity == "moved" else trace, site=self.site, head=self.head)
        shades = [[weight_colour(float(weight), "linear") for weight in row] for row in view.weights]
        return np.array([[[int(shade[at : at + 2], 16) for at in (1, 3, 5)] for shade in row] for row in shades])

    def painted(self, page: Page, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the colour of each cell as it is painted."""
        stage = page.locator(self.stage).first
        found = stage.evaluate(PAINTED, [self.canvas, self.number, list(shape[:2])])
        return np.full(shape, np.inf) if found is None else np.asarray(found)

    def wait(self, page: Page, quantity: str) -> None:
        """Wait until the cells are painted as a quantity has them."""
        expected, off = self.colours(quantity), [np.inf]

        def looks() -> bool:
            off[0] = float(np.abs(self.painted(page, expected.shape) - expected).max())
            return off[0] <= self.tolerance

        until(looks, what=off)

    def check(self, page: Page, quantity: str, language: str) -> None:
        """Check that cells, legend and caption are those of a quantity, and that the link carries it."""
        settle(page)
        self.wait(page, quantity)
        said = page.evaluate(WORDS) + page.evaluate(SHADOWS)
        for name in QUANTITIES:
            assert all((each in said) == (name == quantity) for each in SAID[language][name]), (name, said)
        assert query(page).get("quantity", ["weights"]) == [quantity]


PLACES = {
    "bench": Place(
        path="",
        stage=".alignment .panel",
        canvas=".cells",
        site="decoder.1.cross",
        head=2,
        behind=True,
        link={"mechanisms": "transformer", "head-transformer": "1.2"},
    ),
    "all heads": Place(
        path="heads",
        stage=".overview .stage",
        number=2,
        site="encoder.0.self",
        head=2,
        tolerance=6,
        link={"model": KEY},
    ),
    "picked heads": Place(
        path="heads", stage=".comparison .stage", site="encoder.1.self", head=1, link={"model": KEY, "heads1": "1"}
    ),
    "surgery": Place(
        path="surgery",
        stage=".comparison .stage",
        site="decoder.1.cross",
        head=2,
        behind=True,
        link={"model": "transformer", "shown": "decoder.1.cross.2"},
    ),
}
SETTINGS = {"en": "Settings", "zh": "设置"}
SAID = {
    "en": {
        "weights": ["attention weight"],
        "moved": ["moved: share of the lengths", "Kobayashi"],
    },
    "zh": {"weights": ["注意力权重"], "moved": ["该键加到查询向量", "Kobayashi"]},
}
"""What legend and captions say of each quantity, and of that alone."""
SCREENS = {"en": {"width": 1400, "height": 1000}, "zh": {"width": 390, "height": 844, "touch": True}}


def turn(page: Page, place: Place, quantity: str, language: str) -> None:
    """Press the switch, with the finger on a touch phone."""
    press = (lambda each: each.tap()) if "touch" in SCREENS[language] else (lambda each: each.click())
    if place.behind and not page.locator(".st-key-quantity").is_visible():
        press(page.get_by_role("button", name=SETTINGS[language]))
    press(page.locator(".st-key-quantity button").nth(QUANTITIES.index(quantity)))


def check(page: Page, places: list[Place], quantity: str, language: str) -> None:
    for place in places:
        place.check(page, quantity, language)


def placed(path: str) -> list[Place]:
    """Return all maps of a page; one link shows them all."""
    return [place for place in PLACES.values() if place.path == path]


@pytest.mark.parametrize("path", ["", "heads", "surgery"])
def test_a_link_opens_what_is_moved_the_switch_turns_it_back_restores_it_and_a_reload_keeps_it(
    open_page: Callable[..., Page], address: str, path: str
) -> None:
    """On a phone in Chinese; the other test turns each page at a desk in English."""
    places = placed(path)
    link = {"sentence": SENTENCE, "lang": "zh", "quantity": "moved", **places[-1].link}
    page = open_page(f"{address}/{path}", **SCREENS["zh"], **link)
    check(page, places, "moved", "zh")
    for quantity in ("weights", "moved"):
        turn(page, places[0], quantity, "zh")
        check(page, places, quantity, "zh")
    for quantity in ("weights", "moved"):
        page.go_back()
        check(page, places, quantity, "zh")
    page.reload()
    check(page, places, "moved", "zh")


@pytest.mark.parametrize("path", ["", "heads", "surgery"])
def test_without_it_in_its_link_a_page_opens_on_weights_and_turns(
    open_page: Callable[..., Page], address: str, path: str
) -> None:
    """What was seen of both on Heads is drawn at the click though the server is silent."""
    places = placed(path)
    assert all(np.abs(each.colours("weights") - each.colours("moved")).max() > 20 for each in places)
    page = open_page(f"{address}/{path}", **SCREENS["en"], sentence=SENTENCE, **places[-1].link)
    check(page, places, "weights", "en")
    turn(page, places[0], "moved", "en")
    check(page, places, "moved", "en")
    if path == "heads":
        turn_without_a_server(page, places)


def turn_without_a_server(page: Page, places: list[Place]) -> None:
    """Draw what was seen; of another text nothing was: there the old maps stay until the server answers."""
    turn(page, places[0], "weights", "en")
    settle(page)
    page.evaluate("() => { window.heard = WebSocket.prototype.send; WebSocket.prototype.send = () => {}; }")
    page.evaluate(COUNT_PAINTED)
    for quantity in ("moved", "weights", "moved"):
        turn(page, places[0], quantity, "en")
        for place in places:
            place.wait(page, quantity)
    assert page.evaluate("window.paintings") == 0, "cells that were painted once are not painted again"
    page.evaluate("() => { WebSocket.prototype.send = window.heard; }")
    turn(page, places[0], "weights", "en")
    page.locator(".st-key-sentence input").fill("The dog saw the old man in the park because it was big.")
    settle(page)
    before = page.locator(".overview .stage").get_attribute("data-drawn")
    page.evaluate("() => { WebSocket.prototype.send = () => {}; }")
    turn(page, places[0], "moved", "en")
    assert page.locator(".overview .stage").get_attribute("data-drawn") == before
    assert page.locator(".overview .meaning").inner_text().startswith("attention weight")


def test_what_is_moved_in_a_long_text_is_drawn_at_the_first_click_though_the_server_is_silent(
    open_page: Callable[..., Page], address: str
) -> None:
    """It is what the server itself would have drawn, to the last byte: its answer changes nothing."""
    language = "zh"
    text = " ".join(f"cat{number} sat" for number in range(70))
    page = open_page(f"{address}/heads", **SCREENS[language], model="hf:minilm", sentence=text, lang=language)
    stage = page.locator(".overview .stage[data-drawn]")
    stage.wait_for()
    settle(page)
    page.evaluate("() => { window.heard = WebSocket.prototype.send; WebSocket.prototype.send = () => {}; }")
    drawn = "stage => [stage.dataset.drawn, stage.querySelector('.maps').toDataURL()]"
    weights = stage.evaluate(drawn)
    turn(page, PLACES["all heads"], "moved", language)
    until(lambda: stage.evaluate(drawn)[0] != weights[0])
    moved = stage.evaluate(drawn)
    assert moved[1] != weights[1]
    meaning = page.locator(".overview .meaning").inner_text()
    assert any(each in meaning for each in SAID[language]["moved"])
    page.evaluate("() => { WebSocket.prototype.send = window.heard; }")
    turn(page, PLACES["all heads"], "weights", language)
    settle(page)
    turn(page, PLACES["all heads"], "moved", language)
    settle(page)
    assert query(page)["quantity"] == ["moved"]
    assert stage.evaluate(drawn) == [str(int(moved[0]) + 2), moved[1]]
