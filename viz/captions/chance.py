"""What is said of a map beside what chance gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from viz.text import tokens
from viz.text.language import _, _n, listed
from viz.views.view import View


def rows_without(beyond: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the rows, of a map [query, key], in which no cell lies beyond the band.

    Parameters
    ----------
    beyond : bool array, [query, key]
        Where a weight lies outside the band.
    """
    return tuple(int(row) for row in np.flatnonzero(~beyond.any(axis=1)))


def sentence_of_chance(view: View, beyond: NDArray[np.bool_]) -> str:
    """Say how much of a map is more than chance, and name the rows of which nothing is.

    Parameters
    ----------
    view : View
    beyond : bool array, [query, key]
        Where its weight lies outside the band of chance.
    """
    texts: Sequence[str] = view.shown.query_tokens.texts
    empty = [f"“{tokens.visible(texts[row])}”" for row in rows_without(beyond)]
    said = _n(
        "{some} of {count} weight is outside what chance gives.",
        "{some} of {count} weights are outside what chance gives.",
        beyond.size,
        some=int(beyond.sum()),
    )
    if not empty:
        return said
    return said + " " + _("Nothing is left of the rows of {words}.", words=listed(empty))
