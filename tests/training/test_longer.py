"""Texts longer than those of training: the same lines in each, and costs that are those of the logits."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

from tests.support.small_models import translator
from training import longer
from training.forced import perplexity
from training.longer import counted, figures, held_out, interval, joined, nats, written

PAIRS = [("the cat drank the milk", "le chat"), ("a dog sleeps", "un chien dort"), ("she reads", "elle lit un livre")]


def test_every_line_stands_in_one_text_and_none_is_longer_than_it_may_be() -> None:
    tokenizer = translator("bahdanau").tokenizer
    pairs = [(f"{source} {number}", target) for number in range(9) for source, target in PAIRS]
    tokens = [counted(tokenizer, pair) for pair in pairs]
    assert list(joined(pairs, tokens, 0)) == pairs
    found = list(joined(pairs, tokens, 40))
    for side in (0, 1):
        assert " ".join(text[side] for text in found) == " ".join(pair[side] for pair in pairs)
    sizes = [counted(tokenizer, text) for text in found]
    assert max(sizes) <= 40
    assert min(sizes[:-1]) > 40 - max(tokens)  # one more would not have fitted


def test_costs_are_those_of_the_perplexity_and_differences_are_paired() -> None:
    models = translator("transformer"), translator("transformer-relative")
    costs, counts = nats(models[0], PAIRS)
    assert np.exp(costs.sum() / counts.sum()) == pytest.approx(perplexity(models[0], PAIRS))
    first, second, difference = figures(models, PAIRS)
    assert (first["key"], first["texts"]) == (models[0].key, len(PAIRS))
    assert difference["nats"] == pytest.approx(second["nats"] - first["nats"], abs=2e-3)
    assert first["nats"] == pytest.approx(costs.sum() / counts.sum(), abs=1e-3)
    other = (nats(models[1], PAIRS)[0] - costs) / counts
    assert other.min() - 1e-3 <= difference["nats_interval"][0] <= difference["nats_interval"][1] <= other.max() + 1e-3


def test_an_interval_holds_the_mean_and_narrows_with_the_texts() -> None:
    costs = np.random.default_rng(1).normal(10.0, 3.0, 400)
    few, many = (interval(costs[:count], np.full(count, 5.0)) for count in (25, 400))
    for mean, low, high in (few, many):
        assert low < mean < high
    assert many[2] - many[1] < (few[2] - few[1]) / 2
    assert interval(np.full(5, 3.0), np.full(5, 2.0)) == (1.5, 1.5, 1.5)


def test_what_is_written_is_held_against_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    targets = [("x", "le chat dort dans la maison verte")] * 8
    monkeypatch.setattr(longer, "translate", lambda _model, sources: [targets[0][1]] * len(sources))
    assert written(translator("bahdanau"), targets) == {"bleu": 100.0, "bleu_interval": [100.0, 100.0], "written": 1.0}
    monkeypatch.setattr(longer, "translate", lambda _model, sources: ["le chat dort"] * len(sources))
    assert written(translator("bahdanau"), targets)["written"] == pytest.approx(3 / 7, abs=1e-3)


def test_lines_that_were_trained_on_or_are_longer_than_training_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "en-fr").mkdir()
    for name, lines in {"seen": "Seen.\tvu\n", "europarl.dev": f"seen\tvu\nNew.\tneuf\n{'old ' * 70}\tvieux\n"}.items():
        (tmp_path / "en-fr" / f"{name}.tsv.xz").write_bytes(lzma.compress(lines.encode()))
    model = translator("bahdanau", recipe={"files": [{"path": "en-fr/seen.tsv.xz"}]})
    pairs, tokens = held_out([model], tmp_path)
    assert pairs == [("New.", "neuf")]
    assert tokens == [counted(model.tokenizer, pairs[0])]
