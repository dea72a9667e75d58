"""One figure and nothing else, on a projector or in an iframe; pictures pinned for the sheet; a row predicted first."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import models
from tests.support.bench_page import box_of, maps
from tests.support.browsing import says, settle
from viz.measures.agreement import agreement, expected_row
from viz.views.view import choose_view

SENTENCE = "The dog sees a red apple."
OTHERS = "[data-testid='stHeader'], .bench-title, .stTextInput, .stSelectbox, .stPills"


def test_an_embedded_figure_stands_alone(open_page: Callable[..., Page], address: str) -> None:
    """On the Bench; each page hides the same when it is presented, in test_every_page.py."""
    page = open_page(address, width=1280, height=720, sentence=SENTENCE, embed="true")
    figure = page.locator(".alignment").first
    expect(figure).to_be_visible()
    assert not any(each.is_visible() for each in page.locator(OTHERS).all())
    assert box_of(figure)["y"] < 180
    expect(page.get_by_role("button", name="Leave the presentation")).to_have_count(0)


def test_a_picture_is_pinned_and_the_sheet_restores_it(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    page = open_page(address, sentence=SENTENCE, mechanisms="bahdanau")
    expect(maps(page)).to_have_count(1)
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_text("Pinned")).to_be_visible()
    page.get_by_test_id("stHeader").get_by_role("link", name="Lessons", exact=True).click()
    page.get_by_label("Remark").fill("A <b>remark</b>")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Your name").press("Enter")
    settle(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the worksheet (HTML)").click()
    path = tmp_path / "sheet.html"
    download.value.save_as(path)
    text = path.read_text(encoding="utf8")
    sha256 = models.describe("bahdanau-en-fr").sha256
    for part in ("Ann", "A &lt;b&gt;remark&lt;/b&gt;", SENTENCE, sha256, "data:image/svg+xml", "mechanisms=bahdanau"):
        assert part in text


def test_a_row_is_drawn_before_it_is_seen(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, sentence=SENTENCE, mechanisms="bahdanau", also="predict", row="1")
    columns = page.locator(".prediction .column")
    view = choose_view(models.load("bahdanau-en-fr").attend(SENTENCE))
    expect(columns).to_have_count(view.weights.shape[1])
    expect(maps(page)).to_have_count(0)
    expect(page.locator(".prediction .model")).to_have_count(0)
    columns.nth(1).locator(".word").click()
    expect(columns.nth(1)).to_have_class("column marked")
    settle(page)  # the page has answered: what is measured next stays where it is
    box = box_of(columns.nth(4).locator(".room"))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    settle(page)  # the answer to what was drawn may draw the columns anew
    columns.nth(2).press("ArrowUp")
    expect(columns.nth(2)).to_have_attribute("aria-valuenow", re.compile("[1-9]"))
    shares = [float(each.get_attribute("aria-valuenow") or 0) for each in columns.all()]
    assert shares[1] > shares[4] > shares[2] > 0
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".prediction .model").first).to_be_visible()
    expect(maps(page)).to_have_count(1)
    found = agreement(expected_row(shares), view.weights[1])
    said = page.get_by_text("Agreement 0.").first.inner_text()
    assert float(said.split()[1]) == pytest.approx(found.share, abs=0.02)
    expect(page.locator(".prediction .gap .word")).to_have_text(view.shown.key_tokens.texts[found.gap].strip())
    says(page, also="predict")
