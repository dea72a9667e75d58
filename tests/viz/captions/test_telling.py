"""What is said of maps side by side is so: of words, weights and their order as they are shown."""

from __future__ import annotations

from functools import cache

import pytest

from models import load
from models.translation.examples import EXAMPLES, SIGHTS
from viz.captions.telling import disagreement_of, doubt_of, telling_of, turn_of
from viz.views.view import View, choose_view

KEYS = ("bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr")
SENTENCES = (*(each.sentence for each in SIGHTS["en-fr"].values()), *EXAMPLES["en-fr"].values())


@cache
def shown(key: str, sentence: str) -> View:
    return choose_view(load(key).attend(sentence))


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_order_turns_furthest_where_it_is_said(key: str, sentence: str) -> None:
    view = shown(key, sentence)
    turn, said = turn_of(view), telling_of(view)
    if turn is None:
        assert not said.startswith("The order turns")
        return
    first, second = turn
    for link in turn:
        row = view.weights[link.query, : -1 if view.hidden_keys else None]
        assert link.weight == row.max() == row[link.key]
        assert view.shown.query_tokens.texts[link.query].strip() in said
        assert f"({link.weight:.2f})" in said
    assert first.query < second.query
    assert first.key > second.key


@pytest.mark.parametrize("sentence", SENTENCES)
def test_models_disagree_on_the_words_that_are_said(sentence: str) -> None:
    views = [shown(key, sentence) for key in KEYS]
    said = disagreement_of(views)
    for word in said.split("“")[2:]:
        written = word.partition("”")[0]
        assert any(written in (text.strip() for text in view.shown.query_tokens.texts) for view in views)
    assert disagreement_of(views[:1]) == ""
    assert disagreement_of([views[0]] * 2) == ""


def test_the_bank_of_a_river_is_told_apart() -> None:
    said = disagreement_of([shown(key, "We sat on the bank of the river.") for key in KEYS])
    assert said.startswith("“bank” is translated in different ways: “banque” (")
    assert "“rive” (Multi-head (Transformer))" in said


def test_a_model_that_gropes_says_so() -> None:
    traces = [load(KEYS[1]).attend(each) for each in ("The bat flew out of the cave.", "The cat sleeps.")]
    shares = [sum(step.probability < 0.5 for step in trace.steps) / len(trace.steps) for trace in traces]
    assert [bool(doubt_of(trace)) for trace in traces] == [share > 0.5 for share in shares]
    assert shares[0] > 0.5
