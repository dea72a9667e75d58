"""Labels of tokens: nothing invisible, nothing read as markup, nothing cut without a trace."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.text import tokens

ANY_TEXT = st.text(st.characters(), max_size=60)  # surrogates and control characters included


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat", "cat"),
        (" cat", "␣cat"),
        ("", "∅"),
        (" ", "␣"),
        ("\u3000", "␣"),
        ("\n", "↵"),
        ("\t", "⇥"),
        ("\x00", "⟨00⟩"),
        ("\u200b", "⟨200B⟩"),
        ("\u202e", "⟨202E⟩"),
        ("\ud800", "⟨D800⟩"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("\u200d", "⟨200D⟩"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("猫", "猫"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text: str, shown: str) -> None:
    assert tokens.visible(text) == shown


@pytest.mark.parametrize("text", ["<s>", "</s>", "<b>x</b>", "&amp;", "a<br>b", "<a href='http://x'>y</a>"])
def test_markup_is_shown_as_it_is(text: str) -> None:
    shown = tokens.label(text, longest=99)
    assert "<" not in shown
    assert html.unescape(shown) == tokens.visible(text)


def test_a_formula_is_no_formula() -> None:
    assert "$" not in tokens.label("$x^2$")


def test_a_right_to_left_word_is_set_apart() -> None:
    assert tokens.escape("שמש") == "\u2068שמש\u2069"
    assert tokens.escape("chat") == "chat"


@given(ANY_TEXT)
def test_any_text_gives_a_label_that_can_be_sent_and_seen(text: str) -> None:
    shown = tokens.label(text)
    shown.encode("utf-8")
    assert shown
    assert not re.search(r"[<>$\x00-\x20\x7f-\xa0]", shown)


@given(ANY_TEXT, st.integers(2, 40))
def test_a_label_keeps_to_its_columns_and_says_when_it_is_cut(text: str, longest: int) -> None:
    seen = tokens.visible(text)
    short = tokens.shorten(seen, longest)
    assert tokens.width(short) <= longest
    assert (short == seen) != tokens.is_cut(text, longest)
    assert short == seen or (short.endswith("…") and seen.startswith(short[:-1]))


@given(st.lists(ANY_TEXT, max_size=5))
def test_the_widest_label_is_no_wider_than_it_may_be(texts: list[str]) -> None:
    assert 0 <= tokens.widest(texts) <= tokens.LONGEST_LABEL


def test_wide_characters_take_two_columns_and_combining_ones_none() -> None:
    assert tokens.width("猫") == tokens.width("🔥") == 2
    assert tokens.width("e\u0301") == 1
