"""Heads shows what each key moves in the place of its weight: the same numbers as in Python, and said everywhere."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from models.trace import AttentionTrace
from tests.support.heads_page import MINILM, opened, overview, parameter, trace_of, words
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from tests.support.payloads import compared
from viz.canvas.overview import SmallMaps, small_maps
from viz.captions.tables import csv_of_views
from viz.views.heads import HeadPlace, pick_views
from viz.views.view import View, choose_view

OTHER = "The cat drank the milk because it was sweet."


def test_a_link_opens_the_overview_on_what_is_moved() -> None:
    plain, moved = opened(model=MINILM), opened(model=MINILM, quantity="moved")
    trace = trace_of(MINILM)
    for app, shown in ((plain, trace), (moved, trace.moved())):
        _, cells = overview(app)
        expected = np.concatenate([each.to_words().weights for each in shown])
        np.testing.assert_allclose(cells, expected, atol=0.01)
    assert overview(moved)[0]["legend"].startswith("moved")
    assert "Kobayashi et al. 2020" in json.dumps(overview(moved)[0], ensure_ascii=False)
    assert "Kobayashi" not in json.dumps(overview(plain)[0], ensure_ascii=False)
    assert parameter(moved, "quantity") == "moved"
    assert "is moved most by" in words(moved)


def test_what_is_moved_in_a_long_text_is_there_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def watched(views: Iterable[View]) -> SmallMaps:
        found = list(views)
        made.append(found[0].quantity)
        return small_maps(found)

    monkeypatch.setattr("viz.pages.heads.shown.small_maps", watched)
    text = " ".join(f"cat{number} sat" for number in range(70))
    for sentence in ("The cat sat.", text):
        opened(model=MINILM, sentence=sentence)
    assert made == ["weights", "weights", "moved"]
    app = opened(model=MINILM, sentence=text, quantity="moved")
    assert overview(app)[0]["legend"].startswith("moved")
    assert made == ["weights", "weights", "moved"]


@pytest.mark.parametrize("compare", ["side", "lines", "text", "difference", "sum", "mean"])
def test_each_way_of_showing_picked_heads_takes_it(compare: str) -> None:
    app = opened(
        model=MINILM, quantity="moved", heads0="1", heads2="3", compare=compare, below="rollout similarity table"
    )
    assert parameter(app, "quantity") == "moved"


def test_a_second_sentence_is_compared_in_the_same_quantity() -> None:
    weights = opened(model=MINILM, against="sentence", other=OTHER)
    moved = opened(model=MINILM, against="sentence", other=OTHER, quantity="moved")
    one, other = (app.dataframe[0].value["change"].tolist() for app in (weights, moved))
    assert one != other


def test_a_model_that_shows_no_values_says_so_where_a_link_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_network("bloom").save_pretrained(tmp_path / "bloom")
    tiny_tokenizer(ends=False).save_pretrained(tmp_path / "bloom")
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", str(tmp_path / "bloom"))
    app = opened(model="hf:bloom", quantity="moved")
    assert "Norm-weighted attention is not available here: the" in words(app)


def test_a_table_names_the_quantity_and_all_heads_together_are_no_mean() -> None:
    trace = trace_of("transformer-en-fr")
    for shown, name in ((trace, "weight"), (trace.moved(), "moved")):
        views = pick_views(shown, "encoder.*.self", "word", [HeadPlace(0, 1)])
        assert name in csv_of_views(views).splitlines()[0].split(",")
    view = choose_view(trace.moved(), site="encoder.1.self", head="mean", unit="piece")
    np.testing.assert_allclose(view.weights, trace["encoder.1.self"].moved().mean, atol=1e-6)
    assert np.abs(view.weights - trace["encoder.1.self"].moved().weights.mean(axis=0)).max() > 0.01


def test_what_is_saved_of_the_picture_is_the_record_with_its_weights() -> None:
    trace = trace_of(MINILM)
    file = io.BytesIO()
    trace.moved().save(file)
    file.seek(0)
    for one, other in zip(AttentionTrace.load(file), trace, strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)


def test_a_picked_head_says_how_long_the_value_of_its_most_attended_key_is() -> None:
    trace, said = trace_of(MINILM), {}
    found = trace["encoder.0.self"]
    lengths = found.value_norms[1] / found.value_norms[1].mean()
    key = int(found.weights[1].mean(axis=0).argmax())
    for quantity in ("weights", "moved"):
        said[quantity] = words(opened(model=MINILM, quantity=quantity, heads0="1"))
        assert f"its value is {lengths[key]:.2f} times the mean length" in said[quantity]


def test_what_moved_means_is_said_once_for_all_picked_heads() -> None:
    app = opened(model=MINILM, quantity="moved", heads0="1", heads2="3 4")
    header, _maps = compared(app)
    assert "Kobayashi" not in json.dumps(header["layouts"])
    assert header["alt"].count("Kobayashi") == 1
    assert "moved: share of the lengths" in " ".join(each["text"] for each in header["layouts"][0]["texts"])
    assert sum(each.value.count("Kobayashi") for each in app.caption) == 1
