"""What is folded away, by the rules of axe-core; the pages themselves are in test_every_page.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.axe import broken, settle, violations

OPENED = {
    "heads": {"map": "cross", "below": "table similarity", "against": "sentence", "other": "The cat sleeps."},
    "surgery": {"edits": "mask_key(decoder.*.cross,2)", "check": "heads", "model": "transformer"},
    "steps": {"mechanism": "bahdanau", "second": "transformer", "step": "softmax"},
}
"""What is shown beside, on pages of which every fold is opened."""
SHOWN = {"heads": ".attention-maps canvas", "surgery": ".attention-maps canvas", "steps": ".boards svg"}


@pytest.mark.parametrize("page", OPENED)
def test_axe_finds_nothing_with_every_fold_open(open_page: Callable[..., Page], address: str, page: str) -> None:
    shown = open_page(f"{address}/{page}", width=1366, height=900, sentence="I see a dog.", **OPENED[page])
    expect(shown.locator(SHOWN[page]).first).to_be_visible()
    settle(shown)
    folds = shown.locator("[data-testid='stExpander'] summary")
    for fold in folds.all():
        fold.click()
        settle(shown)
    buttons = shown.get_by_role("button", name="Settings")
    if buttons.count():
        buttons.click()
        settle(shown)
    assert folds.count() + buttons.count() > 0
    assert violations(shown) == []


def test_axe_finds_nothing_on_what_unfolds_on_the_bench(open_page: Callable[..., Page], address: str) -> None:
    below = "difference differences summary numbers hand window"
    mechanisms = "seq2seq bahdanau luong-local-p transformer"
    shown = open_page(address, width=1366, height=900, also=below, mechanisms=mechanisms, links="grown")
    expect(shown.locator(".aligner td[data-row]").first).to_be_visible()
    settle(shown)
    assert violations(shown) == []
    folds = shown.locator("[data-testid=stPopoverButton]:visible")
    names = [each.inner_text() for each in folds.all()]
    assert len(names) >= 8
    for number in range(len(names)):
        folds.nth(number).click()
        body = shown.get_by_test_id("stPopoverBody")
        expect(body).to_have_count(1)  # what a run draws anew may be there twice for a moment
        body.wait_for()
        settle(shown)
        look = broken if number else violations  # the first in both themes, the others in the dark one
        assert look(shown, "[data-testid='stPopoverBody']") == [], names[number]
        shown.keyboard.press("Escape")
        body.wait_for(state="detached")
