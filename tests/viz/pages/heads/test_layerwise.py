"""The Heads page on a text whose whole record would not fit, opened by a link."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.heads_page import opened, overview, words
from viz.server import layerwise

LINK = {"model": "hf:tiny-gpt2", "sentence": "The cat, the cat: it sat.", "unit": "piece", "heads0": "1", "heads2": "3"}
SAID = "GB. So each layer is pooled as soon as it is computed"

pytestmark = pytest.mark.usefixtures("tiny")


def test_all_heads_are_pooled_as_they_are_of_the_whole_record(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = opened(**LINK)
    assert SAID not in words(usual)
    monkeypatch.setattr(layerwise, "TRACE_BYTES", 1000)
    app = opened(**LINK)
    assert SAID in words(app)
    header, weights = overview(app)
    np.testing.assert_array_equal(weights, overview(usual)[1])
    assert header["picked"] == overview(usual)[0]["picked"] == [[0, 1], [2, 3]]
    assert "layer 2, head 3" in words(app)


@pytest.mark.parametrize("compare", ["side", "lines", "text", "difference", "sum", "mean"])
def test_picked_heads_are_compared_in_every_way(monkeypatch: pytest.MonkeyPatch, compare: str) -> None:
    monkeypatch.setattr(layerwise, "TRACE_BYTES", 1000)
    app = opened(**LINK, compare=compare, lang="zh")
    assert not app.exception


def test_a_link_that_asks_for_what_is_not_shown_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layerwise, "TRACE_BYTES", 1000)
    link = {"model": "hf:tiny-gpt2", "sentence": "The cat sat.", "below": "table rollout", "order": "breadth"}
    assert SAID in words(opened(**link))
