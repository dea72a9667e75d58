"""Beam search: one is greedy, enough is exhaustive, and every score is the forced log-probability, in float64."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import models
from models.errors import InputError
from models.networks.base import TranslationNetwork
from models.translation.beam import beam_search, search
from models.translation.decoding import translate_batch
from models.translation.hypothesis import Hypothesis
from models.translation.translator import Translator
from models.vocabulary import BEGIN, END
from models.writing import Writing
from tests.support.small_models import KEYS, network, translator

SOURCES = ("The cat is hungry.", "She reads a book.", "We live in Paris.")
SHIPPED = ("seq2seq-en-fr", "bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr")


def sources_of(model: Translator) -> torch.Tensor:
    encoded = [[*ids, END] for ids in model.tokenizer.encode_batch(list(SOURCES))]
    shortest = min(map(len, encoded))
    return torch.tensor([[*ids[: shortest - 1], END] for ids in encoded])


@torch.inference_mode()
def forced(made: TranslationNetwork, source: torch.Tensor, ids: list[int]) -> np.ndarray:
    """Return the log-probability of each token in one forced pass, the softmax written out."""
    logits = made.decode(made.encode(source[None]), torch.tensor([[BEGIN, *ids[:-1]]]))[0].numpy()
    logits = logits[:, END:].astype(np.float64)  # <pad> and <s> are never written
    largest = logits.max(axis=-1)
    each = logits - (largest + np.log(np.exp(logits - largest[:, None]).sum(axis=-1)))[:, None]
    return each[np.arange(len(ids)), np.array(ids) - END]


@pytest.mark.parametrize("key", KEYS)
def test_a_beam_of_one_is_greedy_decoding(key: str) -> None:
    model = translator(key)
    source = sources_of(model)
    found = [[token for token in ids if token != END] for [(ids, _worth)] in search(model.network, source, 1)]
    assert found == translate_batch(model.network, source)


@pytest.mark.parametrize("width", [2, 3, 4, 8])
@pytest.mark.parametrize("key", KEYS)
def test_every_token_is_worth_its_forced_log_probability_in_float64(key: str, width: int) -> None:
    made = network(key, vocabulary=40).double()
    source = torch.tensor([[5, 9, 7, 30, END], [8, 8, 21, 6, END]])
    for row, kept in enumerate(search(made, source, width, 9)):
        assert len({tuple(ids) for ids, _worth in kept}) == len(kept) == width
        means = [sum(worth) / len(worth) for _ids, worth in kept]
        assert means == sorted(means, reverse=True)
        for ids, worth in kept:
            np.testing.assert_allclose(worth, forced(made, source[row], ids), atol=1e-9)


@pytest.mark.parametrize("key", ["seq2seq", "bahdanau", "luong-general", "transformer"])
def test_a_beam_that_holds_everything_is_an_exhaustive_search(key: str) -> None:
    made, source, limit = network(key, vocabulary=END + 3).double(), torch.tensor([[3, 4, END]]), 4
    words = (END + 1, END + 2)
    every = [[*words_, END] for count in range(limit) for words_ in itertools.product(words, repeat=count)]
    every += [list(words_) for words_ in itertools.product(words, repeat=limit)]
    expected = sorted((float(forced(made, source[0], ids).mean()), ids) for ids in every)[::-1]
    found = search(made, source, 64, limit)[0]
    assert [ids for ids, _worth in found] == [ids for _mean, ids in expected]
    np.testing.assert_allclose([sum(worth) / len(worth) for _ids, worth in found], [mean for mean, _ids in expected])
    assert math.fsum(math.exp(sum(worth)) for _ids, worth in found) == pytest.approx(1)  # all that can be written


@given(seed=st.integers(0, 50), width=st.integers(1, 6))
def test_the_best_by_sum_is_never_worse_than_that_of_the_first_step(seed: int, width: int) -> None:
    made, source = network("bahdanau", seed=seed, vocabulary=12).double(), torch.tensor([[4, 6, 5, END]])
    kept, one = search(made, source, width, 6)[0], search(made, source, 64, 1)[0]
    assert len(kept) == width
    firsts = sorted((worth[0] for _ids, worth in one), reverse=True)[:width]
    assert all(worth[0] >= firsts[-1] - 1e-12 for _ids, worth in kept)  # who begins among the likeliest alone goes on


@pytest.mark.parametrize("key", SHIPPED)
def test_scores_are_those_of_forced_runs_and_a_run_shows_the_hypothesis(key: str) -> None:
    model = models.load_translator(key)
    found = beam_search(model, SOURCES[0], 4)
    assert len(found) == 4
    for each in found:
        assert each.ended
        trace = model.attend(SOURCES[0], write=Writing(0, begin=each.ids))
        assert trace.target.ids == each.ids
        assert trace.target.texts == each.texts
        assert trace.output_text == each.text
        told = Hypothesis.of(trace)
        assert told.score == pytest.approx(each.score, abs=1e-5)
        assert told.log_probability == pytest.approx(each.log_probability, abs=1e-4)
        assert Hypothesis.from_plain(each.to_plain()) == each
    own = Hypothesis.of(model.attend(SOURCES[0]))
    assert beam_search(model, SOURCES[0], 1)[0].ids == own.ids
    assert found[0].score >= beam_search(model, SOURCES[0], 1)[0].score - 1e-6


def test_a_beam_that_there_is_not_is_refused() -> None:
    for width in (0, 65):
        with pytest.raises(InputError, match="1 to 64"):
            beam_search(translator("bahdanau"), "We rest.", width)
    with pytest.raises(InputError):
        beam_search(translator("bahdanau"), " ", 2)
