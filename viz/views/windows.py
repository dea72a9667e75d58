"""Windows of local attention on a map: centre, edges and Gaussian width, in columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.views.view import View

CENTRE = "centre"
"""The companion of a map that holds its windows, [head, query, 2]: centre and half-width, in pieces from 0."""


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of a map, a row a query, in columns of the view; column j reaches from j - 0.5 to j + 0.5."""

    # [query] The centre, and the outer edges of the first and the last piece that may be read
    centre: NDArray[np.float64]
    # [query] The centre, and the outer edges of the first and the last piece that may be read
    left: NDArray[np.float64]
    # [query] The centre, and the outer edges of the first and the last piece that may be read
    right: NDArray[np.float64]
    # [query] One standard deviation of the Gaussian to either side; None where there is no Gaussian
    sigma_left: NDArray[np.float64] | None
    # [query] One standard deviation of the Gaussian to either side; None where there is no Gaussian
    sigma_right: NDArray[np.float64] | None


def windows_of(view: View) -> Windows | None:
    """Return the windows of the map that `view` shows; None where attention is not local, or they were not captured.

    Rows of a word with several pieces have the mean of the centres and edges of these.
    """
    pieces = view.trace[view.shown.site]
    if CENTRE not in pieces.companions or view.hidden_keys or view.hidden_queries:
        return None
    head = 0 if view.head == "mean" else view.head
    centre, width = np.moveaxis(np.asarray(pieces.companions[CENTRE], dtype=np.float64)[head], -1, 0)
    count = len(pieces.key_tokens)
    first = np.clip(np.ceil(centre - width), 0, count - 1)
    last = np.clip(np.floor(centre + width), 0, count - 1)
    columns = [centre, first - 0.5, last + 0.5]
    gaussian = "raw_weights" in pieces.companions
    if gaussian:  # sigma is D / 2, Luong et al. 2015, equation 10
        columns += [centre - width / 2, centre + width / 2]
    if view.unit == "word":
        columns = [_in_words(each, pieces.key_tokens) for each in columns]
        rows = view.trace.target_input if view.reading == "input" else pieces.query_tokens
        columns = [_by_row(each, rows) for each in columns]
    return Windows(columns[0], columns[1], columns[2], *(columns[3:] if gaussian else (None, None)))


def _in_words(places: NDArray[np.float64], keys: TokenSequence) -> NDArray[np.float64]:
    """Turn places counted in pieces to places counted in words: a word's pieces share its column evenly."""
    words = np.asarray(keys.words)
    counts = np.bincount(words)
    edges = np.concatenate(([0.0], np.cumsum(1 / counts[words]))) - 0.5  # left edge of each piece, then the right end
    found: NDArray[np.float64] = np.interp(places, np.arange(len(keys) + 1) - 0.5, edges)
    return found


def _by_row(values: NDArray[np.float64], rows: TokenSequence) -> NDArray[np.float64]:
    words = np.asarray(rows.words)
    found: NDArray[np.float64] = np.bincount(words, values) / np.bincount(words)
    return found
