"""What the canvas of the Surgery is fed with: one map as trained and as edited, and what its words offer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models import load
from models.edits import mask_key, set_row
from models.trace import AttentionTrace
from tests.support.payloads import decode
from viz.canvas.edited import encode_edited
from viz.canvas.payload import Look
from viz.pages.surgery.offer import offers
from viz.views.heads import HeadPlace
from viz.views.view import choose_view
from viz.widgets.canvas import Chosen, read_chosen

SENTENCE = "My sister sold the old house last winter."


def encoded(before: AttentionTrace, after: AttentionTrace | None, **options: Any) -> tuple[dict[str, Any], np.ndarray]:
    views = [None if trace is None else choose_view(trace) for trace in (before, after)]
    assert views[0] is not None
    return decode(encode_edited(views[0], views[1], offers=offers(), look=Look(**options)))


@pytest.fixture(scope="module")
def runs() -> tuple[AttentionTrace, AttentionTrace]:
    model = load("bahdanau-en-fr")
    before = model.attend(SENTENCE)
    place = before.source.words.index(2)
    assert before.source.word_texts[2] == "sold"
    after = model.attend(SENTENCE, before.output_text, edits=[mask_key("decoder.0.cross", place)])
    return before, after


def test_both_maps_are_there_exactly_with_their_titles_and_the_edit_in_words(
    runs: tuple[AttentionTrace, AttentionTrace],
) -> None:
    header, weights = encoded(*runs)
    np.testing.assert_array_equal(weights, [choose_view(trace).weights for trace in runs])
    assert header["titles"] == ["as trained", "edited"]
    said = " ".join(text["text"] for text in header["layouts"][1]["texts"])
    assert "edited: “sold” hidden (decoder layer 0 cross-attention)" in said
    assert said.count("key: the source word attended to") == 2
    assert "the translation was given" in header["alt"]
    assert header["note"].startswith(
        "rows (top to bottom): query, the word being written\u00a0· columns: key, the source "
    )
    assert "edited: “sold” hidden" in header["note"]


def test_nothing_moves_at_the_first_edit_where_two_maps_stand_side_by_side(
    runs: tuple[AttentionTrace, AttentionTrace],
) -> None:
    (first, weights), (then, _both) = encoded(runs[0], None), encoded(*runs)
    assert first["titles"] == ["as trained", "edited: nothing yet"]
    np.testing.assert_array_equal(weights[0], weights[1])
    places = [
        [header[of][1][part] for of in ("layouts", "page") for part in ("boxes", "headings")]
        for header in (first, then)
    ]
    assert places[0] == places[1]
    alone, weights = encoded(runs[0], None, width=360.0)
    assert alone["titles"] == ["as trained"]
    assert len(weights) == 1


@pytest.mark.parametrize("width", [360.0, 760.0, 1320.0])
@pytest.mark.parametrize("of", ["layouts", "page"])
def test_no_text_lies_on_a_map_or_on_another_text(
    runs: tuple[AttentionTrace, AttentionTrace], width: float, of: str
) -> None:
    header, _weights = encoded(*runs, width=width)
    layout = header[of][1]
    for left, top, wide, high in layout["boxes"]:
        for text in (each for each in layout["texts"] if not each.get("turn")):
            inside = top < text["y"] < top + high and left < text["x"] < left + wide
            assert not inside, text
    assert max(text["y"] for text in layout["texts"]) <= layout["height"]


def test_a_row_set_by_hand_is_said_by_its_word() -> None:
    model = load("bahdanau-en-fr")
    before = model.attend(SENTENCE)
    weights = [0.25] * 4 + [0.0] * (len(before.source) - 4)
    after = model.attend(SENTENCE, before.output_text, edits=[set_row("decoder.0.cross", None, 1, weights, 1)])
    word = before.target.word_texts[before.target.words[1]]
    assert f"edited: the row of “{word}” is set by hand" in encoded(before, after)[0]["alt"]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ({"operation": "force", "row": 2, "column": 0}, Chosen("force", 2, 0)),
        ({"operation": "forbid", "row": None, "column": 3}, Chosen("forbid", None, 3)),
        ({"operation": "pin", "row": 2, "column": 0, "place": [3, 1]}, Chosen("pin", 2, 0, HeadPlace(3, 1))),
        ({"operation": "pin", "row": 2, "place": [3, -1]}, Chosen("pin", 2, None)),
        ({"operation": "pin", "row": 2, "place": "3.1"}, Chosen("pin", 2, None)),
        ({"operation": "forbid", "column": -1}, None),
        ({"operation": "forbid", "row": True}, None),
        ({"operation": 3, "row": 1}, None),
        ({"row": 1}, None),
        ([1, 2], None),
        (None, None),
    ],
)
def test_what_a_browser_says_was_chosen_is_checked(sent: Any, read: Chosen | None) -> None:
    assert read_chosen(sent) == read
