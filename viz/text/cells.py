"""CSV rows whose text no spreadsheet program takes for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from unicodedata import normalize

_BEGINS = "=+-@\N{MINUS SIGN}"
"""What a formula begins with, in its plain form: full-width, small and raised ones are the same."""

_APART = ",;|:\t\n،؛、，；｜："  # noqa: RUF001
"""What some program, set to some language, takes for the end of a cell."""

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|inf)", re.IGNORECASE)


def csv_of_rows(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV; numbers stay as they are, also those that come as text."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([cell_text(str(cell)) for cell in row] for row in rows)
    return out.getvalue()


@lru_cache(4096)  # a table says the same sentence and words in every line
def cell_text(text: str) -> str:
    """Return a text with an apostrophe before whatever could begin a formula."""
    if _NUMBER.fullmatch(text):
        return text
    parts, begins = ["'"] if text[:1] in tuple("\t\r\n") else [], True
    for each in text.replace("\r", " "):  # which the csv module lets stand outside of quotes
        if begins and normalize("NFKC", each).startswith(tuple(_BEGINS)):
            parts.append("'")
        is_nothing = each.isspace() or not each.isprintable() or each == '"'
        begins = each in _APART or (begins and is_nothing)
        parts.append(each)
    return "".join(parts)
