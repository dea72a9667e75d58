"""The self-attentive reader: the equations of its paper, what an edit of a hop does, and the two that are shipped."""

from __future__ import annotations

import io
import json
from functools import cache

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import models
from models import InputError
from models.edits import mask_cell, mask_key, uniform_row, zero_row
from models.errors import CaptureError
from models.experiments.chance import chance_bands
from models.experiments.sweeps import leave_out_each_word, switch_off_each_hop
from models.huggingface.embedded import READERS, local_models
from models.networks.self_attentive import HOPS, SelfAttentiveNetwork, spread_penalty
from models.readers.self_attentive import SelfAttentiveReader
from models.softmax import masked_softmax
from models.trace import AttentionMap, AttentionTrace, TokenSequence, TraceError
from scale.corpus.forward import runner_of
from tests.support.drawing import redrawn
from tests.support.readers import HOPS_READERS
from tests.support.reference_readers import self_attentive

TEXT = "Mr President, my aunt sold forty-two lemons to the hotel before noon."
LARGEST = 4 * 2**20
"""Bytes that a reader may take; the GPT and the BERT, of four layers of 256 each, are those that take more."""

shipped = pytest.mark.parametrize("key", HOPS_READERS)


@cache
def model(key: str) -> SelfAttentiveReader:
    found = models.load(key)
    assert isinstance(found, SelfAttentiveReader)
    return found


