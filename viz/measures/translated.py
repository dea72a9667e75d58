"""Word links of a translation, from the map closest to word alignment."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.keys import is_pretrained
from models.measures.texts import strongest_cells
from models.trace import Alignment, AttentionTrace
from models.trace.tokens import word_positions
from viz.views.view import Unit, choose_view


def translated_cells(trace: AttentionTrace, unit: Unit, alignment: Alignment | None = None) -> NDArray[np.bool_] | None:
    """Return which key each query of a cross map is linked with, its rows labelled by the token written.

    A written word is linked with the source word that its row weighs most; special tokens are linked with nothing.

    Shapes: returns [query, key].
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
    return strongest_cells(weights, columns, rows, len(view.weights))
