"""Links read off a view: without what begins or ends a sentence, in the cells of the view."""

from __future__ import annotations

import numpy as np
import pytest

import models
from models.experiments.links import grown_links, strongest_sources
from viz.views.aligned import aligned_cells, links_of_words, words_of
from viz.views.view import choose_view

TEXT = "An unbelievable misunderstanding happened."


@pytest.mark.parametrize("reading", ["written", "input"])
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_links_are_those_of_the_words_alone(unit: str, reading: str) -> None:
    trace = models.load("transformer-en-fr").attend(TEXT)
    view = choose_view(trace, unit=unit, reading=reading)  # type: ignore[arg-type]
    rows = slice(None, -1) if reading == "written" else slice(1, None)
    inner, first = view.weights[rows, :-1], int(reading == "input")
    for linking, extract in (("strongest", strongest_sources), ("grown", grown_links)):
        expected = extract(np.asarray(inner))
        assert links_of_words(view, linking) == expected  # type: ignore[arg-type]
        cells = aligned_cells(view, linking)  # type: ignore[arg-type]
        assert set(cells) == {(target + first, source) for source, target in expected}
    assert aligned_cells(view, "none") == ()


def test_words_are_those_that_can_be_aligned() -> None:
    trace = models.load("bahdanau-en-fr").attend("A </s> cat.")
    assert words_of(trace.source) == ("A", "<", "/", "s", ">", "cat", ".")
    assert "</s>" not in words_of(trace.target)
