"""The Steps in a real browser: one picture stands still while steps go by, and its numbers are the trace's."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import models
from models.experiments import lab, lab_presets
from models.sites import Site
from models.trace import AttentionTrace
from tests.support.browsing import says, settle
from tests.support.waiting import until
from viz.canvas.standalone import standalone_html
from viz.pages.steps.looking import Looked, walk_page, walker_of
from viz.pages.steps.places import StepPlace
from viz.server.runtime import shared_host
from viz.walk.picture import SentenceLabel

SENTENCE = "The cat drank the milk."
LONGER = "The agreement on the European Economic Area was signed in August 1992."
KEY = "luong-general-en-fr"
NUMBERS = """
name => {
    const plot = document.querySelector('.js-plotly-plot');
    const drawn = plot && plot._fullData.find(each => each.name.startsWith(name));
    return drawn ? [...drawn.z].map(row => [...row]) : null;
}
"""
TOLD = """
(walk, title) => [...walk.querySelectorAll('.column')].map(column => {
    const line = column.getAttribute('aria-label').split(', ').find(each => each.includes(title));
    return parseFloat(line.split(': ').at(-1));
})
"""
STANDS = "walk => [...walk.querySelectorAll('[data-part]')].map(each => JSON.stringify(each.getBoundingClientRect()))"
LIT = "walk => [...walk.querySelectorAll('.lit[data-part]')].map(each => each.dataset.part)"
MOVES = """
walk => {
    walk.querySelector('.next').click();
    return walk.querySelector('svg').getAnimations({ subtree: true }).map(each => each.effect.getTiming().duration);
}
"""
BEYOND = """
frames => frames.flatMap(frame => {
    const { left, right } = frame.getBoundingClientRect();
    return [...frame.querySelectorAll('math, .katex-html .base')].map(each => each.getBoundingClientRect())
        .filter(each => each.width && (each.left < left - 1 || each.right > Math.min(right, innerWidth) + 1))
        .map(each => [each.left - left, each.right - right]);
})
"""
CUT = """
formula => {
    const frame = formula.getBoundingClientRect();
    const inside = [...formula.querySelectorAll('math, math *')].map(each => each.getBoundingClientRect());
    const beyond = each => each.height && (each.top < frame.top - 0.5 || each.bottom > frame.bottom + 0.5);
    return inside.some(beyond) || formula.scrollHeight > formula.clientHeight;
}
"""


@cache
def trace() -> AttentionTrace:
    return models.load(KEY).attend(SENTENCE)


@pytest.fixture
def visit(open_page: Callable[..., Page], address: str) -> Callable[..., Page]:
    """Return a way to open the Steps by a link."""
    return partial(open_page, f"{address}/steps", sentence=SENTENCE)


def wait_for_numbers(page: Page, name: str, expected: np.ndarray) -> None:
    """Wait until the strip `name` is drawn with these numbers, as the browser has them."""
    rounded: Any = np.asarray(expected, dtype=np.float32).round(4).tolist()
    page.wait_for_function(
        f"([name, expected]) => {{ const found = ({NUMBERS})(name); return found && found.length === expected.length"
        " && found.every((row, y) => row.length === expected[y].length"
        " && row.every((each, x) => Math.abs(each - expected[y][x]) < 2e-4)); }",
        arg=[name, rounded],
    )


def wait_for_weights(page: Page, row: int) -> None:
    """Wait until the columns tell the weights of this row of the trace."""
    expected = trace()["decoder.0.cross"].weights[0, row].astype(float).tolist()
    page.wait_for_function(
        f"([walk, expected]) => {{ const found = ({TOLD})(walk, 'weight'); return found.length === expected.length"
        " && found.every((each, x) => Math.abs(each - expected[x]) < 6e-4); }",
        arg=[page.locator(".walk").element_handle(), expected],
    )


def test_arrow_keys_turn_to_steps_while_the_picture_stands_still(visit: Callable[..., Page]) -> None:
    page = visit(mechanism="luong-general", word="1", unit="piece")
    wait_for_weights(page, 1)
    settle(page)  # the page tells its width
    page.emulate_media(reduced_motion="reduce")  # else bars move while they are measured
    stands, seen = page.locator(".walk").evaluate(STANDS), []
    boards = page.locator(".walk .boards")
    boards.focus()
    for _step in range(6):
        current = page.locator(".walk [aria-current]")
        seen.append((current.get_attribute("data-key"), page.locator(".walk").evaluate(LIT)))
        boards.press("ArrowRight")
        assert page.locator(".walk").evaluate(STANDS) == stands
    assert [key for key, _lit in seen] == ["scores", "mask", "softmax", "context", "next", "predict"]
    assert {"state", "score"} <= set(seen[0][1])
    assert set(seen[2][1]) == {"softmax"}
    assert set(seen[3][1]) == {"context"}
    assert page.locator(".walk .next").is_disabled()
    page.wait_for_function("() => location.search.includes('step=predict')")
    settle(page)  # nor does the answer of the server move it
    assert page.locator(".walk").evaluate(STANDS) == stands
    page.reload()
    expect(page.locator(".walk [aria-current]")).to_have_attribute("data-key", "predict")
    page.locator(".walk .previous").click()
    expect(page.locator(".walk [aria-current]")).to_have_attribute("data-key", "next")


def test_a_click_on_a_word_follows_it_and_one_on_a_column_explains_its_score(visit: Callable[..., Page]) -> None:
    page = visit(mechanism="luong-general", step="scores", unit="piece")
    page.locator(".walk .sentence button").nth(2).click()
    wait_for_weights(page, 2)
    says(page, word="2")
    page.locator(".walk .column").nth(3).click()
    page.wait_for_function("() => location.search.includes('reads=3')")
    scores = models.load(KEY).attend(SENTENCE, sites=("decoder.0.cross.*",))["decoder.0.cross"].companions["scores"]
    total = page.locator(".walk .fall .number.total")
    expect(total).to_have_text(f"{float(scores[0, 2, 3]):.3f}")
    parts = [float(each) for each in page.locator(".walk .fall .number:not(.total)").all_inner_texts()]
    assert len(parts) == 9
    assert abs(sum(parts) - float(scores[0, 2, 3])) < 0.01
    page.locator(".walk .boards").press("Shift+ArrowLeft")
    page.wait_for_function("() => location.search.includes('reads=2')")
    page.locator(".walk .sentence button").nth(2).press("ArrowLeft")
    wait_for_weights(page, 1)


def test_scores_become_weights_in_300_ms_unless_the_reader_wants_no_motion(visit: Callable[..., Page]) -> None:
    page = visit(mechanism="luong-general", step="mask")
    expect(page.locator(".walk .column").first).to_be_attached()
    page.locator(".walk .boards").focus()
    moves = page.locator(".walk").evaluate(MOVES)
    assert moves == [300] * len(moves) != []
    page.emulate_media(reduced_motion="reduce")
    page.locator(".walk .previous").click()
    until(
        lambda: page.locator(".walk").evaluate(
            "walk => !walk.querySelector('svg').getAnimations({ subtree: true }).length"
        )
    )
    assert page.locator(".walk").evaluate(MOVES) == []


def test_play_goes_through_the_steps_and_pause_holds(visit: Callable[..., Page]) -> None:
    page = visit(mechanism="seq2seq")
    play = page.locator(".walk .play")
    play.click()
    expect(page.locator(".walk [aria-current]")).to_have_attribute("data-key", "next", timeout=8_000)
    play.click()
    page.wait_for_timeout(3_000)  # nothing moves while more than one pace passes
    expect(page.locator(".walk [aria-current]")).to_have_attribute("data-key", "next")


@pytest.mark.parametrize("mechanism", ["bahdanau", "luong-local-p", "seq2seq", "transformer"])
def test_the_whole_picture_fits_a_laptop(visit: Callable[..., Page], mechanism: str) -> None:
    """What is lit of a formula is the step's term, and nothing of it is cut."""
    step = {"step": "gaussian"} if mechanism == "luong-local-p" else {}
    page = visit(mechanism=mechanism, sentence=LONGER, width=1280, height=720, **step)
    expect(page.locator(".walk .column, .walk .flow").first).to_be_attached()
    for width, height in ((1280, 720), (1366, 650)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        box, picture = page.locator(".walk .board").bounding_box(), page.locator(".walk svg").bounding_box()
        assert box is not None
        assert picture is not None
        assert box["y"] + box["height"] <= height
        assert box["height"] <= 480
        assert picture["height"] >= 275
        assert picture["y"] < (300 if mechanism != "transformer" else 346)
    if step:
        lit = page.locator(".walk .formula .lit")
        expect(lit).to_have_count(1)
        assert "exp" in (lit.text_content() or "")
        assert not page.locator(".walk .formula").evaluate(CUT)


def test_three_mechanisms_stand_one_below_the_other_and_step_together(visit: Callable[..., Page]) -> None:
    """First on a phone, into which their formulas fit."""
    link = {"mechanism": "bahdanau", "second": "luong-concat", "third": "transformer", "step": "softmax"}
    page = visit(width=390, height=844, **link)
    boards = page.locator(".walk .board")
    expect(boards).to_have_count(3)
    settle(page)
    assert page.locator(".walk .formula").evaluate_all(BEYOND) == []
    for width in (390, 1410):
        page.set_viewport_size({"width": width, "height": 1400})
        settle(page)
        tops = [box["y"] for each in boards.all() if (box := each.bounding_box())]
        assert tops == sorted(tops)
        expect(page.locator(".walk .formula .lit")).to_have_count(3)


def test_a_cell_of_the_lab_is_edited_and_every_line_follows(visit: Callable[..., Page]) -> None:
    page = visit(show="lab")
    book = lab_presets.book().tables
    before = lab.run_lab(book["query"], book["key"], book["value"], scaled=False)
    wait_for_numbers(page, "result", before.result)
    settle(page)  # the page tells its width, and the table is laid out anew
    editor = page.locator('[data-testid="stDataFrame"]').first
    box = editor.bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] * 0.2, box["y"] + 54)  # the first of four columns, below its name
    cell = page.locator("#portal").locator("input, textarea").first
    cell.fill("5")
    cell.press("Enter")
    changed = book["query"].copy()
    changed[0, 0] = 5
    after = lab.run_lab(changed, book["key"], book["value"], scaled=False)
    for name, values in (("products", after.products), ("weights", after.weights), ("result", after.result)):
        wait_for_numbers(page, name, values)
    page.wait_for_function("() => location.search.includes('cells')")
    page.reload()
    wait_for_numbers(page, "result", after.result)


