"""The picture of the Bench as a browser shows it: waited for, pointed at, measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import models
from viz.pages.bench.page import USUAL
from viz.text.tokens import visible
from viz.views.view import View, choose_view
from viz.widgets.sentence import USUAL as PAIR

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

KEYS = tuple(f"{mechanism}-{PAIR}" for mechanism in USUAL)
EXAMPLE = "The agreement on the European Economic Area was signed in 1992."


def views(sentence: str, keys: Sequence[str] = KEYS) -> list[View]:
    return [choose_view(models.load(key).attend(sentence)) for key in keys]


def panel(page: Page, number: int) -> Locator:
    return page.locator(".alignment .panel").nth(number)


def maps(page: Page) -> Locator:
    return page.locator(".alignment .cells")


def wait_for_panels(page: Page, shown: Sequence[View]) -> None:
    """Wait until every panel is drawn with the rows and columns of `shown`."""
    from playwright.sync_api import expect

    expect(maps(page)).to_have_count(len(shown))
    for number, view in enumerate(shown):
        for part, tokens in (("rows", view.shown.query_tokens), ("columns", view.shown.key_tokens)):
            labels = panel(page, number).locator(f".{part} span")
            expect(labels).to_have_text([visible(text) for text in tokens.texts], use_inner_text=False)


def cell(page: Page, number: int, row: int, key: int, view: View) -> tuple[float, float]:
    """Return where the middle of a cell is on the screen, brought into sight."""
    canvas = panel(page, number).locator(".cells")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    rows, columns = view.weights.shape
    return box["x"] + box["width"] * (key + 0.5) / columns, box["y"] + box["height"] * (row + 0.5) / rows


def box_of(where: Locator) -> Any:
    box = where.bounding_box()
    assert box is not None
    return box


def lit(where: Locator) -> list[str]:
    """Return the words that stay while the rest fades."""
    return [text for text in where.locator(".lit").all_text_contents()]
