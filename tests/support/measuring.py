"""One number of heads, [head, query, key], as `models.measures` works it out for a text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.measures.chance import Odds, chance_of
from models.measures.reading import Reading
from models.measures.texts import repeated_cells

Numbers = NDArray[np.float64]


def reading_of(weights: NDArray, *, causal: bool = False) -> tuple[Reading, tuple[int, ...]]:
    """Return the reading of heads, or of one, with the shape of what is measured of them."""
    values = np.asarray(weights)
    heads = values.reshape(int(np.prod(values.shape[:-2])), *values.shape[-2:])
    return Reading.of(heads, causal=causal), values.shape[:-2]


def relative_entropy(weights: NDArray, *, causal: bool = False) -> Numbers:
    reading, shape = reading_of(weights, causal=causal)
    return reading.relative_entropy().reshape(shape)


def mean_distance(weights: NDArray) -> Numbers:
    reading, shape = reading_of(weights)
    return reading.mean_distance().reshape(shape)


def offset_share(weights: NDArray, offset: int) -> Numbers:
    reading, shape = reading_of(weights)
    return reading.share(reading.offset_given(offset)).reshape(shape)


def key_share(weights: NDArray, key: int) -> Numbers:
    return keys_share(weights, [key] if np.shape(weights)[-1] else [])


def keys_share(weights: NDArray, keys: Sequence[int]) -> Numbers:
    reading, shape = reading_of(weights)
    places = np.zeros((1, np.shape(weights)[-1]), dtype=bool)
    places[0, list(keys)] = True
    return reading.share(reading.key_given(places)).reshape(shape)


def cells_share(weights: NDArray, cells: NDArray[np.bool_]) -> Numbers:
    reading, shape = reading_of(weights)
    return reading.share(reading.cells_given(cells[None])).reshape(shape)


def repeated_share(weights: NDArray, names: Sequence[Hashable], *, causal: bool = False) -> Numbers:
    reading, shape = reading_of(weights, causal=causal)
    cells = repeated_cells(tuple(names), causal=causal)[None]
    return reading.rows_share(cells, reading.cells_given(cells)).reshape(shape)


def unread_share(weights: NDArray) -> Numbers:
    reading, shape = reading_of(weights)
    return reading.unread_share().reshape(shape)


def odds_of(weights: NDArray, cells: NDArray[np.bool_], *, causal: bool = False) -> tuple[Odds, ...]:
    """Return how what each head gives to `cells` compares with chance."""
    reading, _shape = reading_of(weights, causal=causal)
    readable = np.tril(np.ones(cells.shape, dtype=bool)) if causal else np.ones(cells.shape, dtype=bool)
    counted = (cells & readable).sum(axis=1)[None, None]
    given = reading.cells_given(cells[None])[..., None]
    found = chance_of(given, reading.moments, reading.readable, counted, np.ones(1))
    pairs = zip(found.times[0, :, 0], found.deviations[0, :, 0], strict=True)
    return tuple(Odds(float(one), float(other)) for one, other in pairs)
