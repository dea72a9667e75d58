"""The pyramid worked out from parameters: equal to the network, its derivative to differences, its figure complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from models.experiments.arithmetic import parameters_at
from models.hooks import capture
from tests.support.small_models import translator
from viz.figures.pyramid import pyramid_chart
from viz.measures.pyramid import PARAMETERS, cosine, embedded, fold, moved_without

MODEL = translator("rctm")
TEXTS = ("a", "the cat drank milk", "the cat drank the milk that the dog had left on the table in the hall")


def parts() -> dict[str, Any]:
    return dict(parameters_at(MODEL, None, PARAMETERS))


@pytest.mark.parametrize("text", [*TEXTS, "cat " * 90])
def test_rows_are_those_of_the_network(text: str) -> None:
    ids = MODEL.tokenizer.source(text).ids
    with torch.inference_mode(), capture(["encoder.*.self.final"]) as session:
        MODEL.network.encode(torch.tensor([ids]))
    found = fold(parts(), embedded(parts(), ids))
    assert len(session.sites) == len(found.rows) - 1
    for row, site in enumerate(session.sites):
        np.testing.assert_allclose(found.rows[row + 1], session[site][0, 0].numpy(), atol=1e-5)
    assert found.reaches[-1] == len(ids)
    assert [len(row) + reach - 1 for row, reach in zip(found.rows, found.reaches, strict=True)] == [
        len(ids) for _ in found.rows
    ]


def test_slopes_are_the_size_of_the_derivative() -> None:
    ids = MODEL.tokenizer.source(TEXTS[1]).ids
    entering = embedded(parts(), ids) * 0.1
    found, step = fold(parts(), entering), 1e-6
    for token in range(len(ids)):
        squares = 0.0
        for feature in range(entering.shape[1]):
            moved = entering.copy()
            moved[token, feature] += step
            squares += float((((fold(parts(), moved).top - found.top) / step) ** 2).sum())
        assert found.slopes[0][token] == pytest.approx(squares**0.5, rel=1e-3)
    np.testing.assert_allclose(found.slopes[-1], entering.shape[1] ** 0.5)


def test_a_token_that_is_taken_out_moves_the_top_and_nothing_in_its_place_does_not() -> None:
    ids = MODEL.tokenizer.source(TEXTS[1]).ids
    table = parts()
    moved = moved_without(table, ids)
    assert moved.shape == (len(ids),)
    assert (moved > 0).all()
    empty = table | {"embedding.weight": table["embedding.weight"] * 0}
    assert not moved_without(empty, ids).any()
    assert cosine(np.ones(3), -np.ones(3)) == pytest.approx(-1)
    assert cosine(np.ones(3), np.zeros(3)) == 0


@pytest.mark.parametrize("text", TEXTS)
def test_the_figure_has_every_cell_and_every_token(text: str) -> None:
    source = MODEL.tokenizer.source(text)
    found = fold(parts(), embedded(parts(), source.ids))
    figure = pyramid_chart(found, moved_without(parts(), source.ids), source.texts)
    cells, bars = figure.data
    assert len(cells.x) == sum(map(len, found.rows))
    assert len(bars.x) == len(source)
    assert max(cells.base) == len(found.rows) - 1
    assert cells.x[-1] == (len(source) - 1) / 2  # the top stands above the middle
    for row in range(len(found.rows)):
        assert sum(share for share, base in zip(cells.customdata, cells.base, strict=True) if base == row) == (
            pytest.approx(1)
        )
