"""Every example sentence keeps its meaning in every mechanism with attention: the words that it stands or falls by."""

from __future__ import annotations

from typing import Any

import pytest

from models import catalog, describe, load
from models.translation.examples import EXAMPLES

NEEDS = {
    "The agreement on the European Economic Area was signed in 1992.": (
        ("L'accord", "espace", "économique", "européen", "signé", "en 1992"),
    ),
    "The house is old, but it has a new door.": (("maison est vieille", "mais elle a", "nouvelle porte"),),
    "The girl who lives near the station is my sister.": (("fille qui", "près de la gare", "est ma sœur"),),
    "I gave the book to Zorblat.": (("J'ai donné le livre", " Zo", " Za"),),
    "She likes to swim, but she is afraid of the dogs.": (("Elle aime nager", "elle a peur des chiens"),),
    "She has a black cat and a white cat.": (("Elle a un chat noir et un chat blanc",),),
    "我爱吃苹果。": (("I love", "apple"),),
    "我吃了一个苹果。": (("I ate", "apple"), (" an ", " a ", " one ")),
    "她昨天买了一本书。": (("She bought a book yesterday",),),
    "你好吗？": (("How are you",),),
    "他会说英语，但是不会说法语。": (("He can", "English", "but", "French"), (" not ", "can't")),
}
"""For each example groups of words: of the first group all must be written, of the others one."""

NAMES = "I gave the book to Zorblat."
"""An invented name: how it is spelt is what the example shows, that it begins alike is what is asked."""

PAPER = "The agreement on the European Economic Area was signed in August 1992."
"""The sentence of Bahdanau's figure 3a, which is longer by a month: what a visitor knows from the paper."""


SMALL = 1_000_000
"""A hall of fewer parameters shows how a mechanism works, on short text; its card says that it is small."""


def cases() -> list[Any]:
    """Return a model with a sentence and the words that it needs, one of them each."""
    found = []
    for key in catalog():
        entry = describe(key)
        small = entry.mechanism.is_small and entry.card["parameters"] < SMALL
        if not entry.mechanism.has_attention or small:
            continue
        for sentence in EXAMPLES[entry.pair].values():
            every, *one_of = NEEDS[sentence]
            needs = [every[:1], every[1:]] if sentence == NAMES else [*((each,) for each in every), *one_of]
            for need in needs:
                found.append(pytest.param(key, sentence, need, id=f"{key}-{need[0]}"))
    return found


@pytest.fixture(scope="module")
def written() -> dict[tuple[str, str], str]:
    return {}


@pytest.mark.parametrize(("key", "sentence", "need"), cases())
def test_an_example_keeps_its_meaning(
    key: str, sentence: str, need: tuple[str, ...], written: dict[tuple[str, str], str]
) -> None:
    if (key, sentence) not in written:
        written[key, sentence] = load(key).attend(sentence).output_text
    output = written[key, sentence]
    assert any(each.casefold() in output.casefold() for each in need), output


@pytest.mark.parametrize("key", ["bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr"])
def test_the_sentence_of_the_paper_is_right_on_the_first_screen(key: str) -> None:
    written = load(key).attend(PAPER).output_text
    assert written == "L'accord sur l'Espace économique européen a été signé en août 1992."
