"""The Heads in a real browser: links, picks, weights read by hovering, saved pictures, small and dark screens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import transformers
from playwright.sync_api import Locator, Page, expect

import models
from models.huggingface.embedded import local_models
from models.trace import AttentionTrace
from tests.support.browsing import CELL, PIXEL, cell_of, point, query, running, says, settle, until_link
from viz.figures.drawing.theme import PAPER_COLOUR, TEXT_COLOUR, WEIGHT_SCALE
from viz.measures.head_profile import profiles_of
from viz.pages.heads.page import KEY
from viz.text.tokens import visible
from viz.views.heads import views_at

SENTENCE = "The cat drank the milk because the cat was hungry."
AWKWARD = "The cat <img src=x onerror=window.harmed=1> the cat {x} 我 🔥 أحب unbelievably."

DRAWN = """
count => {
    const stage = name => [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector(`${name} .stage[data-drawn]`)).find(each => each);
    const picked = stage('.comparison');
    const fits = picked => Math.abs(parseFloat(picked.style.width) - picked.parentElement.clientWidth) <= 22;
    return stage('.overview') && picked?.exact.length === count && picked.exact.every(Boolean) && fits(picked);
}
"""
LABELLED = """
words => {
    const stage = [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector('.comparison .stage[data-drawn]')).find(each => each);
    return words.every(word => stage?.texts.filter(each => each === word).length === 6) && stage.exact.length === 3;
}
"""
AT_ONCE = """
([all, picked, head]) => {
    const box = all.boxes[head], frame = all.getBoundingClientRect();
    const place = { clientX: frame.left + box.left + box.width / 2, clientY: frame.top + box.top + box.height / 2 };
    all.dispatchEvent(new MouseEvent('click', place));
    return [picked.texts, picked.exact];
}
"""
PIXELS = """
(stage, [head, rows, columns]) => {
    const canvas = stage.querySelector('.maps'), box = stage.boxes[head], ratio = canvas.width / canvas.clientWidth;
    const pen = canvas.getContext('2d');
    return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => {
        const place = [box.left + (column + 0.5) / columns * box.width, box.top + (row + 0.5) / rows * box.height];
        return [...pen.getImageData(...place.map(each => Math.floor(each * ratio)), 1, 1).data];
    }));
}
"""


@cache
def trace() -> AttentionTrace:
    return models.load(KEY).attend(SENTENCE)


@pytest.fixture
def visit(open_page: Callable[..., Page], address: str) -> Callable[..., Page]:
    """Return a way to open the Heads by a link."""
    return partial(open_page, f"{address}/heads", height=1500, sentence=SENTENCE, heads0="0", heads2="0")


def picked_heads(page: Page) -> Locator:
    return page.locator(".comparison .stage")


def texts_of(page: Page) -> list[str]:
    """Return every word that stands beside and above the picked heads: titles, labels, the legend."""
    texts: list[str] = picked_heads(page).evaluate("stage => stage.texts")
    return texts


def click_at_once(page: Page, head: int) -> list[list[str]]:
    """Click a head of the overview; return texts and exactness of the picked ones before the server has answered."""
    stages = (page.locator(".overview .stage"), picked_heads(page))
    said: list[list[str]] = page.evaluate(AT_ONCE, [*(stage.element_handle() for stage in stages), head])
    return said


def wait_for_heatmaps(page: Page, count: int) -> None:
    """Wait until so many heads are drawn exactly, for the width that the page has, and nothing runs any more."""
    for _time in range(2):  # the page tells its width, which draws everything anew
        settle(page)
        page.wait_for_function(DRAWN, arg=count)


def check_cells(
    page: Page, weights: list[np.ndarray], picked: list[int], rows: Sequence[str], keys: Sequence[str]
) -> None:
    """Hover over ten cells of picked heads, and ten of small maps, and hold them against `weights`, [head] of all."""
    generator, shape = np.random.default_rng(0), weights[0].shape
    for number in range(10):
        row, column, place = (int(generator.integers(end)) for end in (*shape, len(picked)))
        said = point(page, place, row, column, shape, figure=".comparison").split("\n")
        assert float(said[1]) == pytest.approx(weights[picked[place]][row, column], abs=5.1e-5)
        assert visible(rows[row]) in said[2]
        assert visible(keys[column]) in said[3]
        head = int(generator.integers(len(weights)))
        said = point(page, head, row, column, shape).split("\n")
        assert float(said[1].removeprefix("≈ ")) == pytest.approx(weights[head][row, column], abs=0.004), number
        assert visible(rows[row]) in said[2]
        assert visible(keys[column]) in said[3]
    page.mouse.move(1, 1)


def test_a_link_is_restored_and_every_weight_is_the_models(visit: Callable[..., Page]) -> None:
    page = visit(map="cross", heads0="1", heads2="7")
    wait_for_heatmaps(page, 2)
    shown = [view.shown for view in views_at(trace(), "decoder.*.cross", "word")]
    weights = [head for each in shown for head in each.weights]
    check_cells(page, weights, [1, 23], shown[0].query_tokens.texts, shown[0].key_tokens.texts)


def test_minilm_is_shown_as_transformers_computes_it(visit: Callable[..., Page]) -> None:
    page = visit(
        height=3600, model="hf:minilm", unit="piece", heads0="0", heads2="", heads3="4", heads5="11", sentence=AWKWARD
    )
    wait_for_heatmaps(page, 3)
    folder = local_models()["hf:minilm"].folder
    own = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(AWKWARD, return_tensors="pt")
    eager = own(**inputs, output_attentions=True).attentions
    weights = [head for layer in eager for head in layer[0].detach().numpy()]
    pieces = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    assert "##" in "".join(pieces)
    check_cells(page, weights, [0, 3 * 12 + 4, 71], pieces, pieces)
    assert page.evaluate("window.harmed") is None
    x, y = cell_of(page, 25, 1, 1, weights[0].shape)
    page.mouse.click(x, y)
    wait_for_heatmaps(page, 4)
    expect(page.locator("[data-testid=stMultiSelect]")).to_contain_text("layer 2, head 1")
    says(page, heads2="1")
    for way in ("lines", "on the text"):
        page.get_by_role("radio", name=way, exact=True).click()
        expect(page.locator(".js-line" if way == "lines" else ".on-text li").first).to_be_visible()
    assert page.evaluate("window.harmed") is None
    assert page.locator("img[src=x]").count() == 0


def test_heads_are_picked_shown_and_kept_in_the_link(visit: Callable[..., Page]) -> None:
    page = visit()
    wait_for_heatmaps(page, 2)
    pills = page.locator(".st-key-heads1 button")
    expect(pills).to_have_count(8)
    pills.nth(4).click()
    wait_for_heatmaps(page, 3)
    pills.nth(6).click()
    wait_for_heatmaps(page, 4)
    says(page, heads1="4 6")
    pills.nth(7).click()
    expect(page.get_by_text("Four heads at most. Replaced: layer 0, head 0.")).to_be_visible()
    expect(
        page.locator(".st-key-heads0 button[aria-pressed=true], .st-key-heads0 button[aria-checked=true]")
    ).to_have_count(0)
    page.reload()
    wait_for_heatmaps(page, 4)
    assert "layer 1, head 7" in texts_of(page)
    assert "layer 0, head 0" not in texts_of(page)


def test_a_head_that_is_clicked_is_drawn_at_once_and_then_exactly(visit: Callable[..., Page]) -> None:
    page = visit(heads0="3", heads2="")
    wait_for_heatmaps(page, 1)
    weights = trace()["encoder.1.self"].to_words().weights[5]
    texts, exact = click_at_once(page, 8 + 5)
    assert exact == [True, False]
    assert "layer 0, head 3" in texts
    assert "≈ layer 1, head 5" in texts
    wait_for_heatmaps(page, 2)
    assert "layer 1, head 5" in texts_of(page)
    before = page.locator(".comparison .stage").evaluate("stage => Number(stage.dataset.drawn)")
    click_at_once(page, 3)
    wait_for_heatmaps(page, 1)
    assert page.locator(".comparison .stage").evaluate("stage => Number(stage.dataset.drawn)") > before
    ends = [place for place, _hex in WEIGHT_SCALE]
    shades = [[int(colour[at : at + 2], 16) for _end, colour in WEIGHT_SCALE] for at in (1, 3, 5)]
    expected = np.stack([np.interp(weights, ends, values) for values in shades], axis=-1)
    drawn = np.array(picked_heads(page).evaluate(PIXELS, [0, *weights.shape]))
    np.testing.assert_allclose(drawn[..., :3], expected, atol=4)
    said = point(page, 0, 3, 2, weights.shape, figure=".comparison").split("\n")
    assert said[:2] == ["layer 1, head 5", f"{weights[3, 2]:.4f}"]
    page.mouse.move(1, 1)
    draw_without_a_server(page)


def draw_without_a_server(page: Page) -> None:
    """Draw another head beside it: the server need not answer."""
    weights = trace()["encoder.2.self"].to_words().weights[6]
    page.evaluate("WebSocket.prototype.send = () => undefined")
    x, y = cell_of(page, 16 + 6, 1, 2, weights.shape)
    page.mouse.click(x, y)
    assert picked_heads(page).evaluate("stage => stage.exact") == [True, False]
    for row, column in ((0, 1), (4, 3), (9, 9)):
        said = point(page, 1, row, column, weights.shape, figure=".comparison").split("\n")
        assert said[0] == "layer 2, head 6"
        assert float(said[1].removeprefix("≈ ")) == pytest.approx(weights[row, column], abs=0.004)
    ends = [place for place, _hex in WEIGHT_SCALE]
    shades = [[int(colour[at : at + 2], 16) for _end, colour in WEIGHT_SCALE] for at in (1, 3, 5)]
    rounded = (np.rint(np.sqrt(weights) * 255) / 255) ** 2
    expected = np.stack([np.interp(rounded, ends, values) for values in shades], axis=-1)
    page.mouse.move(1, 1)
    drawn = np.array(picked_heads(page).evaluate(PIXELS, [1, *weights.shape]))
    np.testing.assert_allclose(drawn[..., :3], expected, atol=2)


def test_a_clicked_head_joins_those_that_a_filtered_overview_does_not_show(visit: Callable[..., Page]) -> None:
    profiles = profiles_of(views_at(trace(), "encoder.*.self", "word"))
    label = profiles[0].label.key
    other = next(each.place for each in profiles if each.label.key != label)
    wanted = next(each.place for each in profiles if each.label.key == label)
    link = {f"heads{layer}": str(other.head) if layer == other.layer else "" for layer in range(3)}
    page = visit(only=label, **link)
    wait_for_heatmaps(page, 1)
    texts, exact = click_at_once(page, 0)  # the first of those with this label
    both = sorted((wanted, other))
    assert exact == [place == other for place in both]
    assert f"≈ {wanted.title}" in texts
    assert other.title in texts
    wait_for_heatmaps(page, 2)


def test_cells_below_a_threshold_are_empty_on_the_picked_heads_and_counted(visit: Callable[..., Page]) -> None:
    page = visit(least="0.1", heads0="3", heads2="7")
    wait_for_heatmaps(page, 2)
    said = " ".join(texts_of(page)).replace("\u00a0", " ")
    for place, (layer, head) in enumerate(((0, 3), (2, 7))):
        weights = trace()[f"encoder.{layer}.self"].to_words().weights[head]
        drawn = np.array(picked_heads(page).evaluate(PIXELS, [place, *weights.shape]))
        np.testing.assert_array_equal(drawn[..., 3] == 0, weights < 0.1)
        assert f"{(weights < 0.1).sum()} of {weights.size} cells below 0.1, left empty" in said


def test_the_keys_bring_the_cell_into_sight_and_move_the_page_no_further(visit: Callable[..., Page]) -> None:
    words = " ".join(["The cat drank the milk"] * 8)
    page = visit(sentence=words, heads0="3", heads2="", height=700)
    wait_for_heatmaps(page, 1)
    picked_heads(page).evaluate("stage => { stage.scrollIntoView(); stage.focus({ preventScroll: true }); }")
    page.keyboard.press("Shift+ArrowDown")
    before = picked_heads(page).bounding_box()
    page.keyboard.press("Shift+ArrowDown")
    assert picked_heads(page).bounding_box() == before
    for _step in range(30):
        page.keyboard.press("Shift+ArrowDown")
    box = picked_heads(page).bounding_box()
    left, top = picked_heads(page).evaluate(CELL, [0, 0.5 / 41, 31.5 / 41])
    assert box is not None
    assert before is not None
    assert box["y"] < before["y"]
    assert 60 < top < 700
    assert left > 0


def test_the_keys_pick_one_head_after_another_while_the_models_have_just_been_loaded(
    open_page: Callable[..., Page],
) -> None:
    with running("app.py") as fresh:
        page = open_page(f"{fresh}/heads", height=1500, sentence=SENTENCE, heads0="3", heads2="")
        wait_for_heatmaps(page, 1)
        page.locator(".overview .stage").focus()
        for count in (2, 3):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            wait_for_heatmaps(page, count)  # the focus stays where it was


def test_the_pair_that_is_pointed_at_is_marked_in_the_small_maps_and_in_the_picked_ones(
    visit: Callable[..., Page],
) -> None:
    page = visit()
    wait_for_heatmaps(page, 2)
    count = len(trace()["encoder.0.self"].to_words().query_tokens)
    edge, middle = 7 / count, 4.5 / count
    figures = {".overview": (5, ".comparison"), ".comparison": (1, ".overview")}
    for figure, (head, other) in figures.items():
        point(page, head, 4, 7, (count, count), figure=figure)
        for place in range(2):
            assert page.locator(f"{other} .stage").evaluate(PIXEL, ["marks", place, edge, middle])[3] > 0
            assert page.locator(f"{other} .stage").evaluate(PIXEL, ["marks", place, 0.5 / count, 0.5 / count])[3] == 0
        expect(page.locator(f"{other} .tip")).to_be_hidden()
        page.mouse.move(1, 1)
        assert page.locator(f"{other} .stage").evaluate(PIXEL, ["marks", 0, edge, middle])[3] == 0


def test_the_keys_move_inside_a_head_which_may_go_while_the_pointer_is_on_a_later_one(
    visit: Callable[..., Page],
) -> None:
    page = visit(heads1="5")
    wait_for_heatmaps(page, 3)
    weights, live = trace()["encoder.1.self"].to_words().weights[5], page.locator(".comparison .live")
    picked_heads(page).focus()
    for key in ("ArrowRight", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight"):
        page.keyboard.press(key)
    expect(live).to_contain_text(f"layer 1, head 5; {weights[1, 1]:.4f}; query: the word that attends: “cat”")
    page.keyboard.press("Enter")
    wait_for_heatmaps(page, 3)  # there is nothing to pick here
    shape = trace()["encoder.0.self"].to_words().weights[0].shape
    point(page, 2, 3, 3, shape, figure=".comparison")
    page.evaluate("document.querySelector('.st-key-heads1 button:nth-of-type(6)').click()")
    wait_for_heatmaps(page, 2)  # an error in the page would fail the test
    point(page, 1, 3, 3, shape, figure=".comparison")
    assert page.locator(".comparison .tip").inner_text().startswith("layer 2, head 0")


def test_the_sentence_and_the_picks_travel_between_the_pages(visit: Callable[..., Page]) -> None:
    page = visit(heads1="5")
    wait_for_heatmaps(page, 3)
    box = page.locator(".st-key-sentence input")
    box.fill("The dog sleeps.")
    words = ["The", "dog", "sleeps", ".", "</s>"]
    page.wait_for_function(LABELLED, arg=words)
    page.get_by_role("link", name="Bench").click()
    expect(page.locator(".st-key-figure-alignment")).to_be_visible()
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    page.get_by_role("link", name="Heads").click()
    wait_for_heatmaps(page, 3)
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    assert "layer 1, head 5" in texts_of(page)


def test_a_phone_has_all_of_it_and_nothing_sticks_out(visit: Callable[..., Page]) -> None:
    page = visit(width=390, map="cross")
    wait_for_heatmaps(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [each.bounding_box() for each in page.locator(".st-key-heads2 button").all()]
    assert len(boxes) == 8
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)


def test_a_picture_saved_from_a_dark_page_is_dark_on_white(visit: Callable[..., Page], tmp_path: Path) -> None:
    page = visit(scheme="dark", picture="svg", width=1050)
    wait_for_heatmaps(page, 2)
    expect(page.locator("figure.comparison")).to_have_css("color", re.compile(r"rgb\((2\d\d), (2\d\d), (2\d\d)\)"))
    with page.expect_download() as download:
        page.locator(".comparison .save").click()
    saved = tmp_path / "picture.svg"
    download.value.save_as(saved)
    assert download.value.suggested_filename == (
        "The-cat-drank-the-milk-because-the-cat-w-side-layer-0-head-0-layer-2-head-0.svg"
    )
    root = ElementTree.parse(saved).getroot()
    assert root.attrib["fill"] == TEXT_COLOUR
    parts = {
        name: [each for each in root.iter() if each.tag.endswith(f"}}{name}")] for name in ("rect", "image", "text")
    }
    assert parts["rect"][0].attrib["fill"] == PAPER_COLOUR
    assert parts["image"] == []
    assert len(parts["rect"]) > 200
    said = [each.text for each in parts["text"]]
    for words in (
        "layer 2, head 0",
        "query: the word that attends",
        "key: the word attended to",
        "subwords merged into words",
    ):
        assert words in said
    assert said.count("hungry") == 4  # a row and a column of each map
    turned = {each.attrib["transform"].split(" ")[0] for each in parts["text"] if "transform" in each.attrib}
    assert turned == {"rotate(-90", "rotate(-45"}
    assert "attention weight" in " ".join(said)


def test_rows_are_chosen_by_slider_and_a_link_shows_them_to_others(
    visit: Callable[..., Page],
) -> None:
    screen, said = {"width": 390, "height": 844, "touch": True}, "显示第 2-42 行"
    page = visit(sentence="The cat drank the milk. " * 7, unit="word", heads1="5", lang="zh", **screen)
    expect(picked_heads(page)).to_have_attribute("data-drawn", re.compile(r"\d"))  # it pushes the button down
    settle(page)
    page.locator(".st-key-span button").click()
    ends = page.locator(".st-key-span-rows").get_by_role("slider")
    ends.first.focus()
    page.keyboard.press("ArrowRight")
    until_link(page, lambda url: "rows=1-" in url)
    settle(page)
    ends.last.focus()
    page.keyboard.press("ArrowLeft")
    until_link(page, lambda url: "rows=1-41" in url)
    settle(page)
    stage = picked_heads(page)
    expect(stage).to_have_attribute("aria-label", re.compile(re.escape(said)))
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    again = visit(**screen, **{name: value[0] for name, value in query(page).items()})
    expect(picked_heads(again)).to_have_attribute("aria-label", re.compile(re.escape(said)))
    again.locator(".st-key-span button").click()
    again.locator(".st-key-span-all button").click()
    until_link(again, lambda url: "rows=" not in url)
    expect(picked_heads(again)).not_to_have_attribute("aria-label", re.compile(re.escape(said)))
