"""BLEU by length: groups, rows, the file beside the weights, and the figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from models import length_table as table
from models.length_table import LengthRow, length_table
from models.training import lengths
from tests.small_models import translator
from viz.figures.lengths import bleu_by_length

ROWS = tuple(
    LengthRow(key, "europarl.test", most - 4, most, 40 + most, 20.0 + place - most / 4, 15.0, 30.0, 12_000_000)
    for place, key in enumerate(("seq2seq-en-fr", "bahdanau-en-fr"))
    for most in (10, 20, 35)
)


def test_groups_hold_sources_of_like_length_and_leave_out_the_few() -> None:
    counts = {1: 20, 4: 5, 5: 5, 6: 1, 10: 29, 11: 29}
    pairs = [("a " * words, "b") for words, copies in counts.items() for _copy in range(copies)]
    found = lengths.groups_of(pairs)
    assert {most: len(group) for most, group in found.items()} == {5: 30, 10: 30}
    for most, group in found.items():
        assert all(most - lengths.SPAN < len(source.split()) <= most for source, _target in group)


def test_marks_count_as_words() -> None:
    pairs = [("one, two, three.", "x")] * lengths.FEWEST
    assert list(lengths.groups_of(pairs)) == [10]  # six of them


def test_a_row_has_bleu_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = "le chat dort dans la maison verte", "un chien"
    pairs = [(f"source {number}", good) for number in range(40)]
    monkeypatch.setattr(lengths, "SAMPLES", 200)
    outputs = [good if number % 2 else bad for number in range(40)]
    monkeypatch.setattr(lengths, "translate", lambda _model, _sources: outputs)
    found = lengths.measure(translator("bahdanau", target_tokens_seen=7), pairs, most=5, file="x")
    assert (found.fewest, found.most, found.sentences, found.target_tokens) == (1, 5, 40, 7)
    assert found.low < found.bleu < found.high
    monkeypatch.setattr(lengths, "translate", lambda _model, _sources: [good] * 40)
    whole = lengths.measure(translator("bahdanau", target_tokens_seen=7), pairs, most=5, file="x")
    assert (whole.bleu, whole.low, whole.high) == (100.0, 100.0, 100.0)


def test_what_is_written_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "WEIGHTS", tmp_path)
    assert length_table("en-fr") == ()
    (tmp_path / "en-fr").mkdir()
    lengths.write(ROWS, tmp_path / "en-fr" / table.LENGTHS_FILE)
    assert length_table("en-fr") == ROWS


def test_the_figure_has_a_line_a_model_and_shades_what_training_did_not_see() -> None:
    figure = bleu_by_length(ROWS, {"seq2seq-en-fr": "<b>"}, without_attention=("seq2seq-en-fr",))
    assert [each.line.dash for each in figure.data] == ["dash", "solid"]
    assert figure.data[0].name == "&lt;b&gt;"
    assert list(figure.data[1].y) == [row.bleu for row in ROWS[3:]]
    assert figure.data[1].error_y.array[0] == pytest.approx(ROWS[3].high - ROWS[3].bleu)
    assert figure.layout.shapes[0].x0 == 30.5
    assert not bleu_by_length(ROWS[:2], {}).layout.shapes
    with pytest.raises(ValueError, match="at least one"):
        bleu_by_length([], {})
