"""BLEU of limited encoders: measured as single runs under the same edits; the shipped tables are of the weights."""

from __future__ import annotations

from itertools import pairwise

import pytest

import models
import training.patterns as measured
from models.edits import PATTERNS
from models.translation.length_times import length_times
from models.translation.pattern_table import pattern_table
from training.patterns import FILES, SITE, SIZES, figures

SOURCES = ("The cat drank the milk because it was hungry.", "My sister is reading a book in the kitchen.")


def test_each_pattern_is_measured_as_an_edit_of_single_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    model = models.load_translator("transformer-en-fr")
    edit = PATTERNS["near"](SITE, 1)
    monkeypatch.setattr(measured, "SIZES", {"near": (1,)})
    references = {source: [model.attend(source, edits=[edit], sites=()).output_text] for source in SOURCES}
    whole, limited = figures(model, references).rows
    assert limited.bleu == pytest.approx(100)
    assert whole.bleu < 90
    assert (limited.keys, limited.pattern) == (pytest.approx(2.8, abs=0.1), "near")


def test_the_shipped_tables_are_of_the_shipped_weights_and_whole() -> None:
    tables = {pair: pattern_table(pair) for pair in FILES}
    for key, each in (row for table in tables.values() for row in table.items()):
        assert each.sha256 == models.describe(key).sha256
        assert [(row.pattern, row.size) for row in each.rows[1:]] == [(k, size) for k in SIZES for size in SIZES[k]]
        assert all(row.low <= row.bleu <= row.high for row in each.rows)
        windows = [row.bleu for row in each.rows if row.pattern == "near"]
        assert all(wide > narrow - 0.3 for narrow, wide in pairwise(windows))  # of 300 sentences one step may fall
    assert {pair: list(table) for pair, table in tables.items()} == {
        "en-fr": ["transformer-en-fr"],
        "zh-en": ["transformer-zh-en"],
    }
    times = length_times("en-fr")
    assert times is not None
    assert all(models.describe(key).sha256 == each for key, each in times.sha256.items())
    assert length_times("zh-en") is None
