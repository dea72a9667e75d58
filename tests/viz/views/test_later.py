"""Scores that the causal mask hides, as subwords and merged to words, against loops in float64."""

from __future__ import annotations

import numpy as np
import pytest

import models
from viz.figures import head_comparison
from viz.views.heads import HeadPlace, pick_views
from viz.views.later import later_words

SENTENCE, PLACE = "The unbelievable rhinoceros sleeps.", HeadPlace(1, 5)
SITES = "decoder.*.self"


@pytest.mark.parametrize("unit", ["piece", "word"])
def test_hidden_scores_are_those_before_the_mask(unit: str) -> None:
    model = models.load("transformer-en-fr")
    own = model.attend(SENTENCE)
    trace = model.attend(SENTENCE, own.output_text, sites=("*.weights", f"{SITES}.scores"))
    scores = trace["decoder.1.self"].companions["scores"][PLACE.head].astype(np.float64)
    tokens = trace["decoder.1.self"].query_tokens
    words = list(range(len(tokens))) if unit == "piece" else tokens.words
    assert unit == "piece" or len(set(words)) < len(words)  # a word of several subwords is among them
    (view,) = pick_views(later_words(trace), SITES, unit, [PLACE])  # type: ignore[arg-type]
    size = len(set(words))
    assert view.weights.shape == (size, size)
    for query in range(size):
        for key in range(size):
            rows = [place for place, word in enumerate(words) if word == query]
            columns = [place for place, word in enumerate(words) if word == key]
            if key > query:
                expected = np.log(np.mean([np.exp(scores[row, columns]).sum() for row in rows]))
                assert np.log(view.weights[query, key]) == pytest.approx(expected, abs=1e-5)
            elif len(rows) == 1:
                assert view.weights[query, key] == 0


def test_maps_without_scores_or_without_a_causal_mask_are_left_out() -> None:
    assert not later_words(models.load("transformer-en-fr").attend(SENTENCE)).maps


def test_a_figure_crosses_out_the_cells_that_the_mask_hides_with_their_scores() -> None:
    model = models.load("transformer-en-fr")
    trace = model.attend(SENTENCE, model.attend(SENTENCE).output_text, sites=("*.weights", f"{SITES}.scores"))
    heads = [PLACE, HeadPlace(0, 2)]
    views = pick_views(later_words(trace), SITES, "piece", heads)
    figure = head_comparison(trace, heads=heads, sites=SITES, unit="piece", crossed=views)
    plain, crosses = figure.data[:2], figure.data[2:]
    assert [each.xaxis for each in crosses] == [each.xaxis for each in plain] == ["x", "x2"]
    for head, each in zip(heads, crosses, strict=True):
        scores = trace[f"decoder.{head.layer}.self"].companions["scores"][head.head]
        rows, columns = np.triu_indices(len(scores), 1)
        assert (list(each.y), list(each.x)) == (rows.tolist(), columns.tolist())
        np.testing.assert_allclose(each.customdata, scores[rows, columns], atol=1e-4)
    assert "crossed out: later words" in figure.panels[0].notes[-1]
    assert "masked: score" in crosses[0].hovertemplate
    unknown = head_comparison(trace, heads=heads, sites=SITES, unit="piece").data[2]
    assert (list(unknown.x), unknown.customdata) == (list(crosses[0].x), None)
    assert "masked: later word" in unknown.hovertemplate
