"""A translation from a draft: the tokens of decoding step by step, its numbers within 1e-5, in fewer passes."""

from __future__ import annotations

import io
import pkgutil
from functools import cache
from random import Random
from typing import Any

import pytest
import torch

import models
from models.errors import CaptureError, InputError
from models.hooks import capture
from models.networks.layered import LayeredDecoder
from models.trace import AttentionTrace
from models.trace.codec import to_bytes
from models.translation import drafting
from models.translation.batching import BatchItem
from models.translation.decoding import step_limit
from models.translation.drafting import KEPT, MOST, Drafts, can_draft
from models.translation.translator import Translator
from models.vocabulary import END
from tests.support.within import close

PARALLEL = [
    key
    for key in models.catalog()
    if issubclass(pkgutil.resolve_name(models.describe(key).mechanism.network), LayeredDecoder)
]
RECURRENT = sorted(set(models.catalog()) - set(PARALLEL))
KEY = "transformer-en-fr"
TYPED = {"en": "A small doctor hears the guitar near the old garden.", "zh": "一个小医生在花园附近听到了吉他声。"}
SITES = ("*.weights",)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what ran in the decoder, whole passes and steps, as it goes on."""
    ran: list[str] = []

    def told(name: str, function: Any) -> Any:
        def counted(*given: Any) -> Any:
            ran.append(name)
            return function(*given)

        return counted

    monkeypatch.setattr(drafting, "forced_logits", told("pass", drafting.forced_logits))
    monkeypatch.setattr(LayeredDecoder, "step", told("step", LayeredDecoder.step))
    return ran


def loaded(key: str) -> Translator:
    model = models.load(key)
    assert can_draft(model)
    return model


@pytest.mark.parametrize("key", PARALLEL)
def test_a_sentence_typed_key_by_key_is_translated_as_in_steps_in_fewer_passes(key: str, passes: list[str]) -> None:
    model, drafts, drafted, steps = loaded(key), Drafts(), 0, 0
    text = TYPED[str(model.pair)[:2]]
    drafts.attend(model, BatchItem(text[:3]))
    for end in range(4, len(text) + 1, 1 if str(model.pair).startswith("zh") else 3):
        passes.clear()
        trace = drafts.attend(model, BatchItem(text[:end]))
        if trace.provenance.drafted:
            drafted += len(passes)
            steps += len(trace.target)
        close(trace, model.attend(text[:end]), way="drafted")
    assert 0 < drafted < 0.7 * steps


@pytest.mark.parametrize("key", RECURRENT)
def test_a_decoder_with_recurrence_is_not_drafted(key: str) -> None:
    assert not can_draft(models.load(key))


@cache
def in_steps(key: str) -> AttentionTrace:
    model = loaded(key)
    return model.attend(TYPED[str(model.pair)[:2]])


def bad_drafts(seed: int) -> list[tuple[int, ...]]:
    """Return drafts that say nothing of a sentence: random, none, too long, ended at once, never, often."""
    random = Random(seed)
    some = tuple(random.randrange(END, 4000) for _ in range(12))
    return [some, (), some * 40, (END,), (5,) * 400, (5, END, 5, END)]


@pytest.mark.parametrize("key", PARALLEL)
@pytest.mark.parametrize("place", range(len(bad_drafts(0))))
def test_a_bad_draft_changes_nothing(key: str, place: int) -> None:
    model, drafts = loaded(key), Drafts()
    text, alone = TYPED[str(model.pair)[:2]], in_steps(key)
    drafts._written[key][alone.source.ids] = bad_drafts(place)[place]
    close(drafts.attend(model, BatchItem(text)), alone, way="drafted")


def test_after_so_many_passes_the_rest_is_written_in_steps(passes: list[str]) -> None:
    model, drafts = loaded(KEY), Drafts()
    alone = model.attend(TYPED["en"])
    drafts._written[KEY][alone.source.ids] = bad_drafts(1)[0]
    passes.clear()
    close(drafts.attend(model, BatchItem(TYPED["en"])), alone, way="drafted")
    assert passes[:MOST] == ["pass"] * MOST
    assert set(passes[MOST:]) == {"step"}
    assert len(passes) - MOST < len(alone.target)


def test_what_was_written_for_the_same_source_is_verified_in_one_pass(passes: list[str]) -> None:
    model, drafts = loaded(KEY), Drafts()
    assert not drafts.attend(model, BatchItem("We rest.")).provenance.drafted
    passes.clear()
    assert drafts.attend(model, BatchItem("We rest.")).provenance.drafted
    assert passes == ["pass"]


def test_where_two_tokens_are_as_likely_it_is_the_run_alone_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    model, drafts = loaded(KEY), Drafts()
    drafts.attend(model, BatchItem("We rest."))
    monkeypatch.setattr(drafting, "CLEAR", float("inf"))
    assert to_bytes(drafts.attend(model, BatchItem("We work."))) == to_bytes(model.attend("We work."))


@pytest.mark.parametrize("key", PARALLEL)
def test_a_pass_is_as_near_to_steps_as_it_must_be_for_both_to_write_the_same(key: str) -> None:
    model = loaded(key)
    text = TYPED[str(model.pair)[:2]]
    drafts = Drafts()
    drafts.attend(model, BatchItem(text))
    source = model.attend(text).source
    with torch.inference_mode(), capture(("*.weights",)) as session:
        memory = model.network.encode(torch.tensor([source.ids]))
        ids, steps = model._greedy(memory, step_limit(len(source)), ())
        drafted, logits = drafting._from_draft(model.network, memory, session, list(ids), step_limit(len(source)))
    assert drafted == ids
    written = steps > -torch.inf
    assert float((logits - steps)[written].abs().max()) < drafting.CLEAR / 2


def test_who_writes_no_end_is_cut_where_steps_are(monkeypatch: pytest.MonkeyPatch) -> None:
    model, drafts = loaded(KEY), Drafts()
    logits = type(model.network).logits

    def without(network: Any, states: torch.Tensor) -> torch.Tensor:
        values: torch.Tensor = logits(network, states)
        values[..., END] = -torch.inf
        return values

    monkeypatch.setattr(type(model.network), "logits", without)
    for text in ("We rest.", "We rest.", "We rested."):
        trace = drafts.attend(model, BatchItem(text))
        assert trace.target.ids == model.attend(text).target.ids
        assert len(trace.target) == step_limit(len(trace.source))
    assert trace.provenance.drafted


def test_what_steps_show_otherwise_than_a_pass_runs_alone() -> None:
    model, drafts = loaded(KEY), Drafts()
    for sites in (("*.scores",), ("*.mask",), ("*",)):
        drafts.attend(model, BatchItem("We rest.", sites=sites))
        trace = drafts.attend(model, BatchItem("We rest.", sites=sites))
        assert to_bytes(trace) == to_bytes(model.attend("We rest.", sites=sites))


def test_what_cannot_be_read_is_said_in_the_words_of_the_model() -> None:
    model, drafts = loaded(KEY), Drafts()
    drafts.attend(model, BatchItem("We rest."))
    for text, sites in ((" ", SITES), ("word " * 300, SITES), ("We rest.", ("*.centre",))):
        with pytest.raises((InputError, CaptureError)) as expected:
            model.attend(text, sites=sites)
        with pytest.raises(type(expected.value)) as caught:
            drafts.attend(model, BatchItem(text, sites=sites))
        assert caught.value.args == expected.value.args


def test_the_nearest_source_is_chosen_and_none_that_is_far() -> None:
    drafts = Drafts()
    known = drafts._written["m"]
    known.update({(1, 2, 3, 4): (7,), (1, 2, 9, 3, 4): (8,), (5, 5, 5, 5): (9,)})
    assert drafts.nearest("m", (1, 2, 9, 9, 3, 4)) == (8,)
    assert drafts.nearest("m", (1, 2, 3)) == (7,)
    assert drafts.nearest("m", (6, 6, 5)) is None
    assert drafts.nearest("another", (1, 2, 3, 4)) is None


def test_so_many_are_kept_and_none_that_was_given() -> None:
    model, drafts = loaded(KEY), Drafts()
    drafts.remember(model.attend("We rest.", "Nous dormons."))
    assert not drafts._written
    drafts._written[KEY].update({(number,): (number,) for number in range(KEPT)})
    drafts.attend(model, BatchItem("We rest."))
    assert len(drafts._written[KEY]) == KEPT
    assert (0,) not in drafts._written[KEY]


def test_a_record_says_so_wherever_it_goes_and_one_of_steps_is_what_it_was() -> None:
    model, drafts = loaded(KEY), Drafts()
    plain = to_bytes(drafts.attend(model, BatchItem("We rest.")))
    drafted = to_bytes(drafts.attend(model, BatchItem("We rest.")))
    assert plain == to_bytes(model.attend("We rest."))
    assert b"drafted" not in plain
    read = AttentionTrace.load(io.BytesIO(drafted)).provenance
    assert (read.drafted, read.batched, read.is_approximate) == (True, False, True)
    assert not AttentionTrace.load(io.BytesIO(plain)).provenance.is_approximate
