"""What can be told of a text before it is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.translation.scripts import suggested_language, without_capitals


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
    ],
)
def test_only_a_text_all_in_capitals_is_read_small(typed: str, read: str) -> None:
    assert without_capitals(typed) == read


@given(st.text())
def test_any_text_is_taken_and_letters_stay(text: str) -> None:
    suggested_language(text)
    small = without_capitals(text)
    assert small == text or small.lower() == text.lower()
