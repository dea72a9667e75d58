"""The Steps in a real browser: arrow keys move word and step, a cell of the lab is edited, numbers are the trace's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import models
from models.experiments import lab
from models.trace import AttentionTrace
from tests.support.browsing import query

PAUSE = 1_500  # milliseconds
SENTENCE = "The cat drank the milk."
KEY = "luong-general-en-fr"
NUMBERS = """
name => {
    const plot = document.querySelector('.js-plotly-plot');
    const drawn = plot && plot._fullData.find(each => each.name.startsWith(name));
    return drawn ? [...drawn.z].map(row => [...row]) : null;
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


def test_arrow_keys_move_the_word_and_the_step_and_the_numbers_are_the_traces(visit: Callable[..., Page]) -> None:
    page = visit(mechanism="luong-general", step="softmax")
    weights = trace()["decoder.0.cross"].weights[0]
    wait_for_numbers(page, "weights", weights[:1])
    word, step = (page.get_by_role("slider").nth(place) for place in (0, 1))
    word.focus()
    for row in (1, 2):
        word.press("ArrowRight")
        wait_for_numbers(page, "weights", weights[row : row + 1])
    captured = f"{float(weights[2].max()):.6f}"
    expect(page.get_by_text(f"The model itself went on with {captured}.")).to_be_visible()
    step.focus()
    step.press("ArrowRight")
    expect(page.get_by_text("step 4 of 6")).to_be_visible()
    context = models.load(KEY).attend(SENTENCE, sites=("decoder.0.cross.*",))["decoder.0.cross"].companions["context"]
    wait_for_numbers(page, "context", context[0, 2:3])
    expect(page.locator(".katex .boxpad")).to_have_count(1)
    assert (query(page)["word"], query(page)["step"]) == (["2"], ["context"])
    page.reload()
    expect(page.get_by_text("step 4 of 6")).to_be_visible()
    wait_for_numbers(page, "context", context[0, 2:3])


def test_a_cell_of_the_lab_is_edited_and_every_line_follows(visit: Callable[..., Page]) -> None:
    page = visit(show="lab")
    book = lab.book()
    before = lab.run_lab(book.query, book.key, book.value, scaled=False)
    wait_for_numbers(page, "result", before.result)
    page.wait_for_timeout(PAUSE)  # the page tells its width, and the table is laid out anew
    editor = page.locator('[data-testid="stDataFrame"]').first
    box = editor.bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] * 0.2, box["y"] + 54)  # the first of four columns, below its name
    cell = page.locator("#portal").locator("input, textarea").first
    cell.fill("5")
    cell.press("Enter")
    changed = book.query.copy()
    changed[0, 0] = 5
    after = lab.run_lab(changed, book.key, book.value, scaled=False)
    for name, values in (("products", after.products), ("weights", after.weights), ("result", after.result)):
        wait_for_numbers(page, name, values)
    page.wait_for_function("() => location.search.includes('cells')")
    page.reload()
    wait_for_numbers(page, "result", after.result)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_without_a_page_that_moves_sideways(visit: Callable[..., Page], scheme: str) -> None:
    page = visit(width=390, scheme=scheme, step="softmax")
    weights = models.load("bahdanau-en-fr").attend(SENTENCE)["decoder.0.cross"].weights[0]
    wait_for_numbers(page, "weights", weights[:1])
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
