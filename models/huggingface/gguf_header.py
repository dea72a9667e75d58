"""The header of a GGUF file, read within bounds: what it says of sizes is held against the file before it is used.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Importing it imports neither torch nor transformers.
"""

from __future__ import annotations

import mmap
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, NoReturn

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from models.errors import InputError
from models.messages import Message

LARGEST_HEADER = 64_000_000
"""Bytes of a header, vocabulary included."""

MOST_TENSORS, MOST_DIMENSIONS, MOST_ELEMENTS, MOST_ITEMS = 100_000, 4, 2**40, 2_000_000

_MAGIC, _VERSIONS, _ALIGNMENT, _LARGEST_ALIGNMENT = b"GGUF", (2, 3), 32, 2**16
_SHORTEST_ENTRY, _SHORTEST_TENSOR = 13, 33  # bytes: an empty name and one byte; an empty name and one dimension
_LONGEST_NAMED = 60
_FORMATS: Mapping[GGUFValueType, str] = {
    GGUFValueType.UINT8: "B",
    GGUFValueType.INT8: "b",
    GGUFValueType.BOOL: "?",
    GGUFValueType.UINT16: "H",
    GGUFValueType.INT16: "h",
    GGUFValueType.UINT32: "I",
    GGUFValueType.INT32: "i",
    GGUFValueType.FLOAT32: "f",
    GGUFValueType.UINT64: "Q",
    GGUFValueType.INT64: "q",
    GGUFValueType.FLOAT64: "d",
}
_NOT_READ = frozenset(("I8", "I16", "I32", "I64", "F64", "Q8_1", "Q8_K", "Q1_0"))
"""Types of tensors of which `gguf` makes no numbers: whole numbers, activations."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where one tensor is in the file, and how its numbers are stored."""

    name: str
    shape: tuple[int, ...]  # in the order of torch
    kind: GGMLQuantizationType
    start: int  # bytes from the beginning of the file
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says of itself; of its lists only how long they are."""

    metadata: Mapping[str, Any]
    tensors: tuple[Tensor, ...]

    @property
    def quantisation(self) -> str:
        """The kind in which most of the bytes are stored, such as ``Q4_1``."""
        sizes: dict[GGMLQuantizationType, int] = {}
        for each in self.tensors:
            sizes[each.kind] = sizes.get(each.kind, 0) + each.size
        return str(max(sizes, key=lambda kind: sizes[kind]).name)


def read_header(path: Path, title: str) -> Header:
    """Return the header of a GGUF file; InputError if it is none, or says what cannot be."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reading(data, title).header()
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        message = Message("{title} cannot be opened: it is not a GGUF file.", title=title)
        raise InputError(message) from error


