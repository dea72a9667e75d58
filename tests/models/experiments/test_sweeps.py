"""Sweeps against runs one by one, on small networks of every mechanism with a cross map."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from models.edits import zero_head
from models.errors import InputError
from models.experiments.batch_edits import BatchRowEdit
from models.experiments.sweeps import heads_of, leave_out_each_word, switch_off_each_head
from models.hooks import capture, current_session
from models.mechanisms import mechanisms
from models.trace import AttentionTrace
from models.translation.translator import Translator
from tests.support.small_models import KEYS, network, translator

TARGET = "le chat dort"
SOURCE = "The unbelievable cat sleeps in the house."


@cache
def run(key: str) -> tuple[Translator, AttentionTrace]:
    model = translator(key)
    return model, model.attend(SOURCE, TARGET)


READERS = [key for key in KEYS if mechanisms()[key].has_attention]


def log_probabilities(trace: AttentionTrace) -> np.ndarray:
    return np.array([step.log_probability for step in trace.steps])


@pytest.mark.parametrize("key", READERS)
def test_a_batched_sweep_of_heads_equals_one_run_a_head(key: str) -> None:
    model, trace = run(key)
    sweep = switch_off_each_head(model.replay(trace), batch=5)
    assert sweep.heads == heads_of(trace)
    for (site, head), changes in zip(sweep.heads, sweep.changes, strict=True):
        alone = model.attend(SOURCE, TARGET, edits=[zero_head(str(site), head)])
        assert alone.target.ids == trace.target.ids
        np.testing.assert_allclose(changes, log_probabilities(alone) - log_probabilities(trace), atol=1e-5)
    assert np.abs(sweep.changes).max() > 1e-3  # an edit that does nothing would pass all of the above
    np.testing.assert_allclose(sweep.totals, sweep.changes.sum(axis=1))
    assert sweep.written == trace.target
    assert sweep.turns is None


def test_an_edit_of_one_row_leaves_the_others_alone() -> None:
    made = network("transformer")
    source, inputs = torch.tensor([[5, 6, 7, 2]] * 3), torch.tensor([[1, 8, 9]] * 3)
    with torch.inference_mode():
        plain = made.decode(made.encode(source), inputs)
        edit = BatchRowEdit("decoder.*.cross", zero_head("decoder.*.cross", None), 1)
        with capture(("decoder.0.cross.weights",), (edit,)) as session:
            edited = made.decode(made.encode(source), inputs)
    assert torch.equal(plain[[0, 2]], edited[[0, 2]])
    assert not torch.allclose(plain[1], edited[1])
    assert not session["decoder.0.cross.weights"][1].any()


@pytest.mark.parametrize("key", READERS)
def test_leaving_a_word_out_is_running_without_its_pieces(key: str) -> None:
    """Against a forced pass over the ids that are left, one word at a time."""
    model, trace = run(key)
    sweep = leave_out_each_word(model.replay(trace))
    assert sweep.words == trace.source.word_texts[:-1]
    assert len({trace.source.words.count(word) for word in trace.source.words}) > 1  # batches of several lengths
    inputs = torch.tensor([trace.target_input.ids])
    for word, changes in enumerate(sweep.changes):
        ids = [token for token, owner in zip(trace.source.ids, trace.source.words, strict=True) if owner != word]
        with torch.inference_mode():
            logits = model.network.decode(model.network.encode(torch.tensor([ids])), inputs)[0]
            logits[:, :2] = -torch.inf
        found = logits.log_softmax(-1)[torch.arange(len(trace.target)), list(trace.target.ids)]
        np.testing.assert_allclose(changes, found.double().numpy() - log_probabilities(trace), atol=1e-5)


def test_one_word_cannot_be_left_out() -> None:
    model = translator("bahdanau")
    with pytest.raises(InputError, match="one word"):
        leave_out_each_word(model.replay(model.attend("cat", "chat")))


def test_a_sweep_ends_where_its_progress_raises() -> None:
    model, trace = run("transformer")
    shares: list[float] = []

    def stop(share: float) -> None:
        shares.append(share)
        if share > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        switch_off_each_head(model.replay(trace), batch=2, on_progress=stop)
    assert len(shares) == 2
    assert current_session() is None
