"""Members of a zip archive, read within bounds: of its directory, which the sender writes, no size is believed.

Python's `zipfile` reads a directory of any length and unpacks a member whole before it cuts it to size. Here every
byte is counted as it comes. Only what an npz has is read: members stored or deflated, in one part, without a password.
"""

from __future__ import annotations

import os
import zlib
from struct import Struct
from time import thread_time
from typing import Any, BinaryIO, NamedTuple, NoReturn

from models.trace.record import TraceError

MOST_MEMBERS = 4096
LONGEST_NAME = 200
"""Bytes of a member's name."""

SECONDS, SECONDS_A_BYTE = 0.1, 2.5e-8
"""Of the processor, to unpack: six times what numbers take, and a third of what tiny blocks that hold nothing take."""

_END, _ENTRY, _LOCAL = Struct("<4s4H2LH"), Struct("<4s6H3L5H2L"), Struct("<4s5H3L2H")
_SIGNS = (b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04")
_FURTHEST = _END.size + 2**16  # of the end of the directory from the end of the file: a comment stands between
_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 0x1
_AT_ONCE = 2**16


class ArchiveError(TraceError):
    """A file that is no zip archive, or not a whole one, or one of a kind that is not read."""


class TooLargeError(TraceError):
    """An archive that holds more bytes than are read."""

    def __init__(self, size: int, most: int) -> None:
        super().__init__(f"record: it holds {size:,} bytes or more; expected at most {most:,}")
        self.size = size


class _Member(NamedTuple):
    name: str
    method: int
    check: int  # CRC-32
    packed: int  # bytes in the file, and of what it holds, as the directory says
    size: int
    start: int  # of its local header


def read_members(file: BinaryIO, *, most_bytes: int) -> dict[str, bytes]:
    """Return what the members of an archive hold, by their names; raises ArchiveError or TooLargeError."""
    size = file.seek(0, os.SEEK_END)
    listed = _directory(file, size)
    if (said := sum(each.size for each in listed)) > most_bytes:
        raise TooLargeError(said, most_bytes)
    found: dict[str, bytes] = {}
    left, end = most_bytes, thread_time() + SECONDS + SECONDS_A_BYTE * most_bytes
    for each in listed:
        file.seek(each.start)
        sign, *_numbers, name, extra = _read(file, _LOCAL)
        if sign != _SIGNS[2]:
            _refuse(f"{each.name} is not where it should be")
        file.seek(name + extra, os.SEEK_CUR)
        data = _content(file, each, left, end)
        if data is None:
            raise TooLargeError(most_bytes + 1, most_bytes)
        if zlib.crc32(data) != each.check:
            _refuse(f"{each.name} is damaged")
        found[each.name] = data
        left -= len(data)
    return found


def _refuse(why: str) -> NoReturn:
    message = f"record: this is no record of attention, or not a whole one ({why})"
    raise ArchiveError(message)


def _read(file: BinaryIO, form: Struct) -> tuple[Any, ...]:
    data = file.read(form.size)
    if len(data) < form.size:
        _refuse("it ends too early")
    return form.unpack(data)


def _directory(file: BinaryIO, size: int) -> list[_Member]:
    """Return the members that the directory names: each once, together no longer than the file."""
    file.seek(max(0, size - _FURTHEST))
    tail = file.read(_FURTHEST)
    place = tail.rfind(_SIGNS[0])
    if place < 0 or len(tail) - place < _END.size:
        _refuse("it has no directory")
    _sign, *parts, count, _length, start, _comment = _END.unpack_from(tail, place)
    if any(parts[:2]) or parts[2] != count:
        _refuse("it is one part of several")
    if count > MOST_MEMBERS:
        message = f"record: got {count:,} parts; expected at most {MOST_MEMBERS:,}"
        raise TraceError(message)
    file.seek(start)
    found = {each.name: each for each in (_entry(file) for _number in range(count))}
    if len(found) != count or sum(each.packed for each in found.values()) > size:
        _refuse("its members share a name or a place")
    return list(found.values())


def _entry(file: BinaryIO) -> _Member:
    """Return the next member that a directory names."""
    sign, _made, _needed, flags, method, _time, _date, check, packed, size, name, extra, comment, *_others, start = (
        _read(file, _ENTRY)
    )
    if sign != _SIGNS[1] or name > LONGEST_NAME:
        _refuse("its directory cannot be read")
    called = file.read(name).decode("utf8", "replace")
    if flags & _ENCRYPTED or method not in (_STORED, _DEFLATED):
        _refuse(f"{called} is encrypted, or packed in a way that is not read")
    file.seek(extra + comment, os.SEEK_CUR)
    return _Member(called, method, check, packed, size, start)


def _content(file: BinaryIO, member: _Member, most: int, end: float) -> bytes | None:
    """Return what a member holds, or None if that is more than `most` bytes; the file stands where it begins."""
    if member.method == _DEFLATED:
        return _inflated(file, member.packed, most, end)
    return file.read(member.packed) if member.packed <= most else None


def _inflated(file: BinaryIO, packed: int, most: int, end: float) -> bytes | None:
    engine, data = zlib.decompressobj(-zlib.MAX_WBITS), bytearray()
    try:
        while packed > 0 and not engine.eof:
            piece = file.read(min(packed, _AT_ONCE))
            if not piece or thread_time() > end:
                break
            packed -= len(piece)
            data += engine.decompress(piece, most - len(data) + 1)
            if len(data) > most:
                return None
    except zlib.error as error:
        _refuse(str(error))
    if not engine.eof:
        _refuse("it ends too early, or takes too long to unpack")
    return bytes(data)
