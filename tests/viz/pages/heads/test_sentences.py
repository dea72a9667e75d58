"""Sentences of a text folded on the Heads: opened by a click, by a word in them, by a link."""

from __future__ import annotations

import pytest

from tests.support.heads_page import MINILM, opened, overview, parameter, words

TEXT = "The cat sat on the mat. It was tired! Nobody saw it in the house."
TOKENS = (7, 4, 7)
"""Words of each sentence, with its sign."""


def sides(**link: str) -> tuple[tuple[int, int], bool]:
    """Return the sides of the small maps, and whether the note speaks of folded sentences."""
    header, cells = overview(opened(model=MINILM, sentence=TEXT, unit="sentence", **link))
    return cells.shape[1:], "folded: " in str(header["note"])


@pytest.mark.parametrize(
    ("link", "open_sentences"),
    [
        ({}, ()),
        ({"open": "2"}, (1,)),
        ({"open": "1 3"}, (0, 2)),
        ({"find": "NOBODY"}, (2,)),
        ({"open": "1", "find": "tired"}, (0, 1)),
        ({"find": "t"}, (0, 1, 2)),
    ],
    ids=str,
)
def test_open_sentences_have_a_row_for_each_word(link: dict[str, str], open_sentences: tuple[int, ...]) -> None:
    count = 2 + sum(TOKENS[each] if each in open_sentences else 1 for each in range(3))  # [CLS] and [SEP] beside them
    assert sides(**link) == ((count, count), len(open_sentences) < 3)


def test_a_word_that_is_not_there_is_said_and_a_new_text_begins_with_all_folded() -> None:
    app = opened(model=MINILM, sentence=TEXT, unit="sentence", open="3", find="elephant")
    assert "No word in this text contains “elephant”." in words(app)
    app.text_input(key="sentence").set_value("One is here. Two are there.").run()
    assert not app.exception
    assert parameter(app, "open") is None
    assert overview(app)[1].shape[1:] == (4, 4)


@pytest.mark.parametrize(("open_sentences", "folded"), [("2", True), ("1 2", False)])
def test_words_that_a_model_wrote_are_marked_once_in_open_sentences(open_sentences: str, folded: bool) -> None:
    link = {"sentence": "The dog is here. The cat", "unit": "sentence", "open": open_sentences, "write": "4"}
    texts = " ".join(overview(opened(model="hf:gpt-en", **link))[0]["texts"])
    assert texts.count("▸") == 2 * 4
    assert ("1:The…" in texts) == folded


@pytest.mark.parametrize("compare", ["side", "lines", "text", "difference", "sum", "mean"])
def test_every_way_to_compare_takes_folded_sentences(compare: str) -> None:
    opened(model=MINILM, sentence=TEXT, unit="sentence", open="1", compare=compare, below="table similarity rollout")


def test_one_sentence_has_nothing_to_fold() -> None:
    app = opened(model=MINILM, sentence="The cat sleeps.", unit="sentence")
    assert "sentences" not in [each for group in app.get("button_group") for each in group.options]
