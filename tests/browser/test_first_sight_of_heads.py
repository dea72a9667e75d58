"""What a visitor of the Heads sees first: all heads, high up and whole; and nothing jumps while somebody types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.support import browsing
from tests.support.browsing import PIXEL, SCREENS, Screen

if TYPE_CHECKING:
    from playwright.sync_api import Page

SENTENCE = "My brother did not buy the red car because it was too expensive."
CHINESE = "\u90a3\u4f4d\u8001\u592a\u592a\u6628\u5929\u5356\u4e86\u4e09\u628a\u65e7\u6905\u5b50\u3002"
DRAWN = """
() => {
    const stage = name => [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector(`${name} .stage[data-drawn]`)).find(each => each);
    return stage('.overview') && stage('.comparison')?.exact.every(Boolean);
}
"""
HIGHEST = 300  # pixels
PLACES = """
stage => {
    const top = stage.getBoundingClientRect().top, boxes = stage.boxes.map(box => [top + box.top, box.height]);
    return [Math.min(...boxes.map(([at]) => at)), Math.max(...boxes.map(([at, high]) => at + high))];
}
"""
LABELS = """
stage => [...stage.querySelectorAll('.names .label')]
    .map(each => [each.scrollWidth - each.clientWidth, each.textContent])
"""
WRITE = """() => {
    window.written = [];
    const pen = CanvasRenderingContext2D.prototype, { fillText } = pen;
    pen.fillText = function (text, x, y) {
        const { a, b, e } = this.getTransform(), { left, width } = this.canvas.getBoundingClientRect();
        const scale = this.canvas.width / width, wide = this.measureText(text).width;
        const start = left + (e + a * x) / scale - { left: 0, center: 0.5, right: 1 }[this.textAlign] * wide;
        const whole = text.replace(/[\u2068\u2069]/g, "");
        if (this.canvas.matches(".comparison canvas")) window.written.push([whole, start, start + wide, b !== 0]);
        return fillText.call(this, text, x, y);
    };
}"""
"""Keeps each text that is written on the picked maps, where it begins and ends, and whether it is turned."""
WATCH = """() => {
    const parts = () => ['.overview', '.comparison'].map(name => [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector(`${name} .stage`)).find(each => each));
    window.seen = { places: new Set(), gone: 0 };
    const look = () => {
        const [all, picked] = parts();
        if (!all || !picked) window.seen.gone++;
        else {
            const tops = [all, picked].map(each => Math.round(each.getBoundingClientRect().top));
            window.seen.places.add([...tops, all.clientHeight].join(' '));
        }
        requestAnimationFrame(look);
    };
    look();
}"""


def settle(page: Page) -> None:
    """Wait until all is drawn for the width that the page has told."""
    browsing.settle(page)
    page.wait_for_function(DRAWN)
    browsing.settle(page)


def places(page: Page) -> tuple[float, float]:
    """Return where the first small map begins and where the last one ends."""
    first, last = page.locator(".overview .stage").evaluate(PLACES)
    return first, last


@pytest.mark.parametrize(("model", "heads"), [("transformer-en-fr", 24), ("hf:minilm", 72)])
@pytest.mark.parametrize("screens", SCREENS)
def test_all_heads_stand_high_and_whole(
    open_page: Callable[..., Page], address: str, screens: Sequence[Screen], model: str, heads: int
) -> None:
    """The label of each too; and the first picked map stands beside them, or has a legend of its own on a phone."""
    page = open_page(f"{address}/heads", **screens[0].opened, model=model, sentence=SENTENCE)
    for screen in screens:
        screen.take(page)
        settle(page)
        first, last = places(page)
        assert first < screen.highest
        assert page.evaluate("document.documentElement.scrollWidth") <= screen.width
        assert page.get_by_test_id("stMain").evaluate("each => each.scrollWidth") <= screen.width
        if screen.width < 1000:
            expect(page.locator(".comparison .bar")).to_contain_text("0.25")
            continue
        assert last <= screen.height
        labels: list[tuple[int, str]] = page.locator(".overview .stage").evaluate(LABELS)
        assert len(labels) == heads
        assert [text for more, text in labels if more > 0] == []
        if screen.height == 720:
            assert_picked_map(page)


KINDS = (
    "transformer-zh-en",
    "convs2s-en-fr",
    "hf:bert-en",
    "hf:attention-lm-en",
    "hf:smollm2-135m",
)


@pytest.mark.parametrize(
    "link", [*({"model": key} for key in KINDS), {"quantity": "moved"}, {"lang": "zh", "model": "hf:gpt-en"}]
)
@pytest.mark.usefixtures("smollm2")
def test_the_first_picked_map_begins_high_beside_the_overview(
    open_page: Callable[..., Page], address: str, link: dict[str, str]
) -> None:
    page = open_page(f"{address}/heads", width=1280, height=720, **link)
    settle(page)
    assert_picked_map(page)


def assert_picked_map(page: Page) -> None:
    """Axes and notes are named once, below all maps."""
    stage = page.locator(".comparison .stage")
    assert stage.evaluate(PLACES)[0] <= HIGHEST
    texts: list[str] = stage.evaluate("stage => stage.texts")
    assert "0.25" not in texts
    notes = page.locator(".comparison .note").inner_text().split("\u00a0· ")
    assert sum("): query" in note or "\uff09\uff1a\u67e5\u8be2" in note for note in notes) == 1
    assert len(set(notes)) == len(notes)


def test_on_a_phone_words_at_picked_maps_are_whole_and_characters_upright(
    open_page: Callable[..., Page], address: str
) -> None:
    link = {"model": "transformer-zh-en", "sentence": CHINESE, "heads0": "1 2", "heads1": "", "heads2": ""}
    page = open_page(f"{address}/heads", width=400, height=844, touch=True, **link)
    settle(page)
    page.evaluate(WRITE)
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    written: list[tuple[str, float, float, bool]] = page.evaluate("window.written")
    axes = [each for each in written if re.search("[\u2192\u2193]", each[0])]
    assert " ".join(text for text, *_ in axes) == " ".join(["\u2193 query \u2192 key"] * 2)
    assert all(start >= 0 and end <= 390 for _, start, end, _ in axes)
    turned = {text for text, *_, is_turned in written if is_turned}
    assert turned == {"</s>"}
    assert {text for text, *_, is_turned in written if not is_turned} >= set(CHINESE)


@pytest.mark.parametrize("kind", ["encoder", "cross"])
def test_nothing_jumps_while_a_sentence_is_typed(open_page: Callable[..., Page], address: str, kind: str) -> None:
    page = open_page(f"{address}/heads", width=1280, height=720, sentence=SENTENCE, map=kind, heads0="1", heads2="3")
    settle(page)
    page.evaluate(WATCH)
    box = page.locator(".st-key-sentence input")
    box.press("End")
    for word in ("The", "members", "of the committee", "have asked for a report."):
        page.keyboard.insert_text(f" {word}")
    settle(page)
    seen: dict[str, Any] = page.evaluate("({ places: [...window.seen.places], gone: window.seen.gone })")
    assert len(seen["places"]) == 1
    assert seen["gone"] == 0


FIGURES = (".overview", ".comparison")


def test_on_a_dark_page_no_reading_is_dark_and_a_change_of_the_theme_is_followed(
    open_page: Callable[..., Page], address: str
) -> None:
    """The decoder never reads ahead: the upper right cell of its maps is 0, beside the cross in its middle."""
    link = {"sentence": SENTENCE, "map": "decoder", "heads0": "1", "heads2": "3"}
    page = open_page(f"{address}/heads", width=1280, height=720, scheme="dark", **link)
    settle(page)
    for figure in FIGURES:
        stage = page.locator(f"{figure} .stage")
        ground = page.locator(f"figure{figure}").evaluate("each => getComputedStyle(each).backgroundColor")
        page_ground = [int(each) for each in ground.removeprefix("rgb(").removesuffix(")").split(",")]
        dark = stage.evaluate(PIXEL, ["maps", 0, 0.985, 0.03])
        assert max(page_ground) < 60
        assert max(abs(one - other) for one, other in zip(dark, page_ground, strict=False)) <= 10
    page.emulate_media(color_scheme="light")
    for figure in FIGURES:
        corner = [page.locator(f"{figure} .stage").element_handle(), ["maps", 0, 0.985, 0.03]]
        page.wait_for_function(f"([stage, place]) => Math.min(...({PIXEL})(stage, place)) > 230", arg=corner)
