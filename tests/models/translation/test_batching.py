"""Sentences of several people in one padded pass: each record is that of its run alone, within 1e-5."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import models
from models.networks import moved
from models.softmax import FullyMaskedRowError
from models.trace import AttentionTrace
from models.trace.codec import to_bytes
from models.translation import batching
from models.translation.batching import MOST, SPARE, BatchItem, attend_together, can_batch, company
from models.translation.decoding import step_limit
from tests.support.within import close

KEY = "luong-general-en-fr"
TEXTS = {
    "en": ("The cat sleeps.", "Yes.", "A small doctor hears the guitar near the old garden.", "THE CAT SLEEPS."),
    "zh": ("猫在睡觉。", "好。", "一个小医生在花园附近听到了吉他声。", "我们很累！"),
}
SITES = ("*.weights", "*.centre", "*.raw_weights")


@pytest.mark.parametrize("key", models.catalog())
def test_every_translator_gives_each_sentence_what_it_gives_it_alone(key: str) -> None:
    model = models.load(key)
    assert can_batch(model)
    texts = TEXTS[str(model.pair)[:2]]
    assert len({len(model.tokenizer.source(each)) for each in texts}) > 2  # so that all but the longest are padded
    sites = sites_of(key)
    for targets in ([None] * len(texts), ["Le chat dort.", "Le petit chat noir dort dans le jardin.", "x", "Non."]):
        asked = [BatchItem(text, target, sites) for text, target in zip(texts, targets, strict=True)]
        for each, trace in zip(asked, attend_together(model, asked), strict=True):
            close(trace, model.attend(each.source, each.target, sites=sites))


def sites_of(key: str) -> tuple[str, ...]:
    """Return all that can be told for one text of a batch, and that the model of `key` has."""
    what = models.describe(key).mechanism
    return SITES[: 1 + what.windows + (what.windows and not what.rows_sum_to_one)]


def test_each_is_given_its_own_in_the_order_in_which_they_were_asked() -> None:
    model = models.load(KEY)
    texts = [f"The {noun} sleeps." for noun in ("cat", "dog", "man", "bird", "child", "horse")] * 2
    found = attend_together(model, [BatchItem(text) for text in texts])
    assert [trace and trace.source_text for trace in found] == texts


def test_a_text_that_cannot_be_read_touches_none_beside_it_and_is_left_to_run_alone() -> None:
    model = models.load(KEY)
    texts = ("The cat sleeps.", " ", "word " * 300, "We rest.")
    found = attend_together(model, [BatchItem(text) for text in texts])
    assert [each is None for each in found] == [False, True, True, False]
    for text, trace in zip(texts[::3], found[::3], strict=True):
        close(trace, model.attend(text))


def test_one_that_is_left_over_runs_alone() -> None:
    model = models.load(KEY)
    assert attend_together(model, [BatchItem("The cat sleeps."), BatchItem(" ")]) == [None, None]
    assert not model.attend("The cat sleeps.").provenance.batched


def test_what_stops_the_pass_leaves_each_to_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_given: Any) -> Any:
        raise FullyMaskedRowError(models.messages.Message("no key"), 0)

    monkeypatch.setattr(batching, "_greedy", stop)
    assert attend_together(models.load(KEY), [BatchItem("We rest."), BatchItem("We work.")]) == [None, None]


def test_whoever_writes_no_end_is_cut_where_it_would_be_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    model = models.load(KEY)
    asked = [BatchItem("We rest."), BatchItem("A small doctor hears the guitar near the old garden.")]
    monkeypatch.setattr(type(model.network), "logits", _never_ended(type(model.network).logits))
    for each, trace in zip(asked, attend_together(model, asked), strict=True):
        close(trace, alone := model.attend(each.source))
        assert len(alone.target) == step_limit(len(alone.source))


def _never_ended(logits: Any) -> Any:
    def without(network: Any, states: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = logits(network, states)
        values[..., batching.END] = -torch.inf
        return values

    return without


def test_a_record_says_so_wherever_it_goes_and_one_of_a_run_alone_is_what_it_was() -> None:
    model = models.load(KEY)
    together, _other = attend_together(model, [BatchItem("We rest."), BatchItem("We work.")])
    assert together is not None
    assert AttentionTrace.load(io.BytesIO(to_bytes(together))).provenance.batched
    data = to_bytes(model.attend("We rest."))
    assert b"batched" not in data
    assert not AttentionTrace.load(io.BytesIO(data)).provenance.batched


sentences = st.builds(
    BatchItem, st.text(max_size=80), st.sampled_from((None, "x")), st.sampled_from((("*.weights",), ("*",)))
)


@given(sentences, st.lists(st.none() | sentences, max_size=40))
def test_who_runs_together_is_of_one_kind_and_of_like_length(first: BatchItem, waiting: list[BatchItem | None]) -> None:
    places = company(first, waiting)
    assert len(places) < MOST
    assert places == sorted(set(places))
    for each in (waiting[place] for place in places):
        assert each is not None
        assert (each.target is None, each.sites) == (first.target is None, ("*.weights",))
        shorter, longer = sorted((len(each.source), len(first.source)))
        assert longer <= 2 * shorter + SPARE
    assert company(None, waiting) == []


def test_gram_matrices_of_several_texts_are_those_of_the_formula() -> None:
    values = torch.randn(3, 4, 90, 8, generator=torch.Generator().manual_seed(5))
    weight = torch.randn(16, 32, generator=torch.Generator().manual_seed(6))
    blocks = weight.reshape(16, 4, 8).permute(1, 2, 0).double()
    vectors = (values.double()[:, :, :, None] @ blocks[:, None])[:, :, :, 0].transpose(1, 2)
    expected = (vectors @ vectors.mT).transpose(1, 2)
    torch.testing.assert_close(moved.value_gram(values, weight).double(), expected, atol=1e-4, rtol=1e-5)
