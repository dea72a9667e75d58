"""One wrong word: forced up to there, free from there on, as an independent loop decodes; how far the error runs."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import models
from models.capture import capture_again, is_equal
from models.errors import InputError
from models.measures.wrong_word import runner_up, with_word, words_until_same
from models.trace import AttentionTrace, TokenSequence
from models.trace.asked import read_asked, write_asked
from models.translation.drafting import Drafts
from models.vocabulary import BEGIN, END
from models.writing import Writing
from tests.support.small_models import fluent_ids, network, translator
from viz.server.run_request import RunRequest
from viz.server.worker_process import _run

KEYS = ("seq2seq", "bahdanau", "luong-general", "transformer")
SOURCE = "The cat sleeps in the house."
WORD = 2


def decoded(made: Any, source: list[int], begin: list[int], most: int) -> tuple[list[int], np.ndarray]:
    """Decode in float64 by forced passes alone: the whole beginning again for every word."""
    made = made.double()
    written, rows = list(begin), []
    with torch.inference_mode():
        memory = made.encode(torch.tensor([source]))
        while len(written) < most and (len(written) == len(begin) or written[-1] != END):
            logits = made.decode(memory, torch.tensor([(BEGIN, *written)]))[0, -1]
            logits[:END] = -torch.inf
            written.append(int(logits.argmax()))
        rows = made.decode(memory, torch.tensor([(BEGIN, *written[:-1])]))[0]
        rows[:, :END] = -torch.inf
    return written, rows.log_softmax(-1).numpy()


@pytest.mark.parametrize("key", ["seq2seq", "bahdanau", "luong-general-input-feeding", "convs2s", "transformer"])
def test_after_what_was_given_decoding_is_free_as_a_float64_loop_has_it(key: str) -> None:
    model, begin = translator(key, network(key, seed=1)), fluent_ids()[:3]
    after = model.attend("We rest.", write=Writing(0, begin=begin))
    count = len(after.target)
    expected, rows = decoded(network(key, seed=1), list(after.source.ids), begin, count)
    assert list(after.target.ids) == expected
    found = [step.log_probability for step in after.steps]
    np.testing.assert_allclose(found, rows[np.arange(count), expected], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("key", KEYS)
def test_up_to_the_wrong_word_the_maps_are_those_of_the_forced_run(key: str) -> None:
    model = models.load_translator(f"{key}-en-fr")
    before = model.attend(SOURCE)
    forced = model.attend(SOURCE, with_word(before, WORD, "voiture"))
    begin = forced.target.ids[:-1]
    after = model.attend(SOURCE, write=Writing(0, begin=begin))
    assert after.target.ids[: len(begin)] == begin
    assert after.target.word_texts[WORD].startswith("voiture")
    for forced_map, shown in zip(forced.maps, after.maps, strict=True):
        rows = slice(len(begin)) if forced_map.site.stack == "decoder" else slice(None)
        columns = (
            slice(len(begin)) if (forced_map.site.stack, forced_map.site.kind) == ("decoder", "self") else slice(None)
        )
        np.testing.assert_allclose(shown.weights[:, rows, columns], forced_map.weights[:, rows, columns], atol=1e-4)


@pytest.mark.parametrize("key", KEYS)
def test_the_same_word_in_its_place_changes_nothing(key: str) -> None:
    model = models.load_translator(f"{key}-en-fr")
    before = model.attend(SOURCE)
    after = model.attend(SOURCE, write=Writing(0, begin=before.target.ids[:3]))
    assert after.target == before.target
    assert [each.log_probability for each in after.steps] == [each.log_probability for each in before.steps]
    assert all((one.weights == other.weights).all() for one, other in zip(after.maps, before.maps, strict=True))
    assert words_until_same(before, after, WORD, WORD + 1) == 0


def test_a_record_says_what_was_given_and_can_be_made_again() -> None:
    model = models.load("bahdanau-en-fr")
    begin = model.attend(SOURCE, "Le chien").target.ids[:-1]
    trace = model.attend(SOURCE, write=Writing(0, begin=begin))
    assert trace.output_text.startswith("Le chien")
    assert trace.written is not None
    assert (trace.written.first, trace.written.asked.begin) == (len(begin), begin)
    kept = io.BytesIO()
    trace.save(kept)
    kept.seek(0)
    assert AttentionTrace.load(kept).written == trace.written
    asked = read_asked(write_asked(trace).encode())
    assert is_equal(asked, capture_again(asked))
    request = RunRequest(model.key, SOURCE, None, (), ("*.weights",), write=trace.written.asked)
    assert _run(model, request.asked(), Drafts()).target == trace.target


@pytest.mark.parametrize("write", [Writing(3), Writing(0, begin=(7,), temperature=1), 4, Writing(0, begin=(END, 7))])
def test_a_translator_takes_a_beginning_of_words_alone(write: object) -> None:
    with pytest.raises(InputError):
        translator("bahdanau").attend(SOURCE, write=write)  # type: ignore[arg-type]


def test_a_whole_translation_and_a_beginning_are_not_taken_together() -> None:
    with pytest.raises(InputError, match="not both"):
        translator("bahdanau").attend(SOURCE, "Le chat", write=Writing(0, begin=(99,)))


def test_the_second_choice_is_a_word_and_not_the_one_that_was_written() -> None:
    trace = models.load("bahdanau-en-fr").attend("The agreement was signed.")
    assert runner_up(trace, 1) not in ("", trace.target.word_texts[1])
    assert with_word(trace, 0, "Un") == "Un"
    assert with_word(trace, 1, "union") == f"{trace.target.word_texts[0]}union"  # an elision has no space behind it


class _Told:
    def __init__(self, words: list[str]) -> None:
        self.target = TokenSequence.from_words((*words, "</s>"))


WORDS = st.lists(st.sampled_from(("le", "chat", "dort", ",", ".")), max_size=8)


@given(WORDS, WORDS, WORDS)
def test_the_error_ends_where_all_that_follows_is_as_it_was(old: list[str], new: list[str], ending: list[str]) -> None:
    was, now = ["Un", *old, "mot", *ending], ["Le", *new, "fin", *ending]
    found = words_until_same(_Told(was), _Told(now), 0, 1)  # type: ignore[arg-type]
    if any(each.isalpha() for each in ending):
        assert found == len(new) + 1
    else:  # a common full stop is no common ending
        assert found is None
