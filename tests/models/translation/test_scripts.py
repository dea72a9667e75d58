"""What can be told of a text before it is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import load
from models.translation.batching import BatchItem, attend_together
from models.translation.scripts import suggested_language, without_capitals
from models.translation.texts import as_read
from models.translation.words import normalise


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sleeps.", "en"),
        ("L'été à la plage", "en"),  # the script alone is looked at
        ("我喜欢 Python 编程。", "en"),  # six letters against five
        ("我很喜欢用 Python 编程序。", "zh"),
        ("Где вокзал?", "other"),
        ("أين المحطة؟", "other"),
        ("駅はどこですか", "other"),
        ("123 + 4 🎉", None),
        ("", None),
    ],
)
def test_the_script_suggests_a_language(text: str, language: str | None) -> None:
    assert suggested_language(text) == language


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("I MISS YOU.", "I miss you."),
        ("HELLO", "Hello"),
        ("WAIT! WHERE AM I?", "Wait! Where am I?"),
        ("“STOP THAT,” I SAID.", "“Stop that,” I said."),
        ("USA", "USA"),
        ("OK!", "OK!"),
        ("NATO met.", "NATO met."),
        ("你好", "你好"),
        ("你好，这里是ABC公司，我要去SHANGHAI。", "你好，这里是ABC公司，我要去SHANGHAI。"),
        ("雷克萨斯IS350的内饰图片。", "雷克萨斯IS350的内饰图片。"),
    ],
)
def test_only_a_text_all_in_capitals_is_read_small(typed: str, read: str) -> None:
    assert without_capitals(typed) == read


@given(st.text())
def test_any_text_is_taken_and_letters_stay(text: str) -> None:
    suggested_language(text)
    small = without_capitals(text)
    assert small == text or small.lower() == text.lower()


SAID = "the sentence was all in capitals: it was read in lower case"


def test_a_translator_reads_capitals_as_small_letters_and_says_so() -> None:
    model = load("luong-general-en-fr")
    shouted, said = model.attend("I MISS MY FRIENDS."), model.attend("I miss my friends.")
    assert shouted.output_text == said.output_text
    assert shouted.source_text == said.source_text == "I miss my friends."
    assert shouted.source == said.source
    assert SAID in shouted.provenance.notes
    assert SAID not in said.provenance.notes


def test_so_it_does_for_several_people_at_once() -> None:
    model = load("luong-general-en-fr")
    typed = ("I MISS MY FRIENDS.", "I miss my friends.")
    found = list(filter(None, attend_together(model, [BatchItem(each) for each in typed])))
    assert [each.output_text for each in found] == 2 * [model.attend("I miss my friends.").output_text]
    assert [SAID in each.provenance.notes for each in found] == [True, False]


WORDS_SAID = "words all in capitals were read in lower case"
SHOUTED = "I SAID I WON'T GO."


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("I will NOT go.", "I will not go."),
        ("We WON'T sell it.", "We won't sell it."),
        ("NEVER do that. STOP it!", "Never do that. Stop it!"),
        ("HELP", "Help"),
        ("My TV is in the USA.", "My TV is in the USA."),
        ("NATO and the EU met.", "NATO and the EU met."),
        (SHOUTED, "I said I won't go."),
        ("A cat, and I.", "A cat, and I."),
        ("这是IT公司。", "这是IT公司。"),
    ],
)
def test_a_word_in_capitals_is_read_small_where_it_is_known_so(typed: str, read: str) -> None:
    model = load("luong-general-en-fr")
    assert as_read(model.tokenizer, typed) == as_read(model.tokenizer, read) == read
    trace = model.attend(typed)
    assert trace.source == model.attend(read).source
    assert trace.source_text == normalise(read)
    assert (WORDS_SAID in trace.provenance.notes) == (typed != read and typed != SHOUTED)


@given(st.text(st.sampled_from("ABCNOTWI abt'.! ")))
def test_reading_what_was_read_changes_nothing_and_letters_stay(text: str) -> None:
    tokenizer = load("luong-general-en-fr").tokenizer
    once = as_read(tokenizer, text)
    assert as_read(tokenizer, once) == once
    assert once.lower() == text.lower()


def test_a_forced_translation_stays_as_it_is() -> None:
    trace = load("luong-general-en-fr").attend("I miss my friends.", "MES AMIS ME MANQUENT.")
    assert trace.output_text == "MES AMIS ME MANQUENT."
    assert SAID not in trace.provenance.notes
