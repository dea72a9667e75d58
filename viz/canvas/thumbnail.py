"""A small map as a picture in HTML, with the cells that are meant framed."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.canvas.overview import MOST_CELLS
from viz.canvas.pooling import blocks, pooled
from viz.figures.drawing.theme import WEIGHT_SCALE, Colour

MOST_FRAMED = 24
"""Cells that are framed; of more the map alone is shown."""


def thumbnail(weights: NDArray[Any], cells: NDArray[np.bool_], *, alt: str, colour: Colour = "linear") -> str:
    """Return the map of one head as HTML; of a long text each cell is the largest of a few.

    Shapes: `weights`, `cells` [query, key].
    """
    rows, columns = (blocks(count, MOST_CELLS) for count in weights.shape)
    small, meant = pooled(weights, rows, columns), pooled(cells.astype(np.uint8), rows, columns).astype(bool)
    frames = "".join(_frame(int(row), int(column), small.shape) for row, column in np.argwhere(meant)[:MOST_FRAMED])
    picture = b64encode(_png(_painted(small, colour))).decode("ascii")
    wide = f"aspect-ratio:{small.shape[1]}/{small.shape[0]}"
    image = f'<img alt="{escape(alt)}" src="data:image/png;base64,{picture}">'
    return f'<div class="thumbnail" style="{wide}">{image}{frames if meant.sum() <= MOST_FRAMED else ""}</div>'


def _frame(row: int, column: int, shape: tuple[int, ...]) -> str:
    high, wide = 100 / shape[0], 100 / shape[1]
    return f'<i style="left:{column * wide:.2f}%;top:{row * high:.2f}%;width:{wide:.2f}%;height:{high:.2f}%"></i>'


def _painted(weights: NDArray[Any], colour: Colour) -> NDArray[np.uint8]:
    """Return the colours of a map: [row, column, channel]."""
    places = np.clip(weights if colour == "linear" else np.sqrt(np.maximum(weights, 0)), 0, 1)
    ends = [end for end, _shade in WEIGHT_SCALE]
    channels = [[int(shade[at : at + 2], 16) for _end, shade in WEIGHT_SCALE] for at in (1, 3, 5)]
    return np.stack([np.rint(np.interp(places, ends, each)) for each in channels], axis=-1).astype(np.uint8)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return an RGB picture in PNG, each line unfiltered: [row, column, 3]."""
    high, wide = pixels.shape[:2]
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
