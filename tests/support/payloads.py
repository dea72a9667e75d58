"""What canvases are fed with, read as its description says."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest


def decode(payload: bytes) -> tuple[dict[str, Any], np.ndarray]:
    """Return the header of a payload and its maps, [head, row, column]: an overview's bytes, picked heads' weights."""
    header, cells = _unpack(payload)
    shape = len(header["heads"]), len(header["rows"]) - 1, len(header["columns"]) - 1
    kind = "<f4" if "layouts" in header else np.uint8
    return header, np.frombuffer(cells, kind).reshape(shape)


def header_of(payload: bytes) -> dict[str, Any]:
    """Return the header of a payload that holds nothing else."""
    header, cells = _unpack(payload)
    assert not cells
    return header


def walk_of(app: AppTest) -> dict[str, Any]:
    """Return what the walk of a page is fed with."""
    assert not app.exception
    (found,) = [each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes]
    return header_of(found)


def _unpack(payload: bytes) -> tuple[dict[str, Any], bytes]:
    plain = zlib.decompress(payload)
    (length,) = struct.unpack("<I", plain[:4])
    return json.loads(plain[4 : 4 + length].decode("ascii")), plain[4 + length :]


def decode_alignment(payload: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return the header of the Bench's picture, and the map of each panel that has one, [query, key]."""
    header, cells = _unpack(payload)
    weights, maps, start = np.frombuffer(cells, "<f4"), [], 0
    for rows in (len(panel["rows"]) for panel in header["panels"]):
        size = rows * len(header["tokens"])
        maps.append(weights[start : start + size].reshape(rows, len(header["tokens"])))
        start += size
    assert start == len(weights)
    return header, [each for each in maps if each.size]


def alignment(app: AppTest) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return what the picture of the Bench is fed with, as `decode_alignment` gives it."""
    (found,) = [each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes]
    return decode_alignment(found)


def canvases(app: AppTest) -> list[tuple[dict[str, Any], np.ndarray]]:
    """Return what each canvas of a page is fed with, as `decode` gives it."""
    assert not app.exception
    shown = [each.proto for each in app.get("bidi_component") if not each.proto.component_name.endswith("foreseen")]
    return [decode(each.bytes) for each in shown if each.bytes]


def overview(app: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """Return what the canvas of all heads is fed with: its header, and bytes [head, row, column]."""
    (found,) = [each for each in canvases(app) if "layouts" not in each[0]]
    return found


def compared(app: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """Return what the canvas of picked heads is fed with: its header, and weights [head, query, key]."""
    (found,) = [each for each in canvases(app) if "layouts" in each[0]]
    return found
