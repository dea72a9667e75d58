"""Words not yet written are crossed out with their scores; the mask of the decoder is lifted, forced and free."""

from __future__ import annotations

import numpy as np
from streamlit.testing.v1 import AppTest

import models
from models.edits import lift_mask
from tests.support.payloads import header_of, walk_of

SENTENCE, KEY, SITE = "The cat drank the milk.", "transformer-en-fr", "decoder.0.self"
LINK = {"sentence": SENTENCE, "mechanism": "transformer", "layer": SITE, "unit": "piece", "step": "mask", "word": "2"}


def script() -> None:
    from viz.pages.steps.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=200)
    app.query_params.update({**LINK, **link})
    app.run()
    assert not app.exception
    return app


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def test_words_not_yet_written_are_crossed_out_with_the_scores_that_they_would_have() -> None:
    model = models.load(KEY)
    own = model.attend(SENTENCE)
    trace = model.attend(SENTENCE, own.output_text, sites=(f"{SITE}.*",))
    scores = trace[SITE].companions["scores"][0, 2]
    row = walk_of(opened())["pictures"][0]["rows"][0]
    assert row["crossed"] == [place > 2 for place in range(len(own.target))]
    np.testing.assert_allclose(row["values"], scores, atol=1e-4)
    later = walk_of(opened())["pictures"][0]["rows"][1]["values"]
    assert not any(later[3:])  # the softmax gives them nothing


def test_a_lifted_mask_lets_forced_words_be_read_and_changes_nothing_alone() -> None:
    model, edits = models.load(KEY), (lift_mask("decoder.*.self"),)
    own = model.attend(SENTENCE)
    forced = model.attend(SENTENCE, own.output_text, edits=edits, sites=(f"{SITE}.*",))
    scores = np.asarray(forced[SITE].companions["scores"], np.float64)
    np.testing.assert_allclose(forced[SITE].weights, softmax(scores), atol=1e-5)  # of all keys, none left out
    assert np.triu(forced[SITE].weights[0], 1).sum() > 0.1
    assert not forced[SITE].causal
    free = model.attend(SENTENCE, edits=edits)
    assert free.target == own.target
    assert all((one.weights == other.weights).all() for one, other in zip(free.maps, own.maps, strict=True))


def test_the_page_shows_what_is_likeliest_with_the_mask_and_without() -> None:
    app = opened(unmasked="on")
    shown = " ".join(each.value for each in app.markdown).replace("\\", "")
    assert "“Le chat a bu le lait.” with the mask" in shown
    assert "“Le chat bu buv lait.” without" in shown
    assert all("crossed" not in row for row in _rows(app))
    assert "Trained without the mask" in [each.value for each in app.subheader]
    assert "Trained without the mask" not in [each.value for each in opened().subheader]


def _rows(app: AppTest) -> list[dict[str, object]]:
    found = [each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes]
    rows: list[dict[str, object]] = header_of(found[0])["pictures"][0]["rows"]
    return rows
