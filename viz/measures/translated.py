"""Which source word each written word is linked with, read off the map of a model that comes closest to alignment."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.keys import is_pretrained
from models.trace import Alignment, AttentionTrace
from viz.views.hiding import word_positions
from viz.views.view import Unit, choose_view


def translated_cells(trace: AttentionTrace, unit: Unit, alignment: Alignment | None = None) -> NDArray[np.bool_] | None:
    """Return which key each query of a cross map is linked with, its rows labelled by the token written.

    A written word is linked with the source word that its row weighs most; special tokens are linked with nothing.

    Parameters
    ----------
    trace : AttentionTrace
        Of a translation.
    unit : {"word", "piece"}
    alignment : Alignment, optional
        The map, head and reading that align best on sentences aligned by hand. Left out, those of the trace, if they
        were measured: of a pretrained model nobody has.

    Returns
    -------
    bool array, [query, key], or None
        None if no map is known to align, or that map was not captured.
    """
    if alignment is None and is_pretrained(trace.provenance.checkpoint):
        return None
    known = alignment or trace.provenance.alignment
    if known.site.place not in trace:
        return None
    view = choose_view(trace, unit=unit, site=known.site, head=known.head, reading=known.reading)
    weights = view.weights[1:] if known.reading == "input" else view.weights
    columns, rows = (
        word_positions(text, text.specials) if unit == "word" else text.specials
        for text in (trace.source, trace.target)
    )
    weights = np.array(weights)
    weights[:, list(columns)] = -1
    cells = np.zeros(view.weights.shape, dtype=bool)
    if weights.size and len(columns) < weights.shape[1]:
        cells[np.arange(len(weights)), weights.argmax(axis=1)] = True
    cells[list(rows)] = False
    return cells


def moved(cells: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
    """Return the links of the word `steps` later than the one that each row writes: nothing past either end.

    Parameters
    ----------
    cells : bool array, [query, key]
    steps : int
        -1: those of the word before.

    Examples
    --------
    >>> moved(np.eye(3, dtype=bool), 1).astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    found = np.zeros_like(cells)
    if steps > 0:
        found[:-steps] = cells[steps:]
    else:
        found[-steps:] = cells[: len(cells) + steps]
    return found
