"""BLEU by length: groups, rows, the file beside the weights, and the figure."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from models.translation import length_table as table
from models.translation.length_table import LengthRow, length_table
from tests.support.commands import exit_code
from tests.support.small_models import translator
from training import lengths
from viz.figures.drawing.lines import COLOURS, SYMBOLS
from viz.figures.lengths import bleu_by_length

RECIPE = {"files": [{"path": "en-fr/europarl-short.train.tsv.xz"}]}
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


def test_marks_do_not_count_as_words() -> None:
    """The limit of the training text, 30 words, counts none either."""
    pairs = [("One, (two), three - well: four.", "x")] * lengths.FEWEST
    assert list(lengths.groups_of(pairs)) == [10]  # six words, and four more marks
    assert list(lengths.groups_of([("It's a twenty-one, isn't it?", "x")] * lengths.FEWEST)) == [5]


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
    names = {"seq2seq-en-fr": "<b>", "bahdanau-en-fr": "Bahdanau"}
    alone = bleu_by_length(ROWS[3:], names)
    assert alone.data[0].line.color == COLOURS[1]  # whichever others are shown
    many = {f"model-{place}": "" for place in range(len(COLOURS))} | names
    (line,) = bleu_by_length(ROWS[:3], many).data
    assert (line.line.color, line.marker.symbol) == (COLOURS[0], SYMBOLS[1])
    figure = bleu_by_length(ROWS, names, without_attention=("seq2seq-en-fr",))
    assert [each.line.dash for each in figure.data] == ["dash", "solid"]
    assert figure.data[0].name == "&lt;b&gt;"
    assert list(figure.data[1].y) == [row.bleu for row in ROWS[3:]]
    assert figure.data[1].error_y.array[0] == pytest.approx(ROWS[3].high - ROWS[3].bleu)
    assert figure.layout.shapes[0].x0 == 30.5
    assert not bleu_by_length(ROWS[:2], {}).layout.shapes
    with pytest.raises(ValueError, match="at least one"):
        bleu_by_length([], {})


def test_a_model_measured_alone_leaves_the_rows_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (table, lengths):
        monkeypatch.setattr(module, "WEIGHTS", tmp_path)
    (tmp_path / "en-fr").mkdir()
    keys = ("luong-general-en-fr", "bahdanau-en-fr")
    monkeypatch.setattr(lengths, "catalog", lambda: (*keys, "rctm-en-fr"))
    monkeypatch.setattr(lengths, "load_translator", lambda key: key)
    pairs = [("a b", "c")] * 40 + [("a " * 8, "c")] * 40
    monkeypatch.setattr(lengths, "read_pairs", lambda _path: [*pairs, *[("Seen.", "c")] * 40])
    cards = {key: {"recipe": RECIPE} for key in keys} | {"rctm-en-fr": {"recipe": {"files": []}}}  # it is not measured
    monkeypatch.setattr(lengths, "describe", lambda key: SimpleNamespace(card=cards[key]))
    monkeypatch.setattr(lengths, "training_sources", lambda cards, _data: frozenset({"seen"} if [*cards] else ()))
    bleu = {"bahdanau-en-fr": 20.0, "luong-general-en-fr": 30.0}

    def measured(key: str, given: list[tuple[str, str]], *, most: int, file: str) -> LengthRow:
        assert len(given) == 40
        assert ("Seen.", "c") not in given
        return LengthRow(key, file, most - 4, most, 40, bleu[key], 10.0, 40.0, 7)

    monkeypatch.setattr(lengths, "measure", measured)

    def found(*asked: str) -> list[tuple[str, int, float]]:
        assert exit_code(lengths.main, "--data", str(tmp_path), *asked) == 0
        return [(row.key, row.most, row.bleu) for row in length_table("en-fr")]

    assert found() == [(key, most, bleu[key]) for key in keys for most in (5, 10)]
    bleu |= dict.fromkeys(keys, 25.0)
    luong, bahdanau = [(keys[0], most, 30.0) for most in (5, 10)], [(keys[1], most, 25.0) for most in (5, 10)]
    assert found("--keys", keys[1]) == luong + bahdanau
    assert exit_code(lengths.main, "--data", str(tmp_path), "--keys", "bahdanau-zh-en") == 2
    bleu |= {keys[0]: 40.0}
    del bleu[keys[1]]  # the second is not reached: the run is interrupted
    with pytest.raises(KeyError):
        found()
    assert [(row.key, row.bleu) for row in length_table("en-fr")] == [
        (keys[0], 40.0),
        (keys[0], 40.0),
        (keys[1], 25.0),
        (keys[1], 25.0),
    ]
