"""What heads do over a corpus: the numbers of the page, added up, whatever the order, and nothing lost on the way."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import Table, parquet

from models import load
from models.corpus.kept import find
from models.experiments.aligning_heads import rank_heads
from models.measures.labels import LABELS
from scale.corpus import files, job, ship, worker
from scale.corpus.__main__ import main
from scale.corpus.lines import Bad, Corpus, Line
from scale.corpus.statistics import KEPT, Statistics, fold
from scale.corpus.worker import HeadsOverCorpus
from tests.support.commands import exit_code
from tests.support.huggingface_samples import tiny_model
from viz.measures.head_profile import profiles_of
from viz.measures.similarity import head_similarity
from viz.views.heads import views_at

SENTENCES = (
    "The cat drank the milk because it was hungry.",
    "No.",
    "Unbelievably, the counterrevolutionaries of Kyrgyzstan slept, ate, slept and ate again!",
    "Where is the key of the old house?",
    "The dog saw the other dog, and the other dog ran away from the dog.",
    "Snow fell.",
    "我们昨天去了公园。",
)
TRANSLATIONS = (
    "Le chat a bu le lait parce qu'il avait faim.",
    "Non.",
    "Incroyablement, ils dormaient.",
    "Où est la clé de la vieille maison ?",
    "Le chien a vu l'autre chien.",
    "La neige est tombée.",
    "Nous sommes allés au parc.",
)
LINES = tuple(Line(number, text) for number, text in enumerate(SENTENCES))
PAIRS = tuple(Line(number, text, TRANSLATIONS[number]) for number, text in enumerate(SENTENCES))


def same(one: Statistics, other: Statistics, tolerance: float) -> None:
    """Hold two statistics equal, examples too."""
    assert set(one.sums) == set(other.sums)
    for name, values in one.sums.items():
        if "histogram" not in name or tolerance < 1e-6:  # a value beside the edge of a bin may fall into the next
            near = tolerance * (100 if "deviations" in name else 1)  # a surplus in units of a spread that may be tiny
            np.testing.assert_allclose(values, other.sums[name], atol=near * 10, rtol=near, err_msg=name)
    for kind, each in one.examples.items():
        np.testing.assert_allclose(each.scores, other.examples[kind].scores, atol=tolerance, rtol=0)
        np.testing.assert_allclose(each.weights, other.examples[kind].weights, atol=tolerance, rtol=0)
    assert one.texts == other.texts
    assert one.bad == other.bad


@pytest.mark.parametrize(
    ("key", "line", "kinds"),
    [
        ("hf:minilm", LINES[0], ("encoder.self",)),
        ("hf:minilm", LINES[2], ("encoder.self",)),
        ("transformer-en-fr", PAIRS[4], ("encoder.self", "decoder.self", "decoder.cross")),
        ("luong-local-p-en-fr", Line(0, SENTENCES[0]), ("decoder.cross",)),
    ],
)
def test_a_corpus_of_one_sentence_has_the_numbers_of_the_page(key: str, line: Line, kinds: tuple[str, ...]) -> None:
    found = HeadsOverCorpus(key)([line])
    trace = load(key).attend(line.source, line.target)
    for kind in kinds:
        stack, what = kind.split(".")
        profiles = profiles_of(views_at(trace, f"{stack}.*.{what}", "word"))
        for measure in profiles[0].values:
            numbers = [each.values[measure] for each in profiles]
            np.testing.assert_allclose(found.sums[f"{kind} sum {measure}"], numbers, atol=1e-5, err_msg=measure)
            assert found.sums[f"{kind} count {measure}"] == 1
        labels = found.sums[f"{kind} labels"]
        assert [LABELS[row.argmax()] for row in labels] == [each.label.key for each in profiles]
        scores = found.sums[f"{kind} scores"].sum(axis=1)
        np.testing.assert_allclose(scores, [each.label.score for each in profiles], atol=1e-5)
        alike = head_similarity(trace, sites=f"{stack}.*.{what}")
        order = np.argsort([profiles.index(next(p for p in profiles if p.place == place)) for place in alike.places])
        expected = alike.divergence[np.ix_(order, order)]
        np.testing.assert_allclose(found.sums[f"{kind} divergence"], expected, atol=1e-5)


@pytest.fixture(scope="module")
def parts() -> tuple[Statistics, ...]:
    heads = HeadsOverCorpus("hf:minilm", stride=2)
    return tuple(heads([line]) for line in (*LINES, Line(7, ""), Line(8, "Snow fell."), Bad(9, "not UTF-8")))


@given(st.permutations(range(10)), st.lists(st.integers(0, 10), max_size=4))
@settings(max_examples=40, deadline=None)
def test_statistics_add_up_in_any_order_and_any_grouping(
    parts: tuple[Statistics, ...], order: list[int], cuts: list[int]
) -> None:
    bounds = [0, *sorted(cuts), 10]
    groups = [fold(parts[place] for place in order[a:b]) for a, b in pairwise(bounds)]
    whole = fold(parts)
    same(fold(groups), whole, 1e-9)
    for kind, each in fold(groups).examples.items():
        np.testing.assert_array_equal(each.lines, whole.examples[kind].lines)
        np.testing.assert_array_equal(each.pairs, whole.examples[kind].pairs)
    assert [number for number, _reason in whole.bad] == [7, 9]


OURS = ("hf:minilm", "transformer-en-fr", "bahdanau-en-fr")


@pytest.mark.parametrize("family", [*OURS, "roberta", "gpt2", "gpt_oss", "marian", "t5"])
def test_texts_run_together_are_measured_as_if_each_ran_alone(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if family not in OURS:
        made = tiny_model(family)
        monkeypatch.setattr(worker, "load", lambda _key: made)
    heads = HeadsOverCorpus(family)
    lines = PAIRS if heads.model.is_translation else LINES
    same(heads(lines), fold(heads([line]) for line in lines), 1e-5)


def test_the_pair_of_an_example_is_the_cell_of_its_pattern_that_has_the_most_weight() -> None:
    found = HeadsOverCorpus("hf:minilm")(LINES)
    examples = found.examples["encoder.self"]
    label = LABELS.index("previous")
    head = int(examples.scores[:, label, 0].argmax())
    line, (query, key) = int(examples.lines[head, label, 0]), examples.pairs[head, label, 0]
    shown = load("hf:minilm").attend(SENTENCES[line])[f"encoder.{head // 12}.self"].to_words()
    weights = shown.weights[head % 12]
    assert key == query - 1
    assert weights[query, key] == pytest.approx(np.diagonal(weights, -1).max(), abs=1e-5)
    assert examples.weights[head, label, 0] == pytest.approx(weights[query, key], abs=1e-5)
    assert found.texts[line].words == shown.key_tokens.texts
    assert examples.scores.shape[2] == KEPT


def test_shards_are_read_where_they_begin_whatever_the_file(tmp_path: Path) -> None:
    texts = ["Eins.", "Zwei, drei.", "我们", "", "fünf"]
    (tmp_path / "a.txt").write_text("\n".join(texts), encoding="utf8")
    (tmp_path / "a.tsv").write_bytes("".join(f"{text}\tx{text}\n" for text in texts).encode() + b"alone\n\xff\tb\n")
    parquet.write_table(Table.from_pydict({"id": range(5), "text": texts}), tmp_path / "a.parquet", row_group_size=2)
    for name in ("a.txt", "a.parquet"):
        corpus = Corpus(tmp_path / name)
        shards = corpus.shards(2)
        assert [each.count for each in shards] == [2, 2, 1]
        assert [line for shard in reversed(shards) for line in corpus.read(shard)] == [
            Line(number, texts[number]) for number in (4, 2, 3, 0, 1)
        ]
    corpus = Corpus(tmp_path / "a.tsv")
    read = [line for shard in corpus.shards(3) for line in corpus.read(shard)]
    assert read[2] == Line(2, "我们", "x我们")
    assert [each.number for each in read if isinstance(each, Bad)] == [5, 6]


def test_a_job_writes_tables_and_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out"
    text.write_bytes("\n".join(SENTENCES).encode() + b"\n\xff\n")
    command = ["hf:minilm", str(text), "--out", str(out), "--shard", "3", "--credit", "ours"]
    assert exit_code(main, *command) == 0
    tables = {path.stem: parquet.read_table(path).to_pylist() for path in out.glob("*.parquet")}
    card = json.loads((out / "card.json").read_text(encoding="utf8"))
    assert (card["sentences"], card["errors"], card["corpus"]["credit"]) == (7, 1, "ours")
    assert tables["errors"] == [{"line": 7, "reason": "not UTF-8"}]
    assert sum(row["sentences"] for row in tables["labels"] if (row["layer"], row["head"]) == (0, 0)) == 7
    assert {row["measure"] for row in tables["measures"]} >= {"entropy", "distance", "previous", "punctuation"}
    assert all(sum(row["histogram"]) == row["sentences"] for row in tables["measures"])
    ran: list[int] = []
    monkeypatch.setattr(job.files, "write", lambda each, path: (ran.append(each.sentences), files_write(each, path)))
    (out / "shards" / "000001.npz").unlink()
    assert exit_code(main, *command) == 0
    assert ran == [3]
    again = {path.stem: parquet.read_table(path).to_pylist() for path in out.glob("*.parquet")}
    assert again == tables
    assert exit_code(main, "hf:minilm", str(tmp_path / "nothing.txt"), "--out", str(out)) == 2


files_write: Any = files.write


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("", "empty"),
        ("1\tThe cat .\tLe chat .\t0-0 1-1 2-2\n2\tA dog .\tUn chien .\n", "line 2"),
        ("1\tThe cat .\tLe chat .\t0-0 1-7\n", "line 1: a link names a word"),
        ("1\tThe cat .\tLe chat .\tzero-one\n", "line 1"),
    ],
)
def test_a_file_of_aligned_pairs_that_is_none_is_refused_before_anything_runs(
    lines: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(lines, encoding="utf8")
    assert (
        exit_code(main, "no-such-model", "no-such-text.txt", "--out", str(tmp_path / "out"), "--gold", str(gold)) == 2
    )
    assert reason in capsys.readouterr().err


def test_heads_are_ranked_on_the_pairs_that_are_given(tmp_path: Path) -> None:
    gold, text = tmp_path / "gold.tsv", tmp_path / "text.tsv"
    gold.write_text("1\tThe cat sleeps .\tLe chat dort .\t0-0 1-1 2-2 3?3\n", encoding="utf8")
    text.write_text("The cat sleeps.\tLe chat dort.\n", encoding="utf8")
    assert exit_code(main, "bahdanau-en-fr", str(text), "--out", str(tmp_path / "out"), "--gold", str(gold)) == 0
    table = parquet.read_table(tmp_path / "out" / "aligning.parquet").to_pylist()
    (best, *_others) = rank_heads(load("bahdanau-en-fr"), gold)
    assert min(row["error_rate"] for row in table) == pytest.approx(best.error_rate)
    assert best.error_rate < 0.5


def test_tables_that_come_along_hold_the_corpus_measured_and_the_examples_of_our_sentences(tmp_path: Path) -> None:
    text, ours = tmp_path / "text.txt", tmp_path / "ours.txt"
    text.write_text("\n".join(SENTENCES[:4]), encoding="utf8")
    ours.write_text("The cat sleeps.\nSnow fell.\nA dog sees a dog.\nHe left.\nI saw it.\n", encoding="utf8")
    for name, path in (("corpus", text), ("examples", ours)):
        assert exit_code(main, "bahdanau-en-fr", str(path), "--out", str(tmp_path / name)) == 0
    folder = ship.ship(tmp_path / "corpus", tmp_path / "examples", tmp_path / "along")
    kept = find(load("bahdanau-en-fr").sha256, (tmp_path / "along",))
    assert kept is not None
    assert kept.sentences == 4
    tables = {path.stem: parquet.read_table(path).to_pylist() for path in folder.glob("*.parquet")}
    assert set(tables) == {"measures", "labels", "examples"}
    assert {row["source"] for row in tables["examples"]} <= set(ours.read_text(encoding="utf8").splitlines())
    assert {row["rank"] for row in tables["examples"]} == {0, 1, 2}
    card = tmp_path / "examples" / "card.json"
    card.write_text(card.read_text(encoding="utf8").replace(kept.card["sha256"], "0" * 64), encoding="utf8")
    with pytest.raises(ValueError, match="different weights"):
        ship.ship(tmp_path / "corpus", tmp_path / "examples", tmp_path / "along")


@pytest.mark.parametrize("key", ["hf:minilm", "transformer-en-fr"])
def test_the_tables_that_come_along_are_of_the_weights_that_come_along(key: str) -> None:
    assert find(load(key).sha256) is not None
