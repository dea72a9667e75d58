"""The causal mask on Heads: later words crossed out with their scores, and every map without it, opened by a link."""

from __future__ import annotations

import json

import numpy as np
import pytest

import models
from models.edits import lift_mask
from tests.support.heads_page import opened, overview, parameter, words
from tests.support.payloads import compared
from viz.server.runtime import shared_host

SENTENCE, GPT, KEY = "The cat drank the milk.", "hf:gpt-en", "transformer-en-fr"
EDITS = (lift_mask("decoder.*.self"),)


@pytest.mark.parametrize("model", ["", GPT])
def test_later_words_are_crossed_out_with_the_scores_that_they_would_have(model: str) -> None:
    app = opened(sentence=SENTENCE, map="decoder", unit="piece", heads1="6", **({"model": model} if model else {}))
    known, target = shared_host().model(model or KEY), None
    if not model:
        target = known.attend(SENTENCE).output_text
    scores = known.attend(SENTENCE, target, sites=("decoder.1.self.scores", "decoder.1.self.weights"))
    expected = scores["decoder.1.self"].companions["scores"][6]
    header, shown = compared(app)
    size = len(expected)
    crossed = np.array(header["crossed"][0], dtype=float).reshape(size, size)
    later = np.triu(np.ones((size, size), bool), 1)
    np.testing.assert_array_equal(np.isfinite(crossed), later)
    np.testing.assert_allclose(crossed[later], expected[later], atol=2e-3)
    assert not shown[0][later].any()
    assert "crossed out: later words" in header["note"]
    moved = opened(sentence=SENTENCE, map="decoder", quantity="moved", **({"model": model} if model else {}))
    assert set(compared(moved)[0]["crossed"][0]) == {True, None}


@pytest.mark.parametrize("model", ["", GPT])
def test_a_link_lifts_the_mask_and_every_picture_says_so(model: str) -> None:
    link = {"model": model} if model else {}
    app = opened(sentence=SENTENCE, map="decoder", unit="piece", heads1="6", unmasked="on", **link)
    known = shared_host().model(model or KEY)
    target = None if model else known.attend(SENTENCE).output_text
    lifted = known.attend(SENTENCE, target, edits=EDITS, sites=("*.weights", "decoder.*.self.scores"))
    header, shown = compared(app)
    scores = np.asarray(lifted["decoder.1.self"].companions["scores"][6], np.float64)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(shown[0], powers / powers.sum(axis=-1, keepdims=True), atol=1e-5)
    _all, cells = overview(app)
    np.testing.assert_allclose(
        cells,
        np.concatenate([each.weights for each in lifted if each.site.kind == "self" and each.site.stack == "decoder"]),
        atol=0.01,
    )
    for said in (header, overview(app)[0]):
        assert "edited: mask of self-attention of every decoder layer lifted" in json.dumps(said, ensure_ascii=False)
        assert "unmasked" in said["file"]
        assert "unmasked decoder self-attention" in said["title"]
        assert "crossed" not in said
    assert "with the mask" in words(app)
    assert "Without the mask" in [each.value for each in app.header]
    assert "Trained without the mask" in [each.value for each in app.subheader]
    assert parameter(app, "unmasked") == "on"


def test_alone_the_translator_writes_the_same_and_its_cross_maps_follow() -> None:
    app = opened(sentence=SENTENCE, map="cross", unmasked="on", unit="piece", heads2="1")
    model = models.load(KEY)
    own = model.attend(SENTENCE)
    lifted = model.attend(SENTENCE, own.output_text, edits=EDITS)
    _header, shown = compared(app)
    np.testing.assert_allclose(shown[0], lifted["decoder.2.cross"].weights[1], atol=1e-6)
    assert np.abs(shown[0] - own["decoder.2.cross"].weights[1]).max() > 0.01
    assert "the same words as before" in words(app)


def test_no_mask_is_offered_where_there_is_none() -> None:
    for link in ({"map": "encoder"}, {"model": "hf:minilm"}, {"map": "decoder", "quantity": "zeroed"}):
        app = opened(sentence=SENTENCE, **link)
        assert "unmasked" not in [each.key for each in app.toggle]
