"""Patching on Surgery, opened first by its link: the edit, the grid, and two texts of unequal length."""

from __future__ import annotations

import json

import models
from models.edits import patch
from models.experiments.patching import patch_each_head
from tests.viz.pages.surgery.test_page import opened

ONE, OTHER, LONGER = "The cat drank the milk.", "The dog drank the milk.", "The big old dog drank the milk."
KEY = "transformer-en-fr"


def said(app: object) -> str:
    kinds = ("caption", "info", "warning", "error", "markdown")
    return " ".join(each.value for kind in kinds for each in getattr(app, kind)).replace("\\", "")


def test_the_grid_shows_what_becomes_of_the_translation_with_each_head_patched() -> None:
    app = opened(sentence=ONE, check="patch", other=OTHER)
    assert not app.exception
    model = models.load(KEY)
    found = patch_each_head(model, model.attend(ONE), OTHER)
    assert f"{found.before:.2f} with nothing replaced, {found.every:.2f} with every head replaced" in said(app)
    grids = [json.loads(each.proto.spec) for each in app.get("plotly_chart")][-3:]
    said_of = [f"changes it most: {change:+.3g}" for change in found.changes]
    assert len(grids) == 3
    assert sum(each in said(app) for each in said_of) >= 3


def test_without_another_sentence_a_pair_is_offered() -> None:
    app = opened(sentence=ONE, check="patch")
    (button,) = [each for each in app.button if each.key == "patching-pair"]
    button.click().run()
    assert not app.exception
    assert "every head replaced" in said(app)


def test_texts_of_unequal_length_are_told_with_both_lengths() -> None:
    model = models.load(KEY)
    lengths = [len(model.attend(text).source) for text in (ONE, LONGER)]
    app = opened(sentence=ONE, check="patch", other=LONGER)
    assert f"this one has {lengths[0]}, “{LONGER}” has {lengths[1]}" in said(app)
    app = opened(sentence=ONE, edits=patch("decoder.0.cross", 1, LONGER).to_text())
    assert not app.exception
    assert f"this one has {lengths[0]}, “{LONGER}” has {lengths[1]}" in said(app)


def test_an_edit_of_the_link_is_made_and_named() -> None:
    app = opened(sentence=ONE, edits=patch("decoder.2.cross", None, OTHER).to_text())
    assert not app.exception
    named = " ".join(each.label for each in app.button)
    assert "replaced by its output for" in named
    assert "The dog drank the milk." in named.replace("\\", "")
