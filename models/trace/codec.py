"""A record as a file or as bytes: what crosses from process to process, and what may be kept, sent and opened again.

An npz of numpy without objects: ``header`` is JSON, in UTF-8; ``map.0.weights`` the weights of the first map,
``map.0.scores`` its companion of that name; ``vectors`` the final vectors. Every array is read with nothing executed;
bytes are counted as they are unpacked, and every field is checked before a record is made of it.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any, BinaryIO, TypeVar

import numpy as np

from models.messages import Message
from models.sites import QUANTITIES
from models.trace import plain
from models.trace.archive import read_members
from models.trace.attention_map import HALF_TOLERANCE, ZEROED, AttentionMap
from models.trace.json_text import read_json
from models.trace.record import Array, TraceError
from models.trace.tokens import TokenSequence, hop_tokens
from models.trace.trace_parts import TraceParts
from models.trace.written import read_written, write_written

T = TypeVar("T")
Made = TypeVar("Made", bound=TraceParts)

File = str | PathLike[str] | BinaryIO

FORMAT, VERSION = "attention-trace", 1
MOST_BYTES = 2**30
"""What a file may hold unpacked: more than the largest record that a page makes."""

MOST_UPLOADED = 20 * 10**6
"""Bytes of a file that *Open …* on Bench and Heads takes, and of all that is in it, unpacked."""

_ROUNDED = Message("weights saved in float16: rounded to three digits")

MOST_HOPS = 128
_HEADER = "header"
_FIELDS = (
    "format",
    "version",
    "source",
    "target",
    "target_input",
    "maps",
    "steps",
    "source_text",
    "output_text",
    "provenance",
    "predictions",
)
_MAP = ("site", "head_names", "rows_sum_to_one", "causal", "companions")
_LIKE_WEIGHTS = ("scores", "mask", "raw_weights")
_NPY = b"\x93NUMPY\x01\x00"
_LENGTH = 2  # bytes of the length of an array's description
_NUMBERS = "[<|][fiub][0-9]{1,2}"  # floating, whole, unsigned, true or false; lowest byte first
_SHAPE = "(?:[0-9]{1,18}, ?)*(?:[0-9]{1,18})?"
_DESCRIBED = re.compile(rf"\{{'descr': '({_NUMBERS})', 'fortran_order': False, 'shape': \(({_SHAPE})\),? ?\}} *\n?")


def write(trace: TraceParts, file: File, *, dtype: str = "float32") -> int:
    """Write `trace` as `AttentionTrace.save` says, and return how many bytes of numbers it has."""
    arrays: dict[str, Array] = {}
    maps = tuple(each.weighed() for each in trace.maps)  # what is moved is computed of them again
    trace = replace(trace, maps=maps, quantity="weights")
    for index, each in enumerate(trace):
        arrays[f"map.{index}.weights"] = each.weights.astype(dtype, copy=False)
        arrays |= {f"map.{index}.{name}": values for name, values in each.companions.items()}
    if trace.vectors is not None:
        arrays["vectors"] = trace.vectors
    if dtype != "float32" and _ROUNDED not in trace.provenance.notes:
        about = replace(trace.provenance, notes=(*trace.provenance.notes, _ROUNDED))
        trace = replace(trace, provenance=about)
    pack(_header(trace), arrays, file)
    return sum(each.nbytes for each in arrays.values())


def pack(header: dict[str, Any], arrays: Mapping[str, Array], file: File) -> None:
    """Write numbers by their names and a header that JSON can hold, in the form that `unpack` reads."""
    words = json.dumps(header, separators=(",", ":")).encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, values in {_HEADER: np.frombuffer(words, dtype=np.uint8), **arrays}.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(values), allow_pickle=False)
            named = zipfile.ZipInfo(f"{name}.npy")  # no clock time: same record, same file
            archive.writestr(named, member.getvalue())


def _header(trace: TraceParts) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": plain.write_tokens(trace.source),
        "target": plain.write_tokens(trace.target),
        "target_input": plain.write_tokens(trace.target_input),
        "maps": [
            {
                "site": str(each.site),
                "head_names": list(each.head_names),
                "rows_sum_to_one": each.rows_sum_to_one,
                "causal": each.causal,
                "companions": list(each.companions),
            }
            for each in trace
        ],
        "steps": [plain.write_step(each) for each in trace.steps],
        "source_text": str(trace.source_text),
        "output_text": str(trace.output_text),
        "provenance": plain.write_provenance(trace.provenance),
        "predictions": [plain.write_prediction(each) for each in trace.predictions],
        **({"classes": [list(each) for each in trace.classes]} if trace.classes else {}),
        **({"written": write_written(trace.written)} if trace.written else {}),
    }


def to_bytes(trace: TraceParts) -> bytes:
    """Return what `write` writes."""
    file = io.BytesIO()
    write(trace, file)
    return file.getvalue()


def read(made: type[Made], file: File, *, most_bytes: int = MOST_BYTES) -> Made:
    """Read what `write` wrote, as `AttentionTrace.load` says, and make a record of the class `made` of it."""
    header, arrays = unpack(file, most_bytes=most_bytes)
    return _guarded(lambda: made(**_parts(header, arrays)))


def unpack(file: File, *, most_bytes: int = MOST_BYTES) -> tuple[Any, dict[str, Array]]:
    """Return the header and the arrays of what `pack` wrote; nothing is executed, bytes are counted as they come."""
    with open(file, "rb") if isinstance(file, str | PathLike) else nullcontext(file) as opened:
        members = read_members(opened, most_bytes=most_bytes)
    arrays: dict[str, Array] = {}
    while members:  # an array without a copy owns its bytes: none is held twice
        name, data = members.popitem()
        arrays[name.removesuffix(".npy")] = _array(name, data)
    return read_json(_taken(arrays, _HEADER).tobytes(), "record, header"), arrays


def _guarded(read_on: Callable[[], T]) -> T:
    """Return what `read_on` makes of a header; whatever it stumbles over is a TraceError."""
    try:
        return read_on()
    except TraceError:
        raise
    except (RecursionError, ValueError, OverflowError) as error:  # a number of 5,000 digits is a ValueError
        message = f"record: its header cannot be read ({error})"
        raise TraceError(message) from error


def _array(name: str, data: bytes) -> Array:
    """Read an array of numbers that owns no more than `data`, without a copy."""
    start = len(_NPY) + _LENGTH
    end = start + int.from_bytes(data[len(_NPY) : start], "little")
    described = _DESCRIBED.fullmatch(data[start:end].decode("latin-1"))
    if not data.startswith(_NPY) or described is None:
        message = f"record, {name}: expected numbers that fit, by rows, in version 1.0 of numpy's format"
        raise TraceError(message)
    shape = tuple(int(each) for each in described[2].split(",") if each.strip())
    try:
        dtype = np.dtype(described[1])
        if math.prod(shape) * dtype.itemsize != len(data) - end:
            message = f"{len(data) - end} bytes"
            raise ValueError(message)
        return np.ndarray(shape, dtype, buffer=data, offset=end)
    except (TypeError, ValueError) as error:
        message = f"record, {name}: got {described[0][:200]} and {error}; expected numbers that fit"
        raise TraceError(message) from error


def _taken(arrays: dict[str, Array], name: str) -> Array:
    if name not in arrays:
        message = f"record: the array {name} is missing; there are {', '.join(sorted(arrays)[:20]) or 'none'}"
        raise TraceError(message)
    return arrays.pop(name)


def _parts(header: Any, arrays: dict[str, Array]) -> dict[str, Any]:
    if type(header) is not dict or header.get("format") != FORMAT or header.get("version") != VERSION:
        got = [header.get(name) for name in ("format", "version")] if type(header) is dict else header
        message = f"record: got the format {got!r}; this version of the bench reads {[FORMAT, VERSION]!r}"
        raise TraceError(message)
    classes = header.pop("classes", [])  # of a classifier alone: records before it have none
    written = header.pop("written", None)  # of a causal model that wrote
    found = dict(zip(_FIELDS, plain.fields_of(header, "header", *_FIELDS), strict=True))
    source, target, target_input = (
        plain.read_tokens(found[name], name) for name in ("source", "target", "target_input")
    )
    axes = {"encoder": source, "decoder": target_input if len(target) else source}
    described = plain.several(found["maps"], "maps", lambda each, at: tuple(plain.fields_of(each, at, *_MAP)))
    maps = [_map(index, each, arrays, axes, (target, source)) for index, each in enumerate(described)]
    vectors = arrays.pop("vectors", None)
    if vectors is not None and vectors.dtype != np.float32:
        message = f"record: got vectors of {vectors.dtype}; expected float32"
        raise TraceError(message)
    if arrays:
        message = f"record: no map names the arrays {', '.join(sorted(arrays)[:20])}"
        raise TraceError(message)
    return {
        "source": source,
        "target": target,
        "target_input": target_input,
        "maps": tuple(maps),
        "steps": plain.several(found["steps"], "steps", plain.read_step),
        "source_text": plain.text(found["source_text"], "source_text"),
        "output_text": plain.text(found["output_text"], "output_text"),
        "provenance": plain.read_provenance(found["provenance"], "provenance"),
        "predictions": plain.several(found["predictions"], "predictions", plain.read_prediction),
        "vectors": vectors,
        "classes": plain.pairs(classes, "classes"),
        "written": None if written is None else read_written(written, "written"),
    }


def _map(
    index: int,
    described: tuple[Any, ...],
    arrays: dict[str, Array],
    own: dict[str, TokenSequence],
    crossed: tuple[TokenSequence, TokenSequence],
) -> AttentionMap:
    named, head_names, rows_sum_to_one, causal, companions = described
    where = f"map {index}"
    site = plain.read_site(named, where)
    names = plain.texts(companions, f"{where}, companions")
    if not set(names) <= {*QUANTITIES, ZEROED} - {"weights"}:
        message = f"record, {where}: got companions {names}; expected some of {', '.join(QUANTITIES)}"
        raise TraceError(message)
    weights = _taken(arrays, f"map.{index}.weights")
    if weights.dtype not in (np.float32, np.float16):
        message = f"record, {where}: got weights of {weights.dtype}; expected float32 or float16"
        raise TraceError(message)
    queries, keys = (own[site.stack],) * 2 if site.kind == "self" else crossed
    if site.kind == "hops":
        queries = hop_tokens(min(weights.shape[1], MOST_HOPS) if weights.ndim == 3 else 0)
    also = {name: _taken(arrays, f"map.{index}.{name}") for name in names}
    for name, values in also.items():
        if values.ndim != 3 or (name in _LIKE_WEIGHTS and values.shape != weights.shape):
            message = f"record, {where}: got {name} of shape {values.shape}; the weights have {weights.shape}"
            raise TraceError(message)
    whole = plain.flag(rows_sum_to_one, f"{where}, rows_sum_to_one")
    return AttentionMap(
        site=site,
        weights=weights if weights.dtype == np.float32 else _unrounded(weights, whole=whole),
        query_tokens=queries,
        key_tokens=keys,
        head_names=plain.texts(head_names, f"{where}, head_names"),
        companions=also,
        rows_sum_to_one=whole,
        causal=plain.flag(causal, f"{where}, causal"),
    )


def _unrounded(weights: Array, *, whole: bool) -> Array:
    """Return weights of float16 as float32; rows that must be `whole`, within their rounding, sum to 1 again."""
    wide = weights.astype(np.float32)
    sums = wide.sum(axis=-1, keepdims=True)  # [head, query, 1]
    return wide / sums if whole and wide.size and np.abs(sums - 1).max() < HALF_TOLERANCE else wide