def test_a_random_network_is_the_papers_equations() -> None:
    sizes = {"vocabulary": 40, "d_embedding": 6, "d_encoder": 5, "d_attention": 7, "hops": 4, "d_hidden": 9}
    network = redrawn(SelfAttentiveNetwork(**sizes, classes=3).eval(), seed=3, std=0.7)
    ids = torch.randint(40, (2, 11), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        scores, weights = network(ids)
    parameters = {name: values.double().numpy() for name, values in network.state_dict().items()}
    for text, own, read in zip(ids.tolist(), scores, weights, strict=True):
        expected, maps, penalty = self_attentive(parameters, text)
        np.testing.assert_allclose(own.numpy(), expected, atol=1e-5)
        np.testing.assert_allclose(read.numpy(), maps, atol=1e-5)
        assert float(spread_penalty(read.double())) == pytest.approx(penalty, abs=1e-5)


@shipped
@pytest.mark.parametrize("text", [TEXT, "Why?", "How many apples are left?", "邻居家的小狗"])
def test_shipped_weights_are_the_papers_equations(key: str, text: str) -> None:
    trace = model(key).attend(text)
    path = local_models()[key].folder / "model.safetensors"
    scores, maps, _ = self_attentive(
        {name: values.double().numpy() for name, values in load_file(path).items()}, list(trace.source.ids)
    )
    np.testing.assert_allclose(trace[HOPS].weights[0], maps, atol=1e-5)
    shares = np.exp(scores - scores.max())
    np.testing.assert_allclose([share for _, share in trace.classes], shares / shares.sum(), atol=1e-5)


@shipped
def test_rows_are_hops_and_columns_words(key: str) -> None:
    trace = model(key).attend(TEXT, sites=("*",))
    found = trace[HOPS]
    assert found.query_tokens.texts == tuple(f"hop-{number}" for number in range(1, 9))
    assert found.key_tokens == trace.source
    assert not trace.is_translation
    assert trace.predictions == ()
    assert trace.vectors is None
    query, key_, value, context = (found.companions[name][0] for name in ("query", "key", "value", "context"))
    np.testing.assert_allclose(query @ key_.T, found.companions["scores"][0], atol=1e-5)
    np.testing.assert_allclose(found.weights[0] @ value, context, atol=1e-5)
    other = model(key).attend("Another text.", sites=("*",))[HOPS]
    np.testing.assert_array_equal(query, other.companions["query"][0])  # learned: no word of the sentence is in it


@shipped
def test_a_word_is_masked_for_one_hop_and_the_answer_follows(key: str) -> None:
    plain = model(key).attend(TEXT)
    row, column = divmod(int(plain[HOPS].weights[0].argmax()), len(plain.source))
    edited = model(key).attend(TEXT, edits=(mask_cell(str(HOPS), row, column),), sites=("*.scores",))
    scores = torch.from_numpy(edited[HOPS].companions["scores"][0].copy())
    allowed = torch.ones_like(scores, dtype=torch.bool)
    allowed[row, column] = False
    np.testing.assert_allclose(edited[HOPS].weights[0], masked_softmax(scores, allowed).numpy(), atol=1e-6)
    assert edited[HOPS].weights[0, row, column] == 0
    assert edited.classes != plain.classes
    every = model(key).attend(TEXT, edits=(uniform_row(str(HOPS), None, None),))
    np.testing.assert_allclose(every[HOPS].weights, 1 / len(plain.source), atol=1e-6)
    assert every.classes != plain.classes


def test_bad_texts_and_edits_are_refused_in_words() -> None:
    reader = model(HOPS_READERS[0])
    for text in ("", "  ", "word " * 200):
        with pytest.raises(InputError):
            reader.attend(text)
    with pytest.raises(InputError, match="takes one text and generates none"):
        reader.attend(TEXT, pair=TEXT)
    with pytest.raises(InputError, match="hide every key from a hop"):
        reader.attend("Why", edits=(mask_key(str(HOPS), 0),))
    with pytest.raises(CaptureError):
        reader.attend(TEXT, edits=(mask_key("decoder.0.cross", 0),))
    fitting, left_out = reader.fit("word " * 200)
    assert left_out > 0
    assert len(reader.attend(fitting).source) <= reader.longest
    assert "unknown to the model" in str(reader.attend("邻居家 a").provenance.notes[0])


def test_a_record_of_hops_is_saved_and_opened_again_and_wrong_rows_are_refused() -> None:
    trace, file = model(HOPS_READERS[0]).attend(TEXT), io.BytesIO()
    trace.save(file)
    again = AttentionTrace.load(io.BytesIO(file.getvalue()))
    assert again.classes == trace.classes
    assert again[HOPS].query_tokens == trace[HOPS].query_tokens
    made = AttentionTrace.from_arrays({"encoder.0.hops": [[0.5, 0.5], [0, 1], [1, 0]]}, source=["a", "cat"])
    assert made[HOPS].query_tokens.texts == ("hop-1", "hop-2", "hop-3")
    rows = AttentionMap(HOPS, np.full((1, 2, 2), 0.5), TokenSequence.from_words(("a", "cat")), made.source)
    with pytest.raises(TraceError, match="query tokens"):
        AttentionTrace(made.source, made.target, made.target, (rows,), (), "", "", made.provenance)


@pytest.mark.parametrize("how", ["weights", "order"])
def test_chance_is_told_for_hops(how: str) -> None:
    reader = model(HOPS_READERS[1])
    trace = reader.attend("My sister keeps seven keys.")
    bands = chance_bands(reader.replay(trace), HOPS, how=how, samples=20)  # type: ignore[arg-type]
    assert bands.low.shape == trace[HOPS].to_words().weights.shape
    assert (bands.low <= bands.high).all()


def test_the_two_differ_in_the_penalty_alone_and_it_spreads_the_hops() -> None:
    cards = [json.loads((local_models()[key].folder / "card.json").read_text(encoding="utf8")) for key in HOPS_READERS]
    recipes = [card["recipe"] for card in cards]
    differ = {name for name in recipes[0] if recipes[0][name] != recipes[1][name]}
    assert differ == {"key", "penalty"}
    assert cards[0]["sha256"]["tokenizer.json"] == cards[1]["sha256"]["tokenizer.json"]
    spread, free = (card["held_out"]["mean"] for card in cards)
    assert recipes[0]["penalty"] > recipes[1]["penalty"] == 0
    assert spread["penalty"] < free["penalty"] / 3
    assert spread["overlap"] < free["overlap"] / 2
    assert min(each["right"] for each in (spread, free)) > 4 * spread["chance"]
    mine = [
        float(spread_penalty(torch.from_numpy(model(key).attend(TEXT)[HOPS].weights[0].copy()))) for key in HOPS_READERS
    ]
    assert mine[0] < mine[1]


@pytest.mark.parametrize("folder", [each.parent for each in sorted(READERS.glob("*/card.json"))], ids=str)
def test_a_reader_is_small_and_its_card_tells_whose_text_it_was_trained_on(folder: object) -> None:
    from pathlib import Path

    path = Path(str(folder))
    card = json.loads((path / "card.json").read_text(encoding="utf8"))
    if card["recipe"]["kind"] not in ("gpt", "bert"):
        assert sum(each.stat().st_size for each in path.iterdir()) <= LARGEST
    assert card["data"]
    assert all(each["licence"] and each["credit"] for each in card["data"])
    curve = [json.loads(line) for line in (path / "log.jsonl").read_text(encoding="utf8").splitlines()]
    assert curve[-1]["held_out_loss"] < curve[0]["held_out_loss"]


def test_the_readers_weigh_together_what_the_halls_may() -> None:
    assert sum(path.stat().st_size for path in READERS.rglob("*") if path.is_file()) <= 70 * 2**20


def test_a_corpus_of_heads_refuses_hops_in_words() -> None:
    with pytest.raises(InputError, match="rows are hops"):
        runner_of(model(HOPS_READERS[0]))


@shipped
def test_each_hop_and_each_word_is_worth_what_a_run_without_it_says(key: str) -> None:
    """The sweeps, in batches, against one run each: a hop's row edited away, a word cut from the text."""
    reader = model(key)
    trace = reader.attend(TEXT)
    answer, share = max(trace.classes, key=lambda each: each[1])
    hops = switch_off_each_hop(reader.replay(trace))
    assert (hops.answer, hops.changes.shape) == (answer, (8,))
    assert hops.baseline == pytest.approx(np.log(share))
    for hop in (0, 5):
        edited = reader.attend(TEXT, edits=(zero_row(str(HOPS), None, hop),))
        assert not edited[HOPS].weights[0, hop].any()
        assert hops.changes[hop] == pytest.approx(np.log(dict(edited.classes)[answer] / share), abs=1e-5)
    words = leave_out_each_word(reader.replay(trace))
    assert words.changes.shape == (len(words.words), 1)
    for word in (0, 3):
        places = [place for place, owner in enumerate(trace.source.words) if owner != words.places[word]]
        ids = torch.tensor([[trace.source.ids[place] for place in places]])
        scores = reader.network(ids)[0][0].double().log_softmax(dim=-1)
        expected = float(scores[reader.labels.index(answer)]) - np.log(share)
        assert words.changes[word, 0] == pytest.approx(expected, abs=1e-5)
    with pytest.raises(InputError, match="no hops"):
        switch_off_each_hop(models.load("hf:minilm").replay(models.load("hf:minilm").attend(TEXT)))
