"""JSON from outside, bounded before anything is made of it: an empty list of three bytes takes eighty in memory."""

from __future__ import annotations

import json
from typing import Any

from models.trace.record import TraceError

LARGEST = 4 * 10**6
"""Bytes of a text: one character outside Unicode's first plane makes each take four."""

MOST_VALUES = 200_000
"""Values of a text at most: forty times those of the largest record that a page makes."""


def read_json(data: bytes, where: str) -> Any:
    """Return what a text in JSON says; TraceError, naming `where`, if it is none, or holds too much."""
    if len(data) > LARGEST:
        message = f"{where}: got {len(data):,} bytes of JSON; expected at most {LARGEST:,}"
        raise TraceError(message)
    values = sum(data.count(sign) for sign in (b",", b"[", b"{"))  # each value follows one of these; so do some texts
    if values > MOST_VALUES:
        message = f"{where}: expected at most {MOST_VALUES:,} values of JSON"
        raise TraceError(message)
    try:
        return json.loads(data)
    except (RecursionError, ValueError, OverflowError) as error:  # a number of 5,000 digits is a ValueError
        message = f"{where}: this is no JSON ({str(error)[:80]})"
        raise TraceError(message) from error
