"""Whatever a caller gives wrongly to the public functions of `models`, of every kind of model: an error in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import models
from models.edits import (
    OPERATIONS,
    Edit,
    keep_heads,
    mask_key,
    read_edit,
    set_row,
    uniform_row,
    window,
    zero_head,
    zero_row,
)
from models.errors import CaptureError, InputError
from models.translation.checkpoints import CheckpointError

LONG = "x" * 5000
NO_TEXTS = (3, 2.5, float("nan"), b"x", [], ["a"], (), {}, object(), True, Path("x"), 10**5000)
TEXTS = ("", LONG, "../x", "a\0b", "hf:", f"hf:{LONG}", f"hf:a/{LONG}", "hf:nobody", "decoder.*.cross")
FOLDERS = (Path("nowhere"), Path(LONG), Path("a\0b"))
KEYS = (
    "bahdanau-en-fr",
    "transformer-en-fr",
    "luong-local-p-en-fr",
    "hard-en-fr",
    "convs2s-en-fr",
    "seq2seq-en-fr",
    "hf:minilm",
    "hf:gpt-en",
    "hf:bert-en",
    "hf:lstmn-en",
    "hf:n-gram-rnn-en",
    "hf:self-attentive-en",
)
TEXT = "The cat."
A_PYTHON_WORD = (
    "object has no attribute",
    "NoneType",
    "is not iterable",
    "out of range",
    "unexpected keyword",
    "unhashable",
)


@cache
def model(key: str) -> Any:
    return models.load(key)


def refused(call: Callable[[], object], *also: type[Exception]) -> str:
    """Return what an error in words says; fail on any other, and where there is none."""
    with pytest.raises((InputError, *also)) as caught:
        call()
    said = str(caught.value)
    assert 10 < len(said) < 1200, said
    assert not any(each in said for each in A_PYTHON_WORD), said
    return said


@pytest.mark.parametrize("name", ["load", "describe", "load_pretrained", "load_translator"])
@pytest.mark.parametrize("given", [None, *NO_TEXTS, *TEXTS, *FOLDERS], ids=lambda given: repr(type(given)))
def test_what_is_no_key_of_a_model(name: str, given: Any) -> None:
    missing = (CheckpointError,) if given in (Path("x"), FOLDERS[0]) else ()
    refused(lambda: getattr(models, name)(given), *missing)


def test_an_unknown_key_is_a_key_error_too_and_names_the_models_there_are() -> None:
    for key, known in (("nobody", "bahdanau-en-fr"), ("hf:nobody", "hf:minilm")):
        with pytest.raises(KeyError) as caught:
            models.load(key)
        assert str(caught.value).startswith("no ")
        assert known in str(caught.value)


@pytest.mark.parametrize("given", [None, *NO_TEXTS], ids=lambda given: repr(type(given)))
def test_is_pretrained_of_what_is_no_key(given: Any) -> None:
    refused(lambda: models.is_pretrained(given))


@pytest.mark.parametrize("key", KEYS)
class TestAttend:
    def test_texts_that_are_none(self, key: str) -> None:
        own = model(key)
        trace = own.attend(TEXT)
        for given in NO_TEXTS:
            for call in (
                lambda given=given: own.attend(given),
                lambda given=given: own.attend(TEXT, given),
                lambda given=given: own.attend(TEXT, pair=given),
                lambda given=given: own.fit(given),
                lambda given=given: own.replay(given),
            ):
                refused(call)
        for call in (lambda: own.attend(None), lambda: own.fit(None), lambda: own.replay(None)):
            refused(call)
        assert own.attend(TEXT).sites == trace.sites

    def test_sites_that_are_no_list_of_addresses(self, key: str) -> None:
        own = model(key)
        wrong = [each for each in (None, *NO_TEXTS) if each not in ([], (), ["a"])]
        for given in (*wrong, "decoder.*.cross", "*.weights", models.Site("decoder", 0, "cross")):
            assert "sites is a list of addresses" in refused(lambda given=given: own.attend(TEXT, sites=given))
        for given in (None, *NO_TEXTS):
            refused(lambda given=given: own.attend(TEXT, sites=[given]))
        for given in ("decoder.99.cross", "decoder.0", "", LONG, "decoder.0.cross.colour"):
            if own.heads:
                refused(lambda given=given: own.attend(TEXT, sites=[given]), CaptureError)

    def test_edits_that_are_no_list_of_edits(self, key: str) -> None:
        own = model(key)
        wrong = [each for each in (None, *NO_TEXTS) if each not in ([], ())]
        for given in (*wrong, "zero_head(decoder.0.cross,0)", zero_head("decoder.0.cross", 0), TEXTS[1]):
            assert "edits is a list of edits" in refused(lambda given=given: own.attend(TEXT, edits=given))
        for given in (None, *NO_TEXTS, "zero_head(decoder.0.cross,0)", zero_head):
            refused(lambda given=given: own.attend(TEXT, edits=[given]))

    def test_edits_that_the_model_has_no_place_head_or_key_for(self, key: str) -> None:
        own = model(key)
        beyond: tuple[Edit, ...] = (
            zero_head("*.*.*", 99),
            keep_heads("*.*.*", (0, 99)),
            zero_row("*.*.*", 99, 0),
            uniform_row("*.*.*", 99, None),
            set_row("*.*.*", 99, 0, (1.0,), 1),
            set_row("*.*.*", None, 0, (0.0,) * 500 + (1.0,), 1),
            zero_head("decoder.99.cross", 0),
            zero_head("encoder.*.cross", 0),
        )
        for edit in beyond:
            refused(lambda edit=edit: own.attend(TEXT, edits=[edit]), CaptureError)
        if own.heads and key != "luong-local-p-en-fr":
            refused(lambda: own.attend(TEXT, edits=[window("*.*.*", None, None, 2)]))

    def test_a_row_or_a_key_beyond_the_text_is_said_to_have_no_effect(self, key: str) -> None:
        own = model(key)
        if own.heads:
            place = str(next(iter(own.heads)))
            for edit in (zero_row(place, None, 999), mask_key(place, 999)):
                notes = own.attend(TEXT, edits=[edit]).provenance.notes
                assert any("no effect" in note for note in notes)


GOOD: dict[str, Any] = {
    "site": "decoder.0.cross",
    "head": 0,
    "heads": (0,),
    "row": 0,
    "key": 0,
    "seed": 1,
    "centre": 1.0,
    "width": 1,
    "factor": 2.0,
    "blend": 0.5,
    "weights": (1.0,),
    "text": "A dog.",
    "reach": 1,
    "size": 1,
}
NO_NUMBERS = (
    *(each for each in NO_TEXTS if each not in (3, True, 2.5)),
    *("a", "*", -1, float("inf"), [None], [float("nan")], 10**400, {0: 1.0}, LONG),
)
NEGATIVE_IS_FINE = ("factor",)


@pytest.mark.parametrize(
    ("operation", "argument"),
    [(name, each.name) for name, operation in OPERATIONS.items() for each in fields(operation)],
)
def test_an_argument_of_an_edit_that_cannot_be(operation: str, argument: str) -> None:
    made = OPERATIONS[operation]
    names = [each.name for each in fields(made)]
    for given in NO_NUMBERS:
        if (given == -1 and argument in NEGATIVE_IS_FINE) or (argument == "text" and isinstance(given, str)):
            continue
        said = refused(lambda given=given: made(**{**{name: GOOD[name] for name in names}, argument: given}))
        assert said.startswith("A text is " if argument == "text" else f"{argument} of an edit is ")


@pytest.mark.parametrize(
    "given",
    [None, *NO_TEXTS, *TEXTS, "zero_head(decoder.0.cross)", "zero_head(a,b)"],
    ids=lambda given: repr(type(given)),
)
def test_what_is_no_text_of_an_edit(given: Any) -> None:
    refused(lambda: read_edit(given))
