"""Which word a walk opens with, and which one it keeps in another translation."""

from __future__ import annotations

import numpy as np
import pytest

import models
from models.sites import Site
from models.trace import AttentionMap, TokenSequence
from models.translation.examples import EXAMPLES
from viz.walk.telling import same_row, telling_row, telling_word

SOURCE = ("the", "European", "Economic", "Area", ".", "</s>")
TARGET = ("l'", "Espace", "économique", "européen", ".", "</s>")


def read(*most: int, sharp: tuple[float, ...] = (0.9,) * 6) -> AttentionMap:
    weights = np.zeros((1, len(most), len(SOURCE)), dtype=np.float32)
    for row, (key, share) in enumerate(zip(most, sharp, strict=True)):
        weights[0, row] = (1 - share) / (len(SOURCE) - 1)
        weights[0, row, key] = share
    queries, keys = (
        TokenSequence(texts, (9,) * 6, tuple(range(6)), texts, specials=(5,)) for texts in (TARGET, SOURCE)
    )
    return AttentionMap(Site("decoder", 0, "cross"), weights, queries, keys)


def test_it_is_the_middle_of_words_that_are_turned_round() -> None:
    assert telling_row(read(0, 3, 2, 1, 4, 5), 0) == 2


def test_else_the_sharpest_off_the_diagonal() -> None:
    assert telling_row(read(0, 2, 2, 1, 4, 5, sharp=(0.9, 0.6, 0.9, 0.7, 0.9, 0.9)), 0) == 3


def test_else_the_sharpest_and_never_one_that_reads_the_end_or_a_mark() -> None:
    assert telling_row(read(0, 1, 2, 5, 4, 5, sharp=(0.9, 0.6, 0.7, 0.9, 0.9, 0.9)), 0) == 2
    assert telling_row(read(5, 5, 5, 1, 5, 5, sharp=(0.9, 0.9, 0.9, 0.3, 0.9, 0.9)), 0) == 3


OWN = {
    "en": (
        "The old fisherman repaired his broken boat before the storm.",
        "Young people need a European labour market.",
        "My sister never drinks black coffee.",
        "We must protect small farmers.",
        "Yes.",
        "Where is the new railway station?",
        "I do not understand this strange proposal, Mr President.",
        "The Commission has rejected the amendment.",
        "Unbelievable misunderstandings happen everywhere!",
        "She gave him the red book that her grandmother had written.",
    ),
    "zh": (
        "那位老渔夫在暴风雨来临之前修好了他的小船。",
        "我妹妹从来不喝黑咖啡。",
        "新的火车站在哪里？",
        "他昨天给我买了一本红色的书。",
        "好的。",
        "科学家发现了一种新的病毒。",
        "我们必须保护环境。",
        "这个城市的冬天非常冷。",
        "你会说法语吗？",
        "经济危机影响了许多国家。",
    ),
}
EVERY_MAP = 2  # sentences of which every head of every map is looked at
EXAMPLE = "The agreement on the European Economic Area was signed in August 1992."
KEYS = [key for key in models.catalog() if not key.startswith("hf:")]


@pytest.mark.parametrize("key", KEYS)
def test_no_sentence_opens_on_a_row_that_reads_the_end_most_while_another_does_not(key: str) -> None:
    model = models.load(key)
    for number, sentence in enumerate(OWN[key.split("-")[-2]]):
        trace = model.attend(sentence)
        best = trace.provenance.alignment
        for shown in trace.maps if number < EVERY_MAP else (trace[best.site.place],) if trace.sites else ():
            at_marks = np.isin(shown.weights.argmax(axis=2), shown.key_tokens.specials)
            rows = [telling_row(shown, head) for head in range(len(at_marks))]
            assert [at_marks[head, row] for head, row in enumerate(rows)] == at_marks.all(axis=1).tolist()


def test_the_word_and_what_it_reads_are_whole_where_they_can_be() -> None:
    for key, sentence, pair in (
        ("bahdanau-en-fr", OWN["en"][5], ("gare", "station")),
        ("luong-general-en-fr", EXAMPLE, ("européen", "European")),
        ("transformer-zh-en", OWN["zh"][3], ("book", "书")),
    ):
        trace = models.load(key).attend(sentence)
        best = trace.provenance.alignment
        shown, head = trace[best.site.place], 0 if best.head == "mean" else best.head
        row = telling_row(shown, head)
        read = shown.key_tokens.texts[shown.weights[head, row].argmax()]
        assert (shown.query_tokens.texts[row].strip(), read.strip()) == pair


@pytest.mark.parametrize("key", KEYS)
def test_no_example_opens_on_a_row_that_reads_the_end_most(key: str) -> None:
    model = models.load(key)
    for sentence in EXAMPLES["-".join(key.split("-")[-2:])].values():
        trace = model.attend(sentence)
        if not trace.sites:
            assert trace.target.texts[telling_word(trace.target)].strip().isalpha()
            continue
        best = trace.provenance.alignment
        shown = trace[best.site.place]
        head = 0 if best.head == "mean" else best.head
        row = telling_row(shown, head)
        assert shown.weights[head, row].argmax() not in trace.source.specials
        assert row not in trace.target.specials


def test_a_word_is_found_again_in_another_translation_the_nearest_of_several() -> None:
    words = TokenSequence.from_words
    before = words(("the", "cat", "sees", "the", "dog"))
    assert same_row(before, 3, words(("a", "dog", "and", "the", "cat", "the"))) == 3
    assert same_row(before, 0, words(("the", "big", "dog", "the"))) == 0
    assert same_row(before, 2, words(("a", "dog"))) is None
