"""What is counted of draws: shares follow the probabilities, and each translation stands once with its seeds."""

from __future__ import annotations

import numpy as np
import pytest

from models.edits import sample
from models.trace import AttentionTrace
from tests.support.small_models import fluent
from viz.figures.draws import draws_heatmap
from viz.measures.draws import (
    PROBABILITIES,
    DrawnTranslation,
    as_probabilities,
    as_shares,
    share_of_likeliest,
    translations_of,
)
from viz.views.view import choose_view

SOURCE, TARGET, PLACE = "the cat sleeps", "le chat est", "decoder.0.cross"
SITES = ("*.weights", f"*.{PROBABILITIES}")
MODEL = fluent("hard", SOURCE)


def drawn(count: int, target: str = TARGET) -> list[AttentionTrace]:
    return [MODEL.attend(SOURCE, target, edits=[sample(PLACE, None, None, seed)], sites=SITES) for seed in range(count)]


def test_the_shares_of_many_draws_are_the_probabilities_where_no_draw_came_before() -> None:
    count = 600
    soft, shares = as_probabilities(MODEL.attend(SOURCE, TARGET, sites=SITES)), as_shares(drawn(count))
    assert not shares.provenance.edits
    chance, seen = soft[PLACE].weights[0, 0].astype(float), shares[PLACE].weights[0, 0]
    np.testing.assert_array_less(np.abs(chance - seen), 4.5 * np.sqrt(chance * (1 - chance) / count) + 1e-6)
    np.testing.assert_allclose(shares[PLACE].weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(shares[PLACE].weights * count, np.round(shares[PLACE].weights * count), atol=1e-3)


def test_the_figure_holds_both_as_numbers_and_the_probability_beside_the_share() -> None:
    soft, shares = (
        choose_view(each, unit="piece")
        for each in (as_probabilities(MODEL.attend(SOURCE, TARGET, sites=SITES)), as_shares(drawn(8)))
    )
    figure = draws_heatmap(soft, shares, count=8)
    left, right = figure.data
    np.testing.assert_array_equal(left.z, soft.weights)
    np.testing.assert_array_equal(right.z, shares.weights)
    np.testing.assert_array_equal(right.customdata[..., 1].astype(np.float32), soft.weights)
    assert "8 draws" in figure.to_json()


def test_draws_of_two_translations_are_not_counted_together() -> None:
    with pytest.raises(ValueError, match="one source and one target; got several"):
        as_shares([*drawn(1), *drawn(1, "le chat")])


def test_the_likeliest_is_counted_in_each_run_against_its_own_probabilities() -> None:
    assert share_of_likeliest([MODEL.attend(SOURCE, TARGET, sites=SITES)]) == 1
    runs = drawn(30)
    hits = [
        each[PLACE].companions[PROBABILITIES][0, row, int(each[PLACE].weights[0, row].argmax())]
        == each[PLACE].companions[PROBABILITIES][0, row].max()
        for each in runs
        for row in range(len(each.target))
    ]
    assert share_of_likeliest(runs) == pytest.approx(np.mean(hits))
    assert 0 < share_of_likeliest(runs) < 1


def test_each_translation_stands_once_the_most_frequent_first() -> None:
    found = translations_of({5: "b", 3: "a", 4: "b", 9: "c"})
    assert found == (DrawnTranslation("b", (4, 5)), DrawnTranslation("a", (3,)), DrawnTranslation("c", (9,)))
