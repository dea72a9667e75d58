"""Hops in a real browser: a cell that is pointed at says hop, word and weight; the other pages take the sentence on."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page, expect

import models
from models.edits import mask_cell
from models.networks.self_attentive import HOPS
from tests.support.browsing import SCREENS, point
from tests.support.readers import HOPS_READERS

SENTENCE = "Madam President, how many lemons did my aunt sell?"
DRAWN = """
() => [...document.querySelectorAll('*')]
    .some(each => each.shadowRoot?.querySelector('.comparison .stage[data-drawn]')?.exact.length === 2)
"""
HIGH = """
highest => [...document.querySelectorAll('*')].some(each => {
    const stage = each.shadowRoot?.querySelector('.comparison .stage[data-drawn]');
    return stage && stage.getBoundingClientRect().top + Math.min(...stage.boxes.map(box => box.top)) < highest;
})
"""


def likeliest(classes: tuple[tuple[str, float], ...]) -> re.Pattern[str]:
    name, share = max(classes, key=lambda each: each[1])
    return re.compile(rf"{name} {share:.0%}")


def test_hops_are_pointed_at_compared_and_edited(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(f"{address}/heads", model=HOPS_READERS[0], sentence=SENTENCE)
    traces = [models.load(key).attend(SENTENCE) for key in HOPS_READERS]
    page.wait_for_function(DRAWN)
    for screen in (SCREENS[1][0], SCREENS[0][0]):
        screen.take(page)
        page.wait_for_function(HIGH, arg=screen.highest)
    for trace in traces:
        expect(page.locator(".st-key-classes").get_by_text(likeliest(trace.classes))).to_be_visible()
    shown = traces[1][HOPS].to_words()
    hop, word = divmod(int(shown.weights[0].argmax()), len(shown.key_tokens))
    said = point(page, 1, hop, word, shown.weights[0].shape, figure=".comparison")
    assert "Self-attentive, no penalty" in said
    assert f"{shown.weights[0, hop, word]:.4f}" in said
    assert f"hop: a learned query: “hop-{hop + 1}”" in said
    assert f"key: the word attended to: “{shown.key_tokens.texts[word]}”" in said
    expect(page.locator(".hops-summed")).to_have_count(2)
    expect(page.get_by_text("Picked heads")).to_have_count(0)  # labels and picks of heads say nothing of hops

    edit = mask_cell(str(HOPS), hop, word)
    after = models.load(HOPS_READERS[1]).attend(SENTENCE, edits=(edit,))
    edits = f"surgery?model={HOPS_READERS[1]}&edits={quote(edit.to_text())}&sentence={quote(SENTENCE)}"
    page.goto(f"{address}/{edits}")
    page.wait_for_function(DRAWN)
    lines = page.locator(".st-key-likeliest")
    expect(lines.get_by_text(likeliest(traces[1].classes)).first).to_be_visible()
    expect(lines.get_by_text(likeliest(after.classes)).last).to_be_visible()
    expect(page.get_by_text(re.compile(rf"hidden from .hop-{hop + 1}")).first).to_be_visible()

    page.goto(f"{address}/steps?mechanism=self-attentive&step=predict&sentence={quote(SENTENCE)}")
    kind, share = max(traces[0].classes, key=lambda each: each[1])
    expect(page.get_by_text(f"“{kind}” has probability {share:.1%}").first).to_be_visible()
