"""Text in CSV: nothing is a formula, whatever program in whatever language opens it; numbers stay numbers."""

from __future__ import annotations

import csv
import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.text.cells import csv_of_rows

BEGINS = "=+-@\N{MINUS SIGN}\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u207b"
BEFORE = ["", " ", "\t", "\r", "\n", "\x00", "\ufeff", "\u200b", "\u200e", "\xa0", "\u3000", '"', ' "', "\t\ufeff "]
SEPARATORS = ",;\t|"
TRICKY = st.text(st.sampled_from([*BEGINS, *BEFORE[1:-2], *SEPARATORS, "a", "1", "中", "'"]), max_size=12)


def cells(text: str, separator: str) -> list[str]:
    """Return what a program finds that is set to a separator, and keeps quotes or takes them off."""
    split = [each for row in csv.reader(io.StringIO(text), delimiter=separator) for each in row]
    return [*split, *re.split(f"[\n\r{re.escape(separator)}]", text)]


def is_formula(cell: str) -> bool:
    shown = "".join(each for each in cell if each.isprintable() and not each.isspace()).lstrip('"')
    begins = unicodedata.normalize("NFKC", shown[:1]).startswith(("=", "+", "-", "@", "\N{MINUS SIGN}"))
    return begins and re.fullmatch("[+-]?[0-9.]+", shown.strip('"')) is None


@pytest.mark.parametrize("begin", BEGINS)
def test_nothing_is_a_formula(begin: str) -> None:
    for before in (*BEFORE, *(f"x{each}{space}" for each in SEPARATORS for space in BEFORE)):
        text = csv_of_rows([("word", f"{before}{begin}cmd|' /C calc'!A0", 1)])
        for separator in SEPARATORS:
            assert not [each for each in cells(text, separator) if is_formula(each)]
        assert next(csv.reader(io.StringIO(text)))[1][0] not in (*BEGINS, "\t", "\r", "\n")


@given(TRICKY, TRICKY)
def test_nothing_is_a_formula_whatever_is_typed(one: str, two: str) -> None:
    text = csv_of_rows([(one, two)])
    for separator in SEPARATORS:
        assert not [each for each in cells(text, separator) if is_formula(each)]


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers())
def test_numbers_stay_numbers(real: float, whole: int) -> None:
    assert next(csv.reader(io.StringIO(csv_of_rows([(real, repr(real), whole, str(whole))])))) == [
        str(each) for each in (real, real, whole, whole)
    ]


@pytest.mark.parametrize("text", ["well-known", "a = b", "1+1", "我爱吃苹果。", "it's", "O'Neil", "—Bonjour", "x@y"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert csv_of_rows([(text,)]) == f"{text}\n"
