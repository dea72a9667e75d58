"""Scenes as pixels: what the convolutional encoder sees. numpy only."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from models.scenes.things import THINGS, Thing, thing_of

PIXELS = 12
"""Of the side of a cell."""

RGB = {"red": (213, 60, 40), "blue": (0, 114, 178), "green": (0, 158, 115), "yellow": (240, 200, 40)}
"""Colours of things on white ground, for the model and for the screen."""

RADIUS = {"small": 0.46, "large": 0.86}
"""Half the width of a thing; a cell reaches from -1 to 1."""

SAMPLES = 4
"""A side of a pixel is cut in so many parts, to draw smooth edges."""


@cache
def corners(kind: str) -> tuple[tuple[float, float], ...]:
    """Return the corners of a kind in a circle of radius 1, x to the right and y down; none of a circle."""
    turns = {"circle": 0, "square": 4, "triangle": 3, "star": 10}[kind]
    start = -np.pi / 4 if kind == "square" else -np.pi / 2
    lengths = [0.45 if kind == "star" and turn % 2 else 1.0 for turn in range(turns)]
    angles = [start + 2 * np.pi * turn / turns for turn in range(turns)]
    return tuple((float(r * np.cos(a)), float(r * np.sin(a))) for r, a in zip(lengths, angles, strict=True))


@cache
def tiles() -> NDArray[np.float32]:
    """Return what a cell with each content looks like, [content, colour channel, row, column], ink on white as 0.

    White is 0 and full ink is below it, so that an empty cell is all zeros: what is added around the picture is white.
    """
    made = np.zeros((THINGS, 3, PIXELS, PIXELS), np.float32)
    for code in range(1, THINGS):
        thing = thing_of(code)
        if thing is not None:
            ink = np.array(RGB[thing.colour]) / 255 - 1  # white is 0
            made[code] = ink[:, None, None] * _coverage(thing)
    made.setflags(write=False)
    return made


def _coverage(thing: Thing) -> NDArray[np.float64]:
    """Return the share of each pixel that a thing covers, [row, column]."""
    count = PIXELS * SAMPLES
    at = (np.arange(count) + 0.5) / count * 2 - 1
    x, y = np.meshgrid(at, at)
    radius = RADIUS[thing.size]
    places = corners(thing.kind)
    inside = _within(places, x / radius, y / radius) if places else x**2 + y**2 <= radius**2
    share: NDArray[np.float64] = inside.reshape(PIXELS, SAMPLES, PIXELS, SAMPLES).mean(axis=(1, 3))
    return share


def _within(
    polygon: tuple[tuple[float, float], ...], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which points are inside a polygon: those from which a ray to the right crosses an odd number of sides."""
    inside = np.zeros(x.shape, dtype=bool)
    for (x1, y1), (x2, y2) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        crosses = (y1 > y) != (y2 > y)
        if y1 != y2:
            inside ^= crosses & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return inside
