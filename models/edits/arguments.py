"""The arguments of an edit: checked, written into an address bar, and read back."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from models.errors import InputError, check_text, shortly
from models.messages import Message
from models.sites import KINDS, STACKS, Site

_WHOLE = Message("a whole number from 0")
_WEIGHT_SUM_TOLERANCE = 1e-5
_MOST = 10**9
_LONGEST_TEXT = 2000
_MOST_FACTOR = 10**6  # scores stay numbers; no row changes any more long before
_INDEX = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?")


class _Argument(NamedTuple):
    """One argument: `clean` gives its checked value, `read` its value from text, `write` its text.

    `clean` and `read` take the argument's name first and raise InputError, naming it, on what it cannot be.
    """

    clean: Callable[[str, Any], Any]
    read: Callable[[str, str], Any]
    write: Callable[[Any], str]


def _fail(name: str, expected: Message, got: object) -> InputError:
    given = shortly(got) if isinstance(got, str) else f"'{shortly(got)}'"
    return InputError(
        Message("{name} of an edit is {expected}; got {given}", name=name, expected=expected, given=given)
    )


def _listed(name: str, expected: Message, value: Any) -> tuple[Any, ...]:
    """Return what stands in `value`; what is no list is refused."""
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise _fail(name, expected, value)
    return tuple(value)


def _clean_site(name: str, value: Any) -> str:
    text = str(value) if isinstance(value, (str, Site)) else shortly(value)
    parts = text.split(".")
    if len(parts) == 3:
        stack, layer, kind = parts
        if stack in ("*", *STACKS) and (layer == "*" or _INDEX.fullmatch(layer)) and kind in ("*", *KINDS):
            return text
    raise _fail(name, Message("stack.layer.kind, each part * or its value, such as decoder.*.cross"), text)


def _clean_index(name: str, value: Any) -> int:
    try:
        index = operator.index(value)
    except TypeError:
        index = -1
    if not 0 <= index < _MOST:
        raise _fail(name, _WHOLE, value)
    return index


def _clean_count(name: str, value: Any) -> int:
    """Return a whole number from 1."""
    if (count := _clean_index(name, value)) == 0:
        raise _fail(name, Message("a whole number from 1"), value)
    return count


def _clean_index_or_all(name: str, value: Any) -> int | None:
    return None if value is None else _clean_index(name, value)


def _clean_place_or_own(name: str, value: Any) -> float | None:
    if value is None:
        return None
    place = _clean_number(name, value)
    if not 0 <= place < _MOST:
        raise _fail(
            name, Message("a number of at least 0 and below {most}, or none to keep the original", most=_MOST), value
        )
    return int(place) if place == int(place) else place


def _clean_heads(name: str, value: Any) -> tuple[int, ...]:
    expected = Message("at least one head (zero_head without a head ablates all heads)")
    heads = tuple(sorted({_clean_index(name, head) for head in _listed(name, expected, value)}))
    if not heads:
        raise _fail(name, expected, value)
    return heads


def _clean_number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise _fail(name, Message("a finite number"), value)
    return number


def _clean_factor(name: str, value: Any) -> float:
    number = _clean_number(name, value)
    if abs(number) > _MOST_FACTOR:
        raise _fail(name, Message("a number from -{most} to {most}", most=_MOST_FACTOR), value)
    return number


def _clean_blend(name: str, value: Any) -> float:
    number = _clean_number(name, value)
    if not 0 <= number <= 1:
        raise _fail(name, Message("a number from 0 to 1"), value)
    return number


def _clean_weights(name: str, value: Any) -> tuple[float, ...]:
    expected = Message("numbers of 0 or more that sum to 1")
    weights = tuple(_clean_number(name, weight) for weight in _listed(name, expected, value))
    if any(weight < 0 for weight in weights) or abs(math.fsum(weights) - 1) > _WEIGHT_SUM_TOLERANCE:
        raise _fail(name, expected, weights)
    return weights


def _clean_text(name: str, value: Any) -> str:
    check_text(value)
    text = str(value)
    if not text.strip() or len(text) > _LONGEST_TEXT:
        raise _fail(name, Message("a text of 1 to {most} characters", most=_LONGEST_TEXT), text)
    return text


def _write_text(text: str) -> str:
    """Return a text without the signs that separate arguments and edits in a link."""
    return quote(text, safe="").replace("~", "%7E")


def _read_index(name: str, text: str) -> int:
    if not _INDEX.fullmatch(text):
        raise _fail(name, _WHOLE, text)
    return int(text)


def _read_index_or_all(name: str, text: str) -> int | None:
    return None if text == "*" else _read_index(name, text)


def _read_number(name: str, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise _fail(name, Message("a number such as 0.5"), text)
    return float(text)


def _read_place_or_own(name: str, text: str) -> float | None:
    return None if text == "*" else _read_number(name, text)


def _write_or_all(value: float | None) -> str:
    return "*" if value is None else repr(value)


def _write_several(values: tuple[float, ...]) -> str:
    return ";".join(map(repr, values))


_POSITION = _Argument(_clean_index, _read_index, str)
_POSITION_OR_ALL = _Argument(_clean_index_or_all, _read_index_or_all, _write_or_all)

_ARGUMENTS = {
    "site": _Argument(_clean_site, _clean_site, str),
    "head": _POSITION_OR_ALL,
    "heads": _Argument(
        _clean_heads, lambda name, text: [_read_index(name, t) for t in text.split(";")], _write_several
    ),
    "row": _POSITION_OR_ALL,
    "key": _POSITION,
    "seed": _POSITION,
    "reach": _POSITION,
    "size": _Argument(_clean_count, _read_index, str),
    "centre": _Argument(_clean_place_or_own, _read_place_or_own, _write_or_all),
    "width": _POSITION_OR_ALL,
    "text": _Argument(_clean_text, lambda _name, text: unquote(text), _write_text),
    "factor": _Argument(_clean_factor, _read_number, repr),
    "blend": _Argument(_clean_blend, _read_number, repr),
    "weights": _Argument(
        _clean_weights, lambda name, text: [_read_number(name, t) for t in text.split(";")], _write_several
    ),
}


def clean_argument(name: str, value: Any) -> Any:
    """Return `value` as the argument `name` holds it."""
    return _ARGUMENTS[name].clean(name, value)


def write_arguments(arguments: Mapping[str, Any]) -> str:
    """Write the values of `arguments`, separated by commas."""
    return ",".join(_ARGUMENTS[name].write(value) for name, value in arguments.items())


def read_arguments(operation: str, names: Sequence[str], text: str) -> list[Any]:
    """Read what `write_arguments` wrote."""
    texts = text.split(",")
    if len(texts) != len(names):
        message = Message(
            "{operation} takes {count} arguments ({names}); got {number} in {given}",
            operation=operation,
            count=len(names),
            names=", ".join(names),
            number=len(texts),
            given=shortly(text),
        )
        raise InputError(message)
    return [_ARGUMENTS[name].read(name, each) for name, each in zip(names, texts, strict=True)]
