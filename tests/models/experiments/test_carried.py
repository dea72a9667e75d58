"""Which words a translation carries over, on the shipped models and on maps made by hand."""

import pytest

import models
from models.experiments.carried import is_content, lost_words
from tests.support.figure_samples import reader

READER = "transformer-en-fr"


def lost(sentence: str, translation: str) -> set[str]:
    trace = models.load(READER).attend(sentence, target=translation)
    return {trace.source.word_texts[place] for place in lost_words(trace)}


SOLD = "My sister bought a red car and sold her house."


@pytest.mark.parametrize(
    ("sentence", "translation", "expected"),
    [
        (SOLD, "Ma sœur a acheté une voiture rouge et a vendu sa maison.", set()),
        (SOLD, "Ma sœur a acheté une voiture et a vendu sa maison.", {"red"}),
        ("The cat drinks milk in the garden.", "Le chat boit du lait.", {"garden"}),
    ],
)
def test_what_is_left_out_of_a_translation_is_lost(sentence: str, translation: str, expected: set[str]) -> None:
    assert lost(sentence, translation) == expected


def test_a_translation_that_has_nothing_to_do_with_the_sentence_loses_it() -> None:
    assert lost("The cat drinks milk in the garden.", "Nous votons demain.") >= {"cat", "milk", "garden"}


def test_grammar_marks_and_the_end_are_never_named() -> None:
    assert not any(map(is_content, ("The", " of", "</s>", ".", "WHICH", "")))
    assert all(map(is_content, ("bridge", "1992", "Été")))


def test_a_reader_of_one_text_is_refused() -> None:
    with pytest.raises(ValueError, match="reads one text"):
        lost_words(reader(("a", "b")))