def test_formulas_fit_a_phone(visit: Callable[..., Page]) -> None:
    page = visit(width=390, height=844, mechanism="luong-local-p", step="gaussian")
    page.locator(".walk .formula .line").first.wait_for()
    settle(page)
    expect(page.locator(".katex-display")).to_have_count(0)  # the page has told its width
    assert page.locator(".walk .formula").evaluate_all(BEYOND) == []
    page.get_by_text("All numbers of this step").click()
    folded = page.locator("[data-testid='stMarkdownContainer']:has(.katex)")
    folded.first.wait_for()
    assert folded.evaluate_all(BEYOND) == []


def test_words_are_chosen_whole_and_pieces_on_request(visit: Callable[..., Page]) -> None:
    page = visit(sentence="An epizootic.", mechanism="luong-general")
    buttons = page.locator(".walk .sentence button")
    buttons.first.wait_for()
    target = models.load(KEY).attend("An epizootic.").target
    assert buttons.all_inner_texts() == [text.strip() for text in target.word_texts]
    page.locator(".st-key-unit button").nth(1).click()
    expect(buttons).to_have_count(len(target))
    assert len(target) > len(target.word_texts)


def test_a_phone_shows_all_without_a_page_that_moves_sideways(visit: Callable[..., Page]) -> None:
    page = visit(width=390, scheme="dark", mechanism="transformer", step="softmax", sentence=" ".join([SENTENCE] * 4))
    expect(page.locator(".walk .column").first).to_be_attached()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    stage = page.locator(".walk .stage")
    assert stage.evaluate("each => each.scrollWidth > each.clientWidth")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".st-key-sentence textarea").fill(LONGER)
    expect(page.locator(".walk .column")).to_have_count(14)
    box = stage.bounding_box()
    assert box is not None
    assert box["y"] < 440
    says = page.locator(".walk .says").bounding_box()
    assert says is not None
    assert says["y"] >= box["y"] + box["height"]
    expect(page.locator(".walk")).to_have_class(re.compile(r"\bdark\b"))
    page.emulate_media(color_scheme="light")
    expect(page.locator(".walk")).not_to_have_class(re.compile(r"\bdark\b"))


