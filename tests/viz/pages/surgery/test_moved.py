"""Surgery shows what each key moves, as trained and edited, and the difference; the edits stay those of weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models import load
from models.edits import mask_key, scale_scores
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from tests.support.payloads import compared, decode
from viz.canvas.edited import encode_edited
from viz.canvas.payload import Look
from viz.figures.drawing.grid import GLYPH_WIDTH
from viz.figures.drawing.theme import NOTE_SIZE
from viz.text.language import use_language
from viz.text.tokens import width
from viz.views.view import choose_view
from viz.widgets.edits.history import History

SENTENCE = "The cat drank the milk."
EDITS = (scale_scores("decoder.*.cross", 0.25), mask_key("decoder.*.cross", 1))


def script() -> None:
    from viz.pages.surgery.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params.update({"sentence": SENTENCE, "model": "transformer", **link})
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("head", [2, "mean"])
def test_a_link_shows_what_is_moved_as_trained_edited_and_the_difference(head: int | Literal["mean"]) -> None:
    edits = History(tuple((each,) for each in EDITS)).to_text()
    app = opened(quantity="moved", shown=f"decoder.1.cross.{head}", edits=edits)
    model = load("transformer-en-fr")
    before = model.attend(SENTENCE)
    after = model.attend(SENTENCE, before.output_text, edits=EDITS)
    expected = [choose_view(each.moved(), site="decoder.1.cross", head=head).weights for each in (before, after)]
    header, maps = compared(app)
    np.testing.assert_allclose(maps, expected, atol=1e-4)
    assert np.abs(maps[0] - choose_view(before, site="decoder.1.cross", head=head).weights).max() > 0.01
    assert np.abs(maps[0] - maps[1]).max() > 0.01
    assert "Kobayashi et al. 2020" in header["alt"]
    assert any(text["text"].startswith("moved") for text in header["layouts"][0]["texts"])
    (difference,) = (json.loads(each.proto.spec) for each in app.get("plotly_chart") if "difference" in each.proto.id)
    assert "difference of what is moved" in json.dumps(difference)
    said = " ".join(each.value for each in app.caption)
    assert "is moved most by" in said
    assert "largest difference at “" in said
    assert "where the share of “" in said


def test_the_edits_and_what_they_change_are_those_of_the_weights() -> None:
    edits = History(tuple((each,) for each in EDITS)).to_text()
    tables = [opened(quantity=each, edits=edits, check="words") for each in ("weights", "moved")]
    assert tables[0].dataframe[0].value.equals(tables[1].dataframe[0].value)


def test_where_it_is_not_known_the_page_says_so_and_shows_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_network("bloom").save_pretrained(tmp_path / "bloom")
    tiny_tokenizer(ends=False).save_pretrained(tmp_path / "bloom")
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", str(tmp_path / "bloom"))
    app = opened(model="hf:bloom", quantity="moved")
    assert "Norm-weighted attention is not available here: the" in " ".join(each.value for each in app.caption)
    assert "Kobayashi" not in compared(app)[0]["alt"]


def test_a_note_in_chinese_is_not_wider_than_the_picture() -> None:
    view = choose_view(load("transformer-en-fr").attend(SENTENCE).moved())
    use_language("zh")
    try:
        (header, _maps) = decode(encode_edited(view, None, offers=(), look=Look(width=360)))
    finally:
        use_language("en")
    layout = header["layouts"][0]
    notes = [text["text"] for text in layout["texts"] if text["y"] > layout["bar"]["y"] + 40]
    assert len(notes) > 2
    assert max(map(width, notes)) * NOTE_SIZE * GLYPH_WIDTH <= layout["width"]
