"""Hops on the Heads: what is said of them, with and without the penalty, and on bad input."""

from __future__ import annotations

import pytest

from models.networks.self_attentive import HOPS
from tests.support import payloads
from tests.support.heads_page import opened, trace_of, words
from tests.support.readers import HOPS_READERS
from viz.measures.hops import annotation_of, overlap_of, penalty_of

TEXT = "Why did the commission not answer the honourable member?"


def test_both_readers_stand_side_by_side_with_what_their_classifiers_say() -> None:
    app = opened(model=HOPS_READERS[0], sentence=TEXT)
    said = words(app)
    for key in HOPS_READERS:
        trace = trace_of(key, TEXT)
        name, share = max(trace.classes, key=lambda each: each[1])
        assert f"{name} {share:.0%}" in said
        assert f"{penalty_of(trace[HOPS].weights[0]):.2f}" in said
        assert f"{overlap_of(trace[HOPS].weights[0]):.0%}" in said
    header, _ = payloads.compared(app)
    assert header["titles"] == ["Self-attentive, penalty", "Self-attentive, no penalty"]
    assert header["queries"][0].strip("\u2068\u2069") == "hop-1"
    for label in ("broad", "one token", "Picked heads", "layer 0, head"):
        assert label not in said


def test_one_reader_can_stand_alone_and_unknown_words_are_said() -> None:
    app = opened(model=HOPS_READERS[1], sentence="邻居家的小狗 sleeps.", both="off")
    header, _ = payloads.compared(app)
    assert header["titles"] == ["Self-attentive, no penalty"]
    assert "unknown to the model" in words(app)


def test_the_same_hops_read_a_second_sentence_below_the_first() -> None:
    other = "The committee voted."
    app = opened(model=HOPS_READERS[0], sentence=TEXT, other=other)
    said = words(app)
    assert "parameters are static" in said
    for key in HOPS_READERS:
        for text in (TEXT, other):
            name, share = max(trace_of(key, text).classes, key=lambda each: each[1])
            assert f"{name} {share:.0%}" in said
    wrong = opened(model=HOPS_READERS[0], sentence=TEXT, other="word " * 300)
    assert "The text for comparison is longer than the model" in words(wrong)


def test_the_annotation_is_all_rows_summed_and_shared_out() -> None:
    weights = trace_of(HOPS_READERS[0], TEXT)[HOPS].weights[0]
    shares = annotation_of(weights)
    assert shares.sum() == pytest.approx(1)
    assert shares == pytest.approx(weights.sum(axis=0) / len(weights), abs=1e-5)