def test_a_saved_walk_answers_every_word_and_the_columns_of_the_one_it_opens_with(browser: Browser) -> None:
    trace = models.load(KEY).attend(SENTENCE, sites=("decoder.0.cross.*",))
    place = StepPlace(KEY, trace, Site.parse("decoder.0.cross"), 0)
    lead = SentenceLabel("It wrote:", "fr")
    looked = Looked((walker_of(shared_host(), place),), "piece", lead, row=2, column=None)
    page = browser.new_page()
    page.set_content(standalone_html("A walk", [walk_page(looked, "softmax")]))
    wait_for_weights(page, 2)
    page.locator(".walk .column").nth(3).click()
    expect(page.locator(".walk .column.chosen")).to_have_attribute("aria-label", re.compile("^ank"))
    page.locator(".walk .sentence button").nth(4).click()
    wait_for_weights(page, 4)
    expect(page.locator(".walk .column[role=button]")).to_have_count(0)
    page.locator(".walk .sentence button").nth(2).click()
    wait_for_weights(page, 2)
    expect(page.locator(".walk .column[role=button]")).to_have_count(len(place.trace.source))
    page.close()


COVERED = """() => {
    const box = (each) => each.getBoundingClientRect();
    const tools = [...document.querySelectorAll('[data-testid="stElementToolbar"]')].map(box);
    const names = [...document.querySelectorAll("[data-testid=stMarkdownContainer] p")].map(box);
    const meet = (one, other) => one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom;
    return [tools.length, tools.filter((tool) => names.some((name) => meet(tool, name))).length];
}"""
"""How many bars of tools tables have, and how many of them lie over words."""


@pytest.mark.parametrize("link", [{"show": "lab", "preset": "heads"}, {"show": "positions"}], ids=str)
def test_on_a_phone_formulas_fit_and_the_tools_of_a_table_cover_no_words(
    visit: Callable[..., Page], link: dict[str, str]
) -> None:
    page = visit(width=390, height=844, touch=True, **link)
    formulas = page.locator("[data-testid='stMarkdownContainer']:has(.katex)")
    formulas.first.wait_for()
    settle(page)
    expect(page.locator(".katex-display")).to_have_count(0)  # the page has told its width
    assert formulas.evaluate_all(BEYOND) == []
    if link["show"] == "positions":
        return
    page.get_by_text("Mask: ticked where").wait_for()
    tables, covering = page.evaluate(COVERED)
    assert tables >= 4
    assert covering == 0
