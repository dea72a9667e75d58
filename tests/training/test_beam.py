"""Beam search: a beam of one is greedy decoding, and a wider one finds what is likelier by the network's own score."""

from __future__ import annotations

import pytest
import torch

from models import load
from models.networks.base import TranslationNetwork
from models.translation.decoding import translate_batch
from models.translation.translator import Translator
from models.vocabulary import BEGIN, END
from tests.support.small_models import KEYS, translator
from training.beam import beam_search

SOURCES = ("The cat is hungry.", "She reads a book.", "We live in Paris.")


def sources_of(model: Translator) -> torch.Tensor:
    encoded = [[*ids, END] for ids in model.tokenizer.encode_batch(list(SOURCES))]
    shortest = min(map(len, encoded))
    return torch.tensor([[*ids[: shortest - 1], END] for ids in encoded])


def mean_of(network: TranslationNetwork, source: torch.Tensor, ids: list[int]) -> float:
    with torch.inference_mode():
        memory = network.encode(source[None])
        state, total, before = network.start(memory), 0.0, BEGIN
        for position, token in enumerate((*ids, END)):
            logits, state = network.step(memory, state, torch.tensor([before]), position)
            logits[:, :END] = -torch.inf
            total += float(logits.log_softmax(dim=-1)[0, token])
            before = token
    return total / (len(ids) + 1)


@pytest.mark.parametrize("key", KEYS)
def test_a_beam_of_one_is_greedy_decoding(key: str) -> None:
    model = translator(key)
    source = sources_of(model)
    assert [ids for ids, _mean in beam_search(model.network, source, 1)] == translate_batch(model.network, source)


@pytest.mark.parametrize("key", ["luong-general-en-fr", "transformer-en-fr"])
def test_a_wider_beam_finds_what_is_likelier_and_tells_its_mean(key: str) -> None:
    model = load(key)
    assert isinstance(model, Translator)
    source = sources_of(model)
    greedy = translate_batch(model.network, source)
    for row, (ids, mean) in enumerate(beam_search(model.network, source, 4)):
        assert mean == pytest.approx(mean_of(model.network, source[row], ids), abs=1e-3)
        assert mean >= mean_of(model.network, source[row], greedy[row]) - 1e-3