class _Reading:
    """One pass over a header."""

    def __init__(self, data: mmap.mmap, title: str) -> None:
        self.data, self.title, self.place = data, title, 0
        self.items = 0  # elements of all lists so far

    def header(self) -> Header:
        """Return the header, each thing in it checked when it is read."""
        if self.bytes(4) != _MAGIC:
            self.refuse(Message("it is not a GGUF file"))
        (version,) = self.numbers("I")
        if version not in _VERSIONS:
            self.refuse(Message("its GGUF version, {version}, is not supported here", version=version))
        tensors, entries = self.numbers("QQ")
        rest = min(len(self.data), LARGEST_HEADER)
        if tensors > min(MOST_TENSORS, rest // _SHORTEST_TENSOR) or entries > rest // _SHORTEST_ENTRY:
            self.refuse(
                Message(
                    "it claims {tensors:,} tensors and {entries:,} settings, more than it can contain",
                    tensors=tensors,
                    entries=entries,
                )
            )
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = self.string()
            if key in metadata:
                self.refuse(Message("its setting {name} appears twice", name=_named(key)))
            metadata[key] = self.value()
        if not isinstance(metadata.get("general.architecture"), str):
            self.refuse(Message("it does not name its architecture"))
        return Header(metadata, self.tensors(tensors, metadata.get("general.alignment", _ALIGNMENT)))

    def tensors(self, count: int, alignment: Any) -> tuple[Tensor, ...]:
        """Return where all tensors are: inside the file, one behind the other."""
        fits = isinstance(alignment, int) and 0 < alignment <= _LARGEST_ALIGNMENT and alignment & (alignment - 1) == 0
        if not fits:
            self.refuse(Message("its alignment, {alignment}, is not a power of two", alignment=_named(str(alignment))))
        found = [self.tensor() for _ in range(count)]
        if not found:
            self.refuse(Message("it has no tensors"))
        (name, times), *_ = Counter(each.name for each in found).most_common(1)
        if times > 1:
            self.refuse(Message("its tensor {name} appears twice", name=_named(name)))
        begin = -(-self.place // alignment) * alignment
        placed = [Tensor(each.name, each.shape, each.kind, begin + each.start, each.size) for each in found]
        for each in placed:
            if each.start % alignment or each.start + each.size > len(self.data):
                self.refuse(
                    Message(
                        "the file is cut off: tensor {name} should end at byte {end:,}, but the file ends at "
                        "byte {size:,}",
                        name=_named(each.name),
                        end=each.start + each.size,
                        size=len(self.data),
                    )
                )
        for one, other in pairwise(sorted(placed, key=lambda each: each.start)):
            if one.start + one.size > other.start:
                self.refuse(
                    Message(
                        "its tensors {one} and {other} overlap in the file",
                        one=_named(one.name),
                        other=_named(other.name),
                    )
                )
        return tuple(placed)

    def tensor(self) -> Tensor:
        """Return what one entry of the table of tensors says, its place from the first tensor on."""
        name = self.string()
        (count,) = self.numbers("I")
        if not 0 < count <= MOST_DIMENSIONS:
            self.refuse(
                Message(
                    "its tensor {name} has {count:,} dimensions; only 1 to 4 are allowed",
                    name=_named(name),
                    count=count,
                )
            )
        shape = self.numbers(f"{count}Q")[::-1]
        number, start = self.numbers("IQ")
        kind = _known(GGMLQuantizationType, number)
        if kind is None or kind.name in _NOT_READ or kind not in GGML_QUANT_SIZES:
            self.refuse(
                Message(
                    "its tensor {name} has an unsupported type, {kind}",
                    name=_named(name),
                    kind=number if kind is None else kind.name,
                )
            )
        elements, (block, size) = prod(shape), GGML_QUANT_SIZES[kind]
        if not 0 < elements <= MOST_ELEMENTS or shape[-1] % block:
            self.refuse(
                Message(
                    "its tensor {name} has an impossible size, {shape}",
                    name=_named(name),
                    shape=" x ".join(map(str, shape)),
                )
            )
        return Tensor(name, shape, kind, start, elements // block * size)

    def value(self) -> Any:
        """Return one value; of a list how many elements it has."""
        kind = self.type()
        if kind is GGUFValueType.STRING:
            return self.string()
        if kind is not GGUFValueType.ARRAY:
            return self.numbers(_FORMATS[kind])[0]
        of = self.type()
        (count,) = self.numbers("Q")
        self.items += count
        if of is GGUFValueType.ARRAY or self.items > MOST_ITEMS:
            self.refuse(Message("it contains a list that is too long or nested"))
        if of is not GGUFValueType.STRING:
            self.bytes(count * struct.calcsize(_FORMATS[of]))
            return count
        for _ in range(count):
            self.string()
        return count

    def type(self) -> GGUFValueType:
        """Return of which type the next value is."""
        (number,) = self.numbers("I")
        kind: GGUFValueType | None = _known(GGUFValueType, number)
        if kind is None:
            self.refuse(Message("one of its settings has an unknown type, {kind}", kind=number))
        return kind

    def string(self) -> str:
        """Return the next string."""
        (length,) = self.numbers("Q")
        try:
            return self.bytes(length).decode()
        except UnicodeDecodeError:
            self.refuse(Message("it contains text that is not UTF-8"))

    def numbers(self, form: str) -> tuple[Any, ...]:
        """Return the next numbers."""
        return struct.unpack(f"<{form}", self.bytes(struct.calcsize(f"<{form}")))

    def bytes(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        end = self.place + count
        if end > min(len(self.data), LARGEST_HEADER):
            self.refuse(Message("its header is cut off, or claims to be larger than the file"))
        found = self.data[self.place : end]
        self.place = end
        return found

    def refuse(self, reason: Message) -> NoReturn:
        """Raise InputError."""
        message = Message("{title} cannot be opened: {reason}.", title=self.title, reason=reason)
        raise InputError(message)


def _known(kinds: Any, number: int) -> Any:
    """Return the kind of a number; None if there is none."""
    return next((each for each in kinds if each == number), None)


def _named(text: str) -> str:
    """Return a name of the file as a message repeats it."""
    return repr(text[:_LONGEST_NAMED])
