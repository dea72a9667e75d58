"""The words and numbers of a record as what JSON can hold, and back: every field is checked by name.

Arrays are not here (`models.trace.codec`), nor the tokens of a map's axes: they are those of the trace.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, TypeVar

from models.messages import CountMessage, Message
from models.sites import Site
from models.trace.provenance import Alignment, Provenance
from models.trace.record import TraceError
from models.trace.steps import Prediction, Step
from models.trace.tokens import TokenSequence

T = TypeVar("T")

DEEPEST, LONGEST, MOST_NOTES = 8, 20_000, 100
"""Messages inside messages; characters of one that is filled in, with all its values; notes of a record."""

_NUMBER_SHOWN = 400  # characters of a number, however it is laid out
_LAYOUT = re.compile(r",?(\.[0-9][efg%])?")  # of a number in a message
LARGEST = 2**53  # of a whole number: every reader of JSON has it exactly


def refuse(where: str, got: object, expected: str) -> TraceError:
    """Return the error that names what was read where something else was expected."""
    shown = repr(got)
    return TraceError(f"record, {where}: got {shown[:60]}{'…' * (len(shown) > 60)}; expected {expected}")


def text(value: Any, where: str) -> str:
    """Return `value` if it is a text; TraceError, naming `where`, else. So do the others below, for their kinds."""
    if type(value) is not str:
        raise refuse(where, value, "a text")
    return value


def whole(value: Any, where: str) -> int:
    """Return `value` if it is a whole number."""
    if type(value) is not int or abs(value) > LARGEST:
        raise refuse(where, value, "a whole number")
    return value


def number(value: Any, where: str) -> float:
    """Return `value` if it is a number; minus infinity is one, what is not a number is not."""
    if type(value) not in (int, float) or math.isnan(value) or value == math.inf:
        raise refuse(where, value, "a number")
    return float(value)


def flag(value: Any, where: str) -> bool:
    """Return `value` if it is true or false."""
    if type(value) is not bool:
        raise refuse(where, value, "true or false")
    return value


def several(value: Any, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    """Return what `read` makes of each item of a list."""
    if type(value) is not list:
        raise refuse(where, value, "a list")
    return tuple([read(each, where) for each in value])


def texts(value: Any, where: str) -> tuple[str, ...]:
    """Return a list of texts; those that are all texts are told at once, as most of a record is."""
    if type(value) is list and set(map(type, value)) <= {str}:
        return tuple(value)
    return several(value, where, text)


def wholes(value: Any, where: str) -> tuple[int, ...]:
    """Return a list of whole numbers, told as `texts` are."""
    if type(value) is list and set(map(type, value)) <= {int} and max(map(abs, value), default=0) <= LARGEST:
        return tuple(value)
    return several(value, where, whole)


def fields_of(value: Any, where: str, *names: str) -> list[Any]:
    """Return the values of `names` in an object that has these and no others."""
    if type(value) is not dict or value.keys() != set(names):
        got = sorted(value) if type(value) is dict else value
        raise refuse(where, got, f"an object of {', '.join(names)}")
    return [value[name] for name in names]


def pairs(value: Any, where: str) -> tuple[tuple[str, float], ...]:
    """Return texts, each with a number."""
    return several(value, where, _pair)


def _pair(value: Any, where: str) -> tuple[str, float]:
    if type(value) is not list or len(value) != 2:
        raise refuse(where, value, "a text and a number")
    word, share = value
    if type(word) is str and type(share) is float and share < math.inf:  # what is not a number is not
        return word, share
    return text(word, where), number(share, where)


# Messages -----------------------------------------------------------------------------------------------------------


def write_message(said: object) -> Any:
    """Return a note, or a value in one, as what JSON can hold: messages stay what they are made of."""
    if isinstance(said, CountMessage):
        values = {name: write_message(each) for name, each in said.values.items() if name != "count"}
        return {"one": said.text, "many": said.many, "count": int(said.number), "values": values}
    if isinstance(said, Message):
        return {"text": said.text, "values": {name: write_message(each) for name, each in said.values.items()}}
    return said if type(said) in (str, int, float, bool, type(None)) else str(said)


def read_message(value: Any, where: str, depth: int = 0) -> Any:
    """Return what `write_message` wrote; a text may name its values, and do nothing else with them."""
    if type(value) is not dict:
        if type(value) not in (str, int, float, bool, type(None)):
            raise refuse(where, value, "a text or a number")
        return value
    if depth > DEEPEST:
        raise refuse(where, value, f"messages in messages {DEEPEST} deep at most")
    counted = "one" in value
    names = ("one", "many", "count", "values") if counted else ("text", "values")
    *parts, given = fields_of(value, where, *names)
    if type(given) is not dict or "self" in given or (counted and "count" in given):
        raise refuse(where, given, "values by their names")
    values = {name: read_message(each, where, depth + 1) for name, each in given.items()}
    texts = [text(each, where) for each in parts[: 1 + counted]]
    shown = {**values, "count": whole(parts[2], where)} if counted else values
    for each in texts:
        _check_places(each, shown, where)
    make: Any = CountMessage if counted else Message
    try:
        return make(*texts, *([whole(parts[2], where)] if counted else []), **values)
    except TraceError:
        raise
    except ValueError as error:  # the layout of a number, where something else stands
        raise refuse(where, texts, str(error)) from error


def _check_places(message: str, values: Mapping[str, Any], where: str) -> None:
    """Raise TraceError unless the places of a text are names of its values, at most laid out, and it stays short."""
    lengths = {name: len(each) if isinstance(each, str) else _NUMBER_SHOWN for name, each in values.items()}
    size = len(message) + sum(lengths.values())
    if not values:
        return
    try:
        places = list(Formatter().parse(message)) if size <= LONGEST else []
    except ValueError as error:
        raise refuse(where, message, "a text with {names}") from error
    for _before, name, layout, conversion in places:
        if name is not None and (name not in values or conversion or not _LAYOUT.fullmatch(layout or "")):
            raise refuse(where, message, f"a text that names {', '.join(sorted(values))} and no more")
        size += lengths.get(name or "", 0)
    if size > LONGEST:
        raise refuse(where, message, f"a message of {LONGEST:,} characters at most")


# The parts of a trace -----------------------------------------------------------------------------------------------

_TOKENS = ("texts", "ids", "words", "word_texts", "specials", "segments")


def write_tokens(tokens: TokenSequence) -> dict[str, Any]:
    """Return a sequence of tokens as what JSON can hold."""
    return {name: list(getattr(tokens, name)) for name in _TOKENS}


def read_tokens(value: Any, where: str) -> TokenSequence:
    """Return what `write_tokens` wrote."""
    read, ids, words, word_texts, specials, segments = fields_of(value, where, *_TOKENS)
    return TokenSequence(
        texts(read, where),
        wholes(ids, where),
        wholes(words, where),
        texts(word_texts, where),
        wholes(specials, where),
        wholes(segments, where),
    )


def write_step(step: Step) -> list[Any]:
    """Return a step of a decoder as what JSON can hold."""
    likely = None if math.isnan(step.log_probability) else step.log_probability
    return [step.text, step.id, likely, [list(each) for each in step.alternatives]]


def read_step(value: Any, where: str) -> Step:
    """Return what `write_step` wrote."""
    if type(value) is not list or len(value) != 4:
        raise refuse(where, value, "a text, its number, its log-probability and alternatives")
    likely = math.nan if value[2] is None else number(value[2], where)
    return Step(text(value[0], where), whole(value[1], where), likely, pairs(value[3], where))


def write_prediction(each: Prediction) -> list[Any]:
    """Return a prediction as what JSON can hold."""
    likely = [list(pair) for pair in each.alternatives]
    return [each.position, likely, each.log_probability, *([list(each.ids)] if each.ids else [])]


def read_prediction(value: Any, where: str) -> Prediction:
    """Return what `write_prediction` wrote."""
    if type(value) is not list or len(value) not in (3, 4):
        raise refuse(where, value, "a position, alternatives, a log-probability, and their ids if they are known")
    ids = wholes(value[3], where) if len(value) == 4 else ()
    likely = None if value[2] is None else number(value[2], where)
    return Prediction(whole(value[0], where), pairs(value[1], where), likely, ids)


_ABOUT = ("mechanism", "title", "paper", "equation", "checkpoint", "sha256")
_OTHERS = ("year", "versions", "decoding", "edits", "exact", "notes", "alignment")
_WAYS = ("batched", "drafted")
_DECODINGS = ("greedy", "sampled", "forced", "none")


def write_provenance(found: Provenance) -> dict[str, Any]:
    """Return where a trace comes from as what JSON can hold; edits as they stand in a link."""
    best = found.alignment
    said = {name: True for name in _WAYS if getattr(found, name)}
    return {name: str(getattr(found, name)) for name in _ABOUT} | {
        "year": found.year,
        "versions": [list(each) for each in found.versions],
        "decoding": found.decoding,
        "edits": [each.to_text() for each in found.edits],
        "exact": found.exact,
        "notes": [write_message(each) for each in found.notes],
        "alignment": [str(best.site), best.head, best.reading],
        **said,
    }


def read_provenance(value: Any, where: str) -> Provenance:
    """Return what `write_provenance` wrote."""
    from models.edits import read_edit  # a record without edits needs none of it

    said = (
        dict.fromkeys(_WAYS, False) | value if type(value) is dict else value
    )  # records of a run alone do not have it
    names = (*_ABOUT, *_OTHERS, *_WAYS)
    found = dict(zip(names, fields_of(said, where, *names), strict=True))
    if found["decoding"] not in _DECODINGS:
        raise refuse(where, found["decoding"], f"decoding to be one of {', '.join(_DECODINGS)}")
    edits = texts(found["edits"], f"{where}, edits")
    try:
        read = tuple(read_edit(each) for each in edits)
    except ValueError as error:
        message = f"record, {where}, edits: {error}"
        raise TraceError(message) from error
    versions = several(found["versions"], f"{where}, versions", texts)
    if any(len(each) != 2 for each in versions):
        raise refuse(where, versions, "versions to be pairs of a name and a version")
    if type(found["notes"]) is list and len(found["notes"]) > MOST_NOTES:
        raise refuse(where, found["notes"], f"{MOST_NOTES} notes at most")
    return Provenance(
        **{name: text(found[name], f"{where}, {name}") for name in _ABOUT},
        year=whole(found["year"], f"{where}, year"),
        versions=tuple((each[0], each[1]) for each in versions),
        decoding=found["decoding"],
        edits=read,
        exact=flag(found["exact"], f"{where}, exact"),
        notes=several(found["notes"], f"{where}, notes", _note),
        alignment=_alignment(found["alignment"], f"{where}, alignment"),
        batched=flag(found["batched"], f"{where}, batched"),
        drafted=flag(found["drafted"], f"{where}, drafted"),
    )


def _note(value: Any, where: str) -> str:
    said = read_message(value, where)
    if not isinstance(said, str):
        raise refuse(where, value, "a text")
    return said


def _alignment(value: Any, where: str) -> Alignment:
    if type(value) is not list or len(value) != 3 or value[2] not in ("written", "input"):
        raise refuse(where, value, "a site, a head and a reading")
    head = value[1] if value[1] == "mean" else whole(value[1], where)
    return Alignment(read_site(value[0], where), head, value[2])


def read_site(value: Any, where: str) -> Site:
    """Return the address that a text names."""
    try:
        return Site.parse(text(value, where))
    except ValueError as error:
        raise refuse(where, value, str(error)) from error
