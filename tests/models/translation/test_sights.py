"""What an example says of the models is so: which word each writes, and where it attends to."""

from __future__ import annotations

import pytest

from models import load
from models.translation.examples import SIGHTS
from viz.views.view import choose_view

RECURRENT = ("bahdanau-en-fr", "luong-general-en-fr")
TRANSFORMER = "transformer-en-fr"
SENTENCES = {name: each.sentence for name, each in SIGHTS["en-fr"].items()}


def written(key: str, sentence: str) -> str:
    return load(key).attend(sentence).output_text


def test_every_example_is_tried_here() -> None:
    tried = {
        "bank of a river",
        "bat in a cave",
        "the tired animal",
        "not word for word at all",
        "figure 3a of the paper",
    }
    assert set(SENTENCES) == tried
    assert set(SIGHTS) == {"en-fr"}


def test_the_bank_is_one_of_a_river_in_the_transformer_alone() -> None:
    sentence = SENTENCES["bank of a river"]
    assert "la rive du" in written(TRANSFORMER, sentence)
    assert all("la banque de" in written(key, sentence) for key in RECURRENT)


def test_the_bat_is_an_animal_in_the_transformer() -> None:
    sentence = SENTENCES["bat in a cave"]
    assert "chauve-souris" in written(TRANSFORMER, sentence)
    assert "batte" in written("bahdanau-en-fr", sentence)


@pytest.mark.parametrize(("key", "tired"), [(TRANSFORMER, "qu'il "), *((key, "qu'elle ") for key in RECURRENT)])
def test_the_transformer_alone_changes_its_mind_about_the_animal_and_the_street(key: str, tired: str) -> None:
    sentence = SENTENCES["the tired animal"]
    assert tired in written(key, sentence)
    assert "qu'elle " in written(key, sentence.replace("tired", "wide"))


def test_the_transformer_alone_wishes_good_luck() -> None:
    sentence = SENTENCES["not word for word at all"]
    assert written(TRANSFORMER, sentence).startswith("Bonne chance")
    assert all("jambe" in written(key, sentence) for key in RECURRENT)


@pytest.mark.parametrize("key", [RECURRENT[1], TRANSFORMER])
def test_two_maps_run_against_the_diagonal_of_figure_3a(key: str) -> None:
    view = choose_view(load(key).attend(SENTENCES["figure 3a of the paper"]))
    queries, keys = (list(each.texts) for each in (view.shown.query_tokens, view.shown.key_tokens))
    for written_word, word in (("économique", "Economic"), ("européen", "European")):
        assert keys[int(view.weights[queries.index(written_word)].argmax())] == word
