"""What bytes from outside cost the server: memory at the peak, and seconds of the processor."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Mapping
from time import thread_time

import numpy as np

MOST_MEMORY, MOST_SECONDS = 200 * 10**6, 2.0


def assert_bounded(read: Callable[[], object]) -> None:
    """Run `read` twice, once for each measure: counting memory takes time of its own."""
    begun = thread_time()
    read()
    seconds = thread_time() - begun
    tracemalloc.start()
    try:
        read()
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert memory < MOST_MEMORY, f"{memory / 10**6:.0f} MB"
    assert seconds < MOST_SECONDS, f"{seconds:.2f} s"


def array_file(values: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, values, allow_pickle=True)
    return file.getvalue()


def header_file(text: bytes) -> bytes:
    return array_file(np.frombuffer(text, dtype=np.uint8))


def described_file(descr: str, shape: str, *, by_columns: bool = False, data: bytes = b"") -> bytes:
    """Return an array that says of itself whatever it likes."""
    said = f"{{'descr': {descr}, 'fortran_order': {by_columns}, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(said).to_bytes(2, "little") + said + data


def archive(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        for name, data in members.items():
            made.writestr(f"{name}.npy", data)
    return file.getvalue()


FIELDS = {"flags": (8, "<H"), "method": (10, "<H"), "check": (16, "<I"), "packed": (20, "<I"), "size": (24, "<I"),
          "name": (28, "<H"), "extra": (30, "<H"), "comment": (32, "<H"), "start": (42, "<I")}  # fmt: skip
"""Where the entry of a directory has what it says."""


def lying(data: bytes, **said: int) -> bytes:
    """Return an archive whose directory says something else of each member."""
    made, place = bytearray(data), data.find(b"PK\x01\x02")
    while place >= 0:
        for field, value in said.items():
            offset, form = FIELDS[field]
            struct.pack_into(form, made, place + offset, value % 2 ** (8 * struct.calcsize(form)))
        place = data.find(b"PK\x01\x02", place + 1)
    return bytes(made)


def tiny_blocks(megabytes: int) -> bytes:
    """Return a deflated member of blocks that each bring tables and no byte: the slowest way to say nothing."""
    bits: list[int] = []

    def put(value: int, count: int) -> None:
        bits.extend(value >> each & 1 for each in range(count))

    for _ in range(8):  # 90 bits each: together whole bytes
        for value, count in ((0, 1), (2, 2), (0, 5), (0, 5), (14, 4)):
            put(value, count)
        for symbol in (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1):
            put(int(symbol in (1, 18)), 3)
        for value, count in ((1, 1), (127, 7), (1, 1), (107, 7), (0, 1), (0, 1), (0, 1)):
            put(value, count)
    unit = np.packbits(np.array(bits, dtype=np.uint8), bitorder="little").tobytes()
    packed = unit * (megabytes * 10**6 // len(unit))
    return lying(archive({"header": packed}, zipfile.ZIP_STORED), method=8, check=zlib.crc32(b""), size=0)
