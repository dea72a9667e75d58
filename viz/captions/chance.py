"""Captions of a map compared with its chance level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from viz.text import tokens
from viz.text.language import _, _n, listed
from viz.views.view import View


def rows_without(beyond: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the rows, of a map [query, key], in which no cell lies beyond the band.

    Shapes: `beyond` [query, key].
    """
    return tuple(int(row) for row in np.flatnonzero(~beyond.any(axis=1)))


def sentence_of_chance(view: View, beyond: NDArray[np.bool_], expected: float, by_sample: NDArray[np.int64]) -> str:
    """Say how much of a map is more than chance, beside what chance gives, and name the rows of which nothing is.

    Shapes: `beyond` [query, key]; `by_sample` [sample].
    """
    texts: Sequence[str] = view.shown.query_tokens.texts
    empty = [f"“{tokens.visible(texts[row])}”" for row in rows_without(beyond)]
    said = _n(
        "{some} of {count} weight is outside the chance range (about {expected} expected by chance).",
        "{some} of {count} weights are outside the chance range (about {expected} expected by chance).",
        beyond.size,
        some=int(beyond.sum()),
        expected=round(beyond.size * expected),
    )
    said += " " + _(
        "Random samples, each compared with the others: {least} to {most}.",
        least=int(by_sample.min()),
        most=int(by_sample.max()),
    )
    if not empty:
        return said
    return said + " " + _("Rows with no weight outside the chance range: {words}.", words=listed(empty))
