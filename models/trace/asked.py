"""What was asked of a model, as JSON: enough to make a record again, to the last bit. `python -m models.capture` does.

Whoever it comes from: every field is checked, no path is in it, and nothing of it is executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from models.errors import InputError
from models.keys import KEY
from models.sites import VALUE_GRAM
from models.trace import plain
from models.trace.attention_map import ZEROED
from models.trace.attention_trace import AttentionTrace
from models.trace.json_text import read_json
from models.trace.record import TraceError
from models.writing import Writing, read_writing

if TYPE_CHECKING:
    from models.edits import Edit

FORMAT, VERSION = "attention-provenance", 1
LARGEST = 2**18
"""Bytes that one may take."""

MOST_TEXT = 20_000
"""Characters of a text in it."""

_HASH = re.compile(r"[0-9a-f]{64}")
_FIELDS = ("format", "version", "model", "sha256", "source", "second", "target", "edits", "sites", "versions", "record")
_WORDS = ("about", "written")  # for people: nothing is made of them


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a model."""

    model: str  # its key, as `models.load` takes it
    sha256: str  # the hash of its weights
    source: str  # what it read
    second: str | None  # A text that it read together with the first
    target: str | None  # what it was made to write; None for what it chose
    edits: tuple[Edit, ...]  # in the order in which they act
    sites: tuple[str, ...]  # what was captured
    versions: tuple[tuple[str, str], ...]  # libraries with which the record was made
    record: str  # SHA-256 of the record, as `AttentionTrace.save` writes it
    write: Writing | None = None  # how a causal model went on with the text


def fingerprint(trace: AttentionTrace) -> str:
    """Return the SHA-256 of what `AttentionTrace.save` writes of `trace`: equal for equal records alone."""
    from models.trace.codec import to_bytes

    return sha256(to_bytes(trace)).hexdigest()


def is_askable(trace: AttentionTrace) -> bool:
    """Return whether a trace names a model that could be asked again."""
    about = trace.provenance
    return bool(KEY.fullmatch(about.checkpoint) and _HASH.fullmatch(about.sha256))


def asked_of(trace: AttentionTrace) -> Asked:
    """Return what was asked when `trace` was made."""
    found = trace.provenance
    if not is_askable(trace):
        message = f"record: it names no model that could make it again; got {found.checkpoint[:60]!r}"
        raise TraceError(message)
    source, second = trace.source_text, None
    if 1 in trace.source.segments:
        source, _line, second = source.partition("\n")
    sites = [
        str(each.site.at(name))
        for each in trace
        for name in ("weights", *each.companions)
        if name not in (VALUE_GRAM, ZEROED)
    ]
    return Asked(
        model=found.checkpoint,
        sha256=found.sha256,
        source=source,
        second=second,
        target=trace.output_text if found.decoding == "forced" else None,
        edits=found.edits,
        sites=tuple(sites) or ("*.weights",),
        versions=found.versions,
        record=fingerprint(trace),
        write=None if trace.written is None else trace.written.asked,
    )


def write_asked(trace: AttentionTrace) -> str:
    """Return what was asked when `trace` was made as JSON, with words for people beside it."""
    asked, about = asked_of(trace), trace.provenance
    header = {
        "format": FORMAT,
        "version": VERSION,
        "about": " · ".join(filter(None, (str(about.title), str(about.year or ""), str(about.paper)))),
        "model": asked.model,
        "sha256": asked.sha256,
        "source": asked.source,
        "second": asked.second,
        "target": asked.target,
        "written": trace.output_text,
        "edits": [each.to_text() for each in asked.edits],
        "sites": list(asked.sites),
        "versions": dict(asked.versions),
        "record": asked.record,
        **({} if asked.write is None else {"write": asked.write.to_text()}),
    }
    return json.dumps(header, ensure_ascii=False, indent=2) + "\n"


def read_asked(data: bytes) -> Asked:
    """Read what `write_asked` wrote."""
    if len(data) > LARGEST:
        message = f"provenance: it holds {len(data):,} bytes; expected at most {LARGEST:,}"
        raise TraceError(message)
    header = read_json(data, "provenance")
    if type(header) is not dict or (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        message = f"provenance: expected the format {FORMAT!r}, version {VERSION}"
        raise TraceError(message)
    known = {name: value for name, value in header.items() if name not in (*_WORDS, "write")}
    found = dict(zip(_FIELDS, plain.fields_of(known, "provenance", *_FIELDS), strict=True))
    if type(found["versions"]) is not dict:
        message = "provenance: versions are an object of libraries and versions"
        raise TraceError(message)
    versions = ((name, plain.text(each, "versions")) for name, each in found["versions"].items())
    return Asked(
        model=_matching(found["model"], "model", KEY),
        sha256=_matching(found["sha256"], "sha256", _HASH),
        source=_text(found["source"], "source"),
        second=None if found["second"] is None else _text(found["second"], "second"),
        target=None if found["target"] is None else _text(found["target"], "target"),
        edits=_edits(plain.texts(found["edits"], "provenance, edits")),
        sites=plain.texts(found["sites"], "provenance, sites"),
        versions=tuple(versions),
        record=_matching(found["record"], "record", _HASH),
        write=_writing(header["write"]) if "write" in header else None,
    )


def _text(value: Any, name: str) -> str:
    said = plain.text(value, f"provenance, {name}")
    if len(said) > MOST_TEXT:
        message = f"provenance, {name}: got {len(said):,} characters; expected at most {MOST_TEXT:,}"
        raise TraceError(message)
    return said


def _matching(value: Any, name: str, pattern: re.Pattern[str]) -> str:
    said = plain.text(value, f"provenance, {name}")
    if not pattern.fullmatch(said):
        message = f"provenance, {name}: got {said[:60]!r}, which is no such name"
        raise TraceError(message)
    return said


def _writing(value: Any) -> Writing:
    try:
        return read_writing(plain.text(value, "provenance, write"))
    except InputError as error:
        message = f"provenance, write: {error}"
        raise TraceError(message) from error


def _edits(texts: Iterable[str]) -> tuple[Edit, ...]:
    from models.edits import read_edit  # most ask for none

    try:
        return tuple(read_edit(each) for each in texts)
    except ValueError as error:
        message = f"provenance, edits: {error}"
        raise TraceError(message) from error
