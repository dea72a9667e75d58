"""Many mechanisms in a few numbers: against loops and scipy, on small networks of every mechanism."""

from __future__ import annotations

import csv
import io
from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from models.mechanisms import mechanisms
from models.trace import AttentionTrace
from tests.support.small_models import KEYS, translator
from viz.captions.tables import csv_of_summaries, table_of_summaries
from viz.figures import difference_multiples
from viz.measures.summary import Summary, coverage, divergence_from, in_order, summary_of
from viz.server import traces
from viz.server.traces import TraceCache
from viz.views.view import View, choose_view

SOURCE, TARGET = "The unbelievable cat sleeps in the house.", "le chat dort"
READERS = [key for key in KEYS if mechanisms()[key].has_attention]


@cache
def trace(key: str) -> AttentionTrace:
    return translator(key).attend(SOURCE, TARGET)


def view(key: str) -> View:
    return choose_view(trace(key), reading="written")


def with_rest(row: np.ndarray) -> np.ndarray:
    """Return a row with what it gives to no word, which the window of local-p leaves, as one more."""
    return np.append(row, max(1 - row.sum(), 0.0))


@pytest.mark.parametrize("key", READERS)
def test_numbers_of_a_map_equal_those_worked_out_cell_by_cell(key: str) -> None:
    found = summary_of(key, trace(key), view(key))
    weights = view(key).weights.astype(np.float64)
    rows = [with_rest(row) for row in weights]
    assert found.log_probability == pytest.approx(sum(step.log_probability for step in trace(key).steps))
    assert found.entropy == pytest.approx(np.mean([entropy(row, base=2) for row in rows]), abs=1e-5)
    received = [min(1.0, sum(row[column] for row in weights)) for column in range(weights.shape[1] - 1)]
    assert coverage(view(key)) == pytest.approx(np.mean(received), abs=1e-6)


@pytest.mark.parametrize("key", READERS)
def test_divergence_is_scipys_row_by_row(key: str) -> None:
    reference = view("bahdanau")
    rows = zip(view(key).weights.astype(np.float64), reference.weights.astype(np.float64), strict=True)
    expected = np.mean([jensenshannon(with_rest(one), with_rest(other), base=2) ** 2 for one, other in rows])
    assert divergence_from(view(key), reference) == pytest.approx(expected, abs=1e-4)
    assert divergence_from(view(key), view(key)) == pytest.approx(0, abs=1e-6)


def test_a_mechanism_without_a_map_has_blanks_and_stands_last() -> None:
    summaries = {
        key: summary_of(key, trace(key), view(key) if key in READERS else None, divergence=number)
        for key, number in (("seq2seq", None), ("bahdanau", 0.5), ("luong-dot", 0.25))
    }
    order = tuple(summaries)
    assert summaries["seq2seq"].entropy is None
    assert in_order(order, summaries, "year") == order
    assert in_order(order, summaries, "agreement") == ("luong-dot", "bahdanau", "seq2seq")
    sharpest = sorted(("bahdanau", "luong-dot"), key=lambda key: summaries[key].entropy or 0)
    assert in_order(order, summaries, "entropy") == (*sharpest, "seq2seq")
    assert table_of_summaries([summaries["seq2seq"]])[0]["coverage"] is None


def test_csv_holds_exact_numbers_and_quotes_what_needs_it() -> None:
    summary = Summary("x", "X, 2015", 'le "chat", ici\n', -1 / 3, 0.1, None, 2 / 3, 12.5)
    lines = list(csv.DictReader(io.StringIO(csv_of_summaries([summary]))))
    assert lines[0]["translation"] == summary.translation
    assert float(lines[0]["log_probability"]) == summary.log_probability
    assert float(lines[0]["divergence"]) == summary.divergence
    assert lines[0]["coverage"] == ""


def test_multiples_draw_each_difference_on_one_scale() -> None:
    others = [view(key) for key in ("luong-dot", "luong-concat", "transformer")]
    figure = difference_multiples(others, view("bahdanau"))
    assert len(figure.data) == 3
    for heatmap, each in zip(figure.data, others, strict=True):
        np.testing.assert_allclose(heatmap.z, each.weights - view("bahdanau").weights, atol=1e-6)
        assert heatmap.coloraxis == "coloraxis"
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1, 1)
    with pytest.raises(ValueError, match="at least one"):
        difference_multiples([], view("bahdanau"))


def test_the_time_of_a_run_is_that_of_its_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, now = TraceCache(), [5.0]
    monkeypatch.setattr(traces, "perf_counter", lambda: now[0])

    def slow() -> AttentionTrace:
        now[0] += 0.5
        return trace("bahdanau")

    assert cache.milliseconds("a") is None
    for _time in range(2):
        cache.get("a", slow)
        assert cache.milliseconds("a") == 500
