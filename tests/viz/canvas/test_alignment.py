"""What the picture of the Bench is fed with: the numbers of the views, and which word each row is of."""

from __future__ import annotations

import numpy as np
import pytest

import models
from tests.support.payloads import decode_alignment
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.payload import JOINT
from viz.views.view import choose_view

TEXT = "An unbelievable misunderstanding."
KEYS = ("bahdanau-en-fr", "transformer-en-fr")


@pytest.mark.parametrize("reading", ["written", "input"])
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_each_row_knows_the_written_word_that_it_is_of(unit: str, reading: str) -> None:
    views = [choose_view(models.load(key).attend(TEXT), unit=unit, reading=reading) for key in KEYS]  # type: ignore[arg-type]
    header, maps = decode_alignment(
        encode_alignment([AlignmentView(view.trace, view, "e = s^\\top h") for view in views])
    )
    for view, panel, weights in zip(views, header["panels"], maps, strict=True):
        np.testing.assert_array_equal(weights, view.weights)
        words = [each["text"] for each in panel["words"]]
        assert "".join(words) == view.trace.output_text.replace(" ", "")
        for text, word in zip(view.shown.query_tokens.texts, panel["row_words"], strict=True):
            if text in ("<s>", "</s>"):
                assert word == -1
            else:
                assert text.strip() in words[word]
        assert sorted({*panel["row_words"]} - {-1}) == list(range(len(words)))


def test_notes_that_all_share_are_said_once() -> None:
    views = [choose_view(models.load(key).attend(TEXT, "Un chat.")) for key in KEYS]
    header, _maps = decode_alignment(encode_alignment([AlignmentView(view.trace, view, "e") for view in views]))
    assert "the translation was given, not chosen by the model" in header["note"]
    for panel in header["panels"]:
        assert not set(panel["notes"]) & set(header["note"].split(JOINT))


def test_rows_that_mean_different_things_are_named_in_their_panels() -> None:
    pairs = zip(KEYS, ("written", "input"), strict=True)
    views = [choose_view(models.load(key).attend(TEXT), reading=reading) for key, reading in pairs]  # type: ignore[arg-type]
    header, _maps = decode_alignment(encode_alignment([AlignmentView(view.trace, view, "e") for view in views]))
    assert header["row_title"] == ""
    for view, panel in zip(views, header["panels"], strict=True):
        assert view.query_title in panel["notes"]


def test_the_windows_of_local_attention_come_along() -> None:
    from viz.server.translations import sites_of

    key = "luong-local-p-en-fr"
    view = choose_view(models.load(key).attend(TEXT, sites=sites_of(key)))
    header, _maps = decode_alignment(encode_alignment([AlignmentView(view.trace, view, "e")]))
    (panel,) = header["panels"]
    assert [each["style"] for each in panel["windows"]] == ["solid", "solid", "point", "dotted", "dotted"]
    assert all(len(each["places"]) == len(panel["rows"]) for each in panel["windows"])
    assert any("window" in note for note in panel["notes"])
