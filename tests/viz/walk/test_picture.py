"""The picture of a walk: what stands in a column follows from what stands above it, of words and of pieces."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from models.experiments.arithmetic import decoder_run, parameters_at
from models.sites import Site
from models.trace import AttentionTrace
from tests.support.payloads import header_of
from tests.support.small_models import ATTENTIVE, KEYS, translator
from viz.canvas.walk import encode_walk
from viz.views.view import Unit
from viz.walk.mechanisms import WALKS
from viz.walk.order import all_steps, keep_step, nearest_step
from viz.walk.picture import SentenceLabel, picture_of, sentence_of
from viz.walk.scene import Scene
from viz.walk.steps import look_at, take_steps

SOURCE = "The flumberdoodle drank unbelievably"  # words of several pieces
CLOSE = {"atol": 1e-6, "rtol": 1e-5}


@cache
def traced(key: str) -> AttentionTrace:
    return translator(key).attend(SOURCE, "le chat a bu du lait", sites=("*",))


def scene(key: str, row: int = 2, place: Site | None = None, **chosen: Any) -> Scene:
    trace = traced(key)
    if place is None and trace.sites:
        place = next(each for each in trace.sites if each.kind == "cross")
    walk = WALKS[key].at(place)
    run = decoder_run(translator(key), trace) if walk.needs_states else None
    return look_at(
        walk,
        trace,
        row=row,
        place=place,
        parameters=parameters_at(translator(key), place, walk.parameters),
        states=run.states if run else (),
        vector=run.vector if run else None,
        **chosen,
    )


def drawn(key: str, unit: Unit = "word", **chosen: Any) -> dict[str, Any]:
    at = scene(key, **chosen)
    return picture_of(WALKS[key], at, take_steps(WALKS[key], at), unit)


def rows(picture: dict[str, Any]) -> list[np.ndarray]:
    return [np.array([np.nan if value is None else value for value in row["values"]]) for row in picture["rows"]]


@pytest.mark.parametrize("key", ATTENTIVE)
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_exponentials_follow_from_scores_and_weights_from_exponentials(key: str, unit: Unit) -> None:
    scores, exponentials, *shares = rows(drawn(key, unit))
    np.testing.assert_allclose(np.nan_to_num(np.exp(scores - np.nanmax(scores))), exponentials, **CLOSE)
    np.testing.assert_allclose(exponentials / exponentials.sum(), shares[0], **CLOSE)


@pytest.mark.parametrize("key", ATTENTIVE)
def test_columns_are_the_words_and_their_weights_those_of_the_trace(key: str) -> None:
    picture, found = drawn(key), traced(key)[scene(key).map.site]
    words = found.to_words()
    assert [column["text"] for column in picture["columns"]] == [text.strip() for text in words.key_tokens.texts]
    assert max(column["pieces"] for column in picture["columns"]) > 1
    starts = np.unique(found.key_tokens.words, return_index=True)[1]
    np.testing.assert_allclose(rows(picture)[-1], np.add.reduceat(found.weights[0, 2], starts), **CLOSE)
    pieces = rows(drawn(key, "piece"))
    np.testing.assert_array_equal(pieces[-1].astype(np.float32), found.weights[0, 2])
    seen = found.companions["mask"][0, 2].astype(bool)
    np.testing.assert_array_equal(pieces[0][seen].astype(np.float32), found.companions["scores"][0, 2][seen])
    assert np.isnan(pieces[0][~seen]).all()


@pytest.mark.parametrize("key", KEYS)
def test_every_step_lights_a_part_that_is_drawn(key: str) -> None:
    picture = drawn(key)
    there = {"words", "state", *(box["part"] for box in picture["boxes"]), *(row["part"] for row in picture["rows"])}
    there |= {name for name in ("context", "window", "vector") if picture.get(name)}
    there |= {"predict"} if picture["words"] else set()
    for step in picture["steps"]:
        assert set(step["lit"]) <= there, step["key"]


def test_the_likeliest_words_are_the_traces_and_the_written_one_is_among_them() -> None:
    step = traced("bahdanau").steps[2]
    words = drawn("bahdanau")["words"]
    expected = [share for _text, share in step.alternatives[:5]]
    assert [each["share"] for each in words[:5]] == expected
    assert [each["share"] for each in words if each["written"]] == [pytest.approx(step.probability)]


def test_a_window_of_one_position_over_pieces_stands_in_its_word() -> None:
    at = scene("luong-local-m", row=3)
    centre, width = at.of_query("centre")
    window = drawn("luong-local-m", "piece", row=3)["window"]
    assert window["centre"] == pytest.approx(centre + 0.5)
    assert window["to"] == pytest.approx(min(centre + 0.5 + width, at.count))
    word = drawn("luong-local-m", row=3)["window"]["centre"]
    assert int(word) == at.map.key_tokens.words[3]


def test_the_state_says_what_was_written_so_far_and_nothing_of_the_word_to_come() -> None:
    assert drawn("bahdanau", row=2)["state"]["text"] == "le chat"
    assert drawn("bahdanau", row=0)["state"]["text"] == "nothing yet"


def test_a_mechanism_without_a_step_stands_at_the_one_before() -> None:
    walks = {key: scene(key) for key in ("bahdanau", "luong-dot", "seq2seq")}
    steps = {key: take_steps(WALKS[key], at) for key, at in walks.items()}
    pictures = [picture_of(WALKS[key], at, steps[key], "word") for key, at in walks.items()]
    titles = all_steps(list(steps.values()))
    text = sentence_of(traced("bahdanau").target, 2, "word", SentenceLabel("", "fr"))
    header = header_of(encode_walk(keep_step(pictures, titles), titles=titles, step="scores", at=(2, None), text=text))
    assert [each["key"] for each in header["steps"]] == list(titles)
    for picture, own in zip(header["pictures"], steps.values(), strict=True):
        keys = [step.key for step in own]
        for key in titles:
            assert keys[picture["at"][key]] == nearest_step(key, keys)
            assert key not in keys or keys[picture["at"][key]] == key


def test_a_word_of_several_pieces_is_one_word_unless_pieces_are_asked_for() -> None:
    tokens = traced("bahdanau").source
    word = next(word for word in set(tokens.words) if tokens.words.count(word) > 1)
    first = tokens.words.index(word)
    words = sentence_of(tokens, first + 1, "word", SentenceLabel("", "en"))["text"]
    assert [each["text"] for each in words] == [text.strip() for text in tokens.word_texts]
    assert words[word]["row"] == first + 1  # the chosen piece stands for its word
    assert sum(each["space"] for each in words) == len(tokens.word_texts) - 1
    pieces = sentence_of(tokens, first + 1, "piece", SentenceLabel("", "en"))["text"]
    assert [each["row"] for each in pieces] == list(range(len(tokens)))
    assert sum(each["space"] for each in pieces) == len(tokens.word_texts) - 1


def test_of_a_word_of_several_pieces_it_is_said_which_one_is_written() -> None:
    trace = translator("bahdanau").attend(SOURCE, "le flumberdoodle", sites=("*",))
    row = next(row for row in range(1, len(trace.target)) if trace.target.words[row] == trace.target.words[row - 1])
    at = replace(scene("bahdanau"), trace=trace, shown=trace["decoder.0.cross"], row=row)
    count = trace.target.words.count(trace.target.words[row])
    state = picture_of(WALKS["bahdanau"], at, (), "word")["state"]
    assert state["piece"] == f"writes {trace.target.texts[row]} (of flumberdoodle): subword 2 of {count}"
    assert "piece" not in picture_of(WALKS["bahdanau"], at, (), "piece")["state"]


@pytest.mark.parametrize("key", ATTENTIVE)
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_what_is_moved_stands_beside_the_weights_wherever_it_is_known(key: str, unit: Unit) -> None:
    """From the values and the matrix behind them: a_ij |f(x_j)| over the sum of the row."""
    at = scene(key)
    last = drawn(key, unit)["rows"][-1]
    assert ("beside" in last) == at.map.has_moved
    if not at.map.has_moved:
        return
    head = at.head if len(at.map.weights) > 1 else 0
    weights = at.map.weights[head, at.row].astype(np.float64)
    norms = at.map.value_norms[head].astype(np.float64)
    if key != "transformer-relative":  # there a value is as long as its distance makes it
        moved = weights * norms / (weights @ norms)
        words = at.map.key_tokens.words
        expected = moved if unit == "piece" else np.bincount(words, moved)[np.unique(words)]
        np.testing.assert_allclose(last["beside"]["values"], expected, **CLOSE)
    assert sum(last["beside"]["values"]) == pytest.approx(1, abs=1e-5)
    assert np.mean(at.moved[1]) == pytest.approx(1, abs=1e-5)  # type: ignore[index]
    said = {each["key"]: each["says"] for each in drawn(key, unit)["steps"]}
    if "context" in said:
        assert "times the mean length" in said["context"]
