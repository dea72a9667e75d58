"""Words that are cut into bytes: said of a model of ours that it learnt little of bytes, of no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models import load
from models.huggingface.reader_entries import reader_entry
from models.trace import AttentionTrace
from viz.widgets.sentence import say_cut


class Place:
    said = ""

    def caption(self, text: str) -> None:
        self.said = text.replace("\\", "")


def said_of(*traces: AttentionTrace) -> str:
    place = Place()
    say_cut(traces, place)  # type: ignore[arg-type]
    return place.said


@pytest.fixture(scope="module")
def cut() -> AttentionTrace:
    return load("bahdanau-en-fr").attend("The 龘 is here.", sites=())


def of(trace: AttentionTrace, checkpoint: str, title: str = "GPT-2") -> AttentionTrace:
    return replace(trace, provenance=replace(trace.provenance, checkpoint=checkpoint, title=title))


def test_only_of_a_model_of_ours_it_is_said_that_bytes_mean_little(cut: AttentionTrace) -> None:
    assert (
        said_of(cut) == "This model has no subword for this. It processes its bytes, about which it learnt little: 龘"
    )
    assert said_of(of(cut, "hf:gpt-en", reader_entry("hf:gpt-en").title)) == said_of(cut)
    for large in ("hf:openai-community/gpt2", "hf:a-folder"):
        assert said_of(of(cut, large)) == "This model has no subword for this. It processes its bytes: 龘"


def test_of_several_models_it_is_said_of_all_or_of_those_that_are_meant(cut: AttentionTrace) -> None:
    whole = replace(
        load("bahdanau-en-fr").attend("The cat is here.", sites=()), provenance=of(cut, "x", "B").provenance
    )
    assert said_of(cut, cut).startswith("These models have no subword for this.")
    assert said_of(cut, whole) == (
        "No subword for this. It is processed as bytes, about which the models learnt little: 龘 (Bahdanau (additive))"
    )
    assert said_of(whole) == ""
