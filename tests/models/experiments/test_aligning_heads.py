"""Which head aligns: a head made to align is found, and what goes to no word is counted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from models import load
from models.errors import InputError
from models.experiments.aligning_heads import AligningHead, gold_file, gold_pairs, rank_heads
from models.experiments.alignment import ErrorRate, aligned, error_rates, read_gold
from models.experiments.links import strongest_sources
from models.trace import TokenSequence
from tests.support.huggingface_samples import TRANSLATORS, tiny_model


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


@pytest.mark.parametrize("family", TRANSLATORS)
def test_every_family_of_translators_is_ranked(family: str) -> None:
    """Random weights align nothing: what is proven is that every head is weighed, and the best by its own maps."""
    model = tiny_model(family)
    found = rank_heads(model, "en-fr")
    trace = model.attend("I miss you .", "Tu me manques .")
    cross = [each for each in trace if each.site.kind == "cross"]
    assert len(found) == 2 * sum(len(each.weights) for each in cross)
    best, gold = found[0], list(read_gold(gold_file("en-fr")))
    rate = ErrorRate()
    for each in gold:
        trace = model.attend(" ".join(each.source), " ".join(each.target))
        own = trace.read(best.site, best.reading)
        weights = np.zeros((len(each.target), len(each.source)))
        rows, columns = owners(own.query_tokens, each.target), owners(own.key_tokens, each.source)
        for (row, target), (column, source) in itertools.product(rows.items(), columns.items()):
            weights[target, source] += own.weights[best.head, row, column] / list(rows.values()).count(target)
        rate.add(strongest_sources(weights.astype(np.float32)), each)
    assert best.error_rate == pytest.approx(rate.value)


def owners(tokens: TokenSequence, gold: Sequence[str]) -> dict[int, int]:
    """Return for the position of each piece of a text which gold token its word begins in, counted in letters."""
    letters = [number for number, token in enumerate(gold) for _letter in token]
    begins, at = {}, 0
    for word, text in enumerate(tokens.word_texts):
        if text not in ("<s>", "</s>", "<pad>"):
            begins[word] = letters[at]
            at += len(text)
    return {place: begins[word] for place, word in enumerate(tokens.words) if word in begins}


def test_a_model_of_other_words_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model("marian")
    attend = type(model).attend
    monkeypatch.setattr(type(model), "attend", lambda self, *texts, **how: attend(self, "Other", *texts[1:], **how))
    with pytest.raises(InputError, match="splits these sentences into words differently"):
        rank_heads(model, "en-fr")
