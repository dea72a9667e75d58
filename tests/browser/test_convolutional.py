"""ConvS2S in a real browser: joined by a click on the timeline, one map a layer on Heads, walked through on Steps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

import models
from tests.support.bench_page import views, wait_for_panels
from tests.support.browsing import point, says

KEY = "convs2s-en-fr"
SENTENCE = "The old dog sleeps near the warm fire."
LAYERS = 3
ORDER = ("bahdanau-en-fr", "luong-general-en-fr", KEY, "transformer-en-fr")


def test_it_joins_the_family_and_shows_its_layers_and_steps(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, sentence=SENTENCE)
    page.get_by_role("button", name="2017 ConvS2S").first.click()
    wait_for_panels(page, views(SENTENCE, ORDER))
    says(page, mechanisms="bahdanau luong-general convs2s transformer")

    trace = models.load(KEY).attend(SENTENCE)
    page.goto(f"{address}/heads?model={KEY}&sentence={SENTENCE}")
    stage = page.locator(".overview .stage[data-drawn]")
    expect(stage).to_be_visible()
    assert stage.evaluate("stage => stage.boxes.length") == LAYERS
    for layer in range(LAYERS):
        shown = trace[f"decoder.{layer}.cross"].to_words()
        row = int(shown.weights[0].max(-1).argmin())
        column = int(shown.weights[0, row].argmax())
        said = point(page, layer, row, column, shown.weights[0].shape)
        assert f"key: the source word attended to: “{shown.key_tokens.texts[column]}”" in said
        assert f"query: the word being written: “{shown.query_tokens.texts[row]}”" in said

    page.goto(f"{address}/steps?mechanism=convs2s&sentence={SENTENCE}&step=gate")
    walk = page.locator(".walk")
    expect(walk.locator("[aria-current]")).to_have_attribute("data-key", "gate")
    steps = [name.split(" ", 1)[1] for name in walk.locator("[data-key]").all_inner_texts()]
    assert steps[steps.index("Convolution") :][:6] == ["Convolution", "Gate", "Query", "Score", "Mask", "Softmax"]
