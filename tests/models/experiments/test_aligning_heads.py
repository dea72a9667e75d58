"""Which head aligns: a head made to align is found, and what goes to no word is counted."""

from __future__ import annotations

import numpy as np
import pytest

from models import load
from models.errors import InputError
from models.experiments.aligning_heads import AligningHead, gold_file, gold_pairs, rank_heads
from models.experiments.alignment import aligned, error_rates, read_gold
from models.experiments.links import strongest_sources
from tests.support.huggingface_samples import tiny_model


def test_every_language_pair_that_is_shipped_has_aligned_sentences() -> None:
    assert gold_pairs() == ("en-fr", "zh-en")
    assert all(len(list(read_gold(gold_file(pair)))) == 30 for pair in gold_pairs())


def test_heads_are_ranked_as_training_measures_them() -> None:
    model, shares = load("bahdanau-en-fr"), []
    found = rank_heads(model, "en-fr", on_progress=shares.append)
    sentences = aligned(model, list(read_gold(gold_file("en-fr"))))
    rates = error_rates(sentences, strongest_sources)
    assert {(str(each.site), each.head, each.reading): each.error_rate for each in found} == {
        choice: pytest.approx(rate) for choice, rate in rates.items() if choice[1] != "mean"
    }
    assert [each.error_rate for each in found] == sorted(each.error_rate for each in found)
    assert shares[-1] == 1.0


def test_what_goes_to_the_end_and_to_punctuation_is_counted() -> None:
    model = load("bahdanau-en-fr")
    best: AligningHead = rank_heads(model, "en-fr")[0]
    expected = []
    for gold in read_gold(gold_file("en-fr")):
        trace = model.attend(" ".join(gold.source), " ".join(gold.target))
        weights = trace.read("decoder.0.cross", best.reading).to_words().weights[0][:-1].astype(np.float64)
        aside = [not any(map(str.isalnum, text)) or text == "</s>" for text in trace.source.word_texts]
        expected.append(weights[:, aside].sum(axis=1).mean())
    assert best.reading == "written"
    assert best.aside == pytest.approx(np.mean(expected), abs=0.02)


def test_a_model_of_other_words_is_told_so() -> None:
    with pytest.raises(InputError, match="other words"):
        rank_heads(tiny_model("marian"), "en-fr")
