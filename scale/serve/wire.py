"""What is asked of the service, as JSON, and what it answers: whoever it comes from, every field is checked.

An answer is numbers by their names (`models.trace.codec.pack`), a record among them, or JSON; nothing is unpickled.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from models.errors import InputError
from models.keys import KEY
from models.messages import Message
from models.sites import Site
from models.trace import plain
from models.trace.codec import pack
from models.trace.json_text import read_json
from models.trace.record import Array, TraceError
from models.translation.words import check_characters
from models.writing import Writing, read_writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from models.edits import Edit

T = TypeVar("T")

ASKED = (
    "attend",
    "facts",
    "fit",
    "replay",
    "parameters",
    "block",
    "states",
    "encodings",
    "blind",
    "paths",
    "beam",
    "logits",
)
"""What may be asked: a run, what a model is, where a text is cut, runs again, and what a walk needs besides."""

LARGEST = 2**20
"""Bytes of a request: 10,000 characters, however they are written, and the edits of the longest of texts."""

MOST_EDITS = 300
"""Edits of one run: as many as a page takes back."""

MOST_SITES = 64
MOST_ROWS = 64
"""Texts that are run again at once."""

MOST_POSITIONS = 4096
MOST_NUMBER = 2**31
OURS = "x-attention-bench"
"""The header of every answer of the service itself, which names the process: one without it is of another server."""

MILLISECONDS = "x-milliseconds"
"""The header that says how long a run took."""

PORT = "x-attention-bench-port"
"""The header in which a replica names a port of its own, at which it takes requests without a proxy between."""

SENT = "x-attention-bench-request"
"""The header that holds a short request whole: a replica of Ray Serve fetches a body apart, and waits for it."""

MOST_IN_HEADER = 4000
"""Bytes of a request that goes in its header; half of what servers and proxies take of one."""

_NAME = re.compile(r"[A-Za-z_][\w.]{0,119}", re.ASCII)
_PATTERN = re.compile(r"[a-z0-9_.*?\[\]-]{1,80}")


class RefusedError(ValueError):
    """A request that no page sends; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked."""

    asked: str  # one of `ASKED`
    key: str  # of a model
    source: str = ""  # as in the model's ``attend``
    target: str | None = None  # as in the model's ``attend``
    pair: str | None = None  # as in the model's ``attend``
    edits: tuple[Edit, ...] = ()  # as in the model's ``attend``
    sites: tuple[str, ...] = ("*.weights",)  # as in the model's ``attend``
    # of runs again: what each reads of the source (`models.translation.replaying.Orders`)
    orders: tuple[tuple[int, ...], ...] = ()
    row_edits: tuple[tuple[int, Edit], ...] = ()  # of runs again: edits of one text of the batch
    place: Site | None = None  # ``stack.layer.kind``: whose weights, or parameters, are wanted
    seed: int | None = None  # of fresh weights
    names: tuple[str, ...] = ()  # of parameters
    count: int = 0  # of positions; of logits the position; of a beam its width
    write: Writing | None = None  # as in the model's ``attend``
    alone: bool = False  # whether no other run is to be made together with it

    def to_bytes(self) -> bytes:
        """Return the request as JSON; what is as usual is left out."""
        said: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "asked" and (each.name == "key" or value != each.default):
                said[each.name] = value
        for name in said.keys() & {"edits"}:
            said[name] = [each.to_text() for each in self.edits]
        if self.row_edits:
            said["row_edits"] = [[row, each.to_text()] for row, each in self.row_edits]
        if self.place is not None:
            said["place"] = str(self.place)
        if self.write is not None:
            said["write"] = self.write.to_text()
        return json.dumps(said, separators=(",", ":")).encode()


def read_request(asked: str, data: bytes) -> Request:
    """Return the request that `Request.to_bytes` wrote."""
    if asked not in ASKED or len(data) > LARGEST:
        message = f"a request: expected one of {', '.join(ASKED)}, of {LARGEST:,} bytes at most"
        raise RefusedError(message)
    try:
        said = read_json(data, "a request")
    except TraceError as error:
        raise RefusedError(*error.args) from error
    if type(said) is not dict or not {"key"} <= said.keys() <= _READ.keys():
        message = f"a request: expected an object of key and some of {', '.join(_READ)}"
        raise RefusedError(message)
    try:
        return Request(asked, **{name: _READ[name](value, name) for name, value in said.items()})
    except TraceError as error:
        raise RefusedError(*error.args) from error


def _text(value: Any, where: str) -> str:
    said = plain.text(value, where)
    check_characters(said)
    return said


def _maybe(read: Callable[[Any, str], T]) -> Callable[[Any, str], T | None]:
    return lambda value, where: None if value is None else read(value, where)


def _matching(pattern: re.Pattern[str]) -> Callable[[Any, str], str]:
    def read(value: Any, where: str) -> str:
        if not pattern.fullmatch(said := plain.text(value, where)):
            message = f"{where}: got {said[:60]!r}, which is no such name"
            raise TraceError(message)
        return said

    return read


def _some(read: Callable[[Any, str], T], most: int) -> Callable[[Any, str], tuple[T, ...]]:
    def read_all(value: Any, where: str) -> tuple[T, ...]:
        if type(value) is list and len(value) > most:
            message = f"{where}: got {len(value):,}; expected at most {most:,}"
            raise TraceError(message)
        return plain.several(value, where, read)

    return read_all


def _natural(most: int) -> Callable[[Any, str], int]:
    def read(value: Any, where: str) -> int:
        found = plain.whole(value, where)
        if not 0 <= found < most:
            message = f"{where}: got {found}; expected 0 to {most - 1}"
            raise TraceError(message)
        return found

    return read


def _edit(value: Any, where: str) -> Edit:
    from models.edits import read_edit

    said = plain.text(value, where)
    try:
        return read_edit(said)
    except ValueError as error:
        message = f"{where}: {error}"
        raise TraceError(message) from error


def _edits(value: Any, where: str) -> tuple[Edit, ...]:
    if type(value) is list and len(value) > MOST_EDITS:
        message = Message("A run takes at most {most} edits; got {count:,}.", most=MOST_EDITS, count=len(value))
        raise InputError(message)
    return plain.several(value, where, _edit)


def _writing(value: Any, where: str) -> Writing:
    return read_writing(plain.text(value, where))


def _row_edit(value: Any, where: str) -> tuple[int, Edit]:
    if type(value) is not list or len(value) != 2:
        message = f"{where}: expected a row and an edit"
        raise TraceError(message)
    return _natural(MOST_ROWS)(value[0], where), _edit(value[1], where)


_READ: Mapping[str, Callable[[Any, str], Any]] = {
    "key": _matching(KEY),
    "source": _text,
    "target": _maybe(_text),
    "pair": _maybe(_text),
    "edits": _edits,
    "sites": _some(_matching(_PATTERN), MOST_SITES),
    "orders": _some(_some(_natural(MOST_POSITIONS), MOST_POSITIONS), MOST_ROWS),
    "row_edits": _some(_row_edit, MOST_ROWS),
    "place": _maybe(plain.read_site),
    "seed": _maybe(_natural(MOST_NUMBER)),
    "write": _writing,
    "alone": plain.flag,
    "names": _some(_matching(_NAME), MOST_SITES),
    "count": _natural(MOST_POSITIONS),
}


def numbers_as_bytes(arrays: Mapping[str, Array], **header: Any) -> bytes:
    """Return numbers by their names as `models.trace.codec.unpack` reads them."""
    file = io.BytesIO()
    pack(header, arrays, file)
    return file.getvalue()
