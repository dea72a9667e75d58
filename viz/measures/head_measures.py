"""The numbers that describe heads: what each is, and of which maps it means something."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from models.trace import Alignment
from viz.measures.distance import mean_distance, offset_share
from viz.measures.entropy import mean_entropy, relative_entropy
from viz.measures.labels import UNREAD
from viz.measures.shares import cells_share, key_share, keys_share, repeated_cells, repeated_share, unread_share
from viz.measures.translated import moved, translated_cells
from viz.text.tokens import is_punctuation
from viz.views.hiding import word_positions
from viz.views.view import View, key_pieces

NEAR = 2
"""Tokens at either side that are near."""

ENCODER, DECODER, CROSS = ("encoder", "self"), ("decoder", "self"), ("decoder", "cross")


@dataclass(frozen=True, slots=True)
class Sample:
    """What is measured: the heads of one layer on one text.

    Parameters
    ----------
    weights : array, [head, query, key]
    causal : bool
        Whether a query could read only keys at or before its own position.
    specials : tuple of int
        Positions of the keys that are special tokens.
    names : tuple
        What each key token is, such that the same token stands twice where two are equal. Special tokens are all
        different.
    rows_sum_to_one : bool
        False where rows may give something to no token.
    marks : tuple of int
        Positions of the keys that are punctuation.
    links : bool array, [query, key], optional
        Of a cross map: which key the word that a row writes is linked with, if that is known.
    """

    weights: NDArray[Any]
    causal: bool = False
    specials: tuple[int, ...] = ()
    names: tuple[Hashable, ...] = ()
    rows_sum_to_one: bool = True
    marks: tuple[int, ...] = ()
    links: NDArray[np.bool_] | None = None

    @property
    def delimiters(self) -> tuple[int, ...]:
        """Punctuation and special tokens after the first token, which has a measure of its own."""
        return tuple(sorted({*self.specials, *self.marks} - {0}))

    def linked(self, steps: int = 0) -> NDArray[np.bool_]:
        """Return the links of the word `steps` later than the one that each row writes: [query, key].

        Parameters
        ----------
        steps : int, optional
            -1: of the word before.
        """
        cells = np.zeros(self.weights.shape[1:], dtype=bool) if self.links is None else self.links
        return moved(cells, steps) if steps else cells

    def around(self, *offsets: int) -> NDArray[np.bool_]:
        """Return the cells whose key stands at one of `offsets` from its query: [query, key].

        Parameters
        ----------
        *offsets : int
            -1: the token before.
        """
        queries, keys = self.weights.shape[1:]
        return np.isin(np.arange(keys)[None, :] - np.arange(queries)[:, None], offsets)

    def under(self, *places: int) -> NDArray[np.bool_]:
        """Return the cells of the keys at `places`: [query, key].

        Parameters
        ----------
        *places : int
            Positions.
        """
        queries, keys = self.weights.shape[1:]
        return np.broadcast_to(np.isin(np.arange(keys), places), (queries, keys))


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that describes a head on one sentence.

    Parameters
    ----------
    key : str
        What code calls it; what a reader calls it stands in `viz.captions.measures`.
    compute : callable
        From a `Sample` to a number a head.
    places : tuple of (str, str)
        Stack and kind of the maps where it means something.
    is_share : bool
        Whether it lies between 0 and 1.
    needs : callable, optional
        Tells whether it says anything of a `Sample`; left out, of any.
    cells : callable, optional
        Of a share of a pattern: which cells of a `Sample` follow it.
    """

    key: str
    compute: Callable[[Sample], NDArray[np.float64]]
    places: tuple[tuple[str, str], ...] = (ENCODER, DECODER, CROSS)
    is_share: bool = True
    needs: Callable[[Sample], bool] | None = None
    cells: Callable[[Sample], NDArray[np.bool_]] | None = None


def _near(sample: Sample) -> NDArray[np.bool_]:
    return sample.around(*range(-NEAR, 1 if sample.causal else NEAR + 1))


def _linked(steps: int) -> dict[str, Any]:
    """Return what is measured of the links of the word `steps` later than the one being written."""
    return {
        "compute": lambda sample: cells_share(sample.weights, sample.linked(steps)),
        "cells": lambda sample: sample.linked(steps),
        "places": (CROSS,),
        "needs": lambda sample: sample.links is not None,
    }


def _at(offset: int, *places: tuple[str, str]) -> dict[str, Any]:
    """Return what is measured of the token `offset` places from the one that reads."""
    return {
        "compute": lambda sample: offset_share(sample.weights, offset),
        "cells": lambda sample: sample.around(offset),
        "places": places,
    }


MEASURES = (
    Measure("entropy", lambda sample: mean_entropy(sample.weights), is_share=False),
    Measure("breadth", lambda sample: relative_entropy(sample.weights, causal=sample.causal)),
    Measure("distance", lambda sample: mean_distance(sample.weights), (ENCODER, DECODER), is_share=False),
    Measure("aligned", **_linked(0)),
    Measure("behind", **_linked(-1)),
    Measure("ahead", **_linked(1)),
    Measure("previous", **_at(-1, ENCODER, DECODER)),
    Measure("same", **_at(0, ENCODER, DECODER)),
    Measure("next", **_at(1, ENCODER)),
    Measure("near", lambda sample: cells_share(sample.weights, _near(sample)), (ENCODER, DECODER), cells=_near),
    Measure("first", lambda sample: key_share(sample.weights, 0), cells=lambda sample: sample.under(0)),
    Measure("last", lambda sample: key_share(sample.weights, -1), (ENCODER, CROSS)),
    Measure(
        "delimiter",
        lambda sample: keys_share(sample.weights, sample.delimiters),
        needs=lambda sample: bool(sample.delimiters),
        cells=lambda sample: sample.under(*sample.delimiters),
    ),
    Measure(
        "repeated",
        lambda sample: repeated_share(sample.weights, sample.names, causal=sample.causal),
        (ENCODER, DECODER),
        needs=lambda sample: len(set(sample.names)) < len(sample.names),
        cells=lambda sample: repeated_cells(sample.names, causal=sample.causal),
    ),
    Measure(UNREAD, lambda sample: unread_share(sample.weights), needs=lambda sample: not sample.rows_sum_to_one),
)
"""In the order of a table's columns."""


def measures_for(site: Site, sample: Sample | None = None) -> tuple[Measure, ...]:
    """Return the measures that mean something for the map at `site`, and for the text of `sample`.

    Without `sample`, those that mean something for any text.

    Parameters
    ----------
    site : Site
    sample : Sample, optional
    """
    return tuple(
        measure
        for measure in MEASURES
        if (site.stack, site.kind) in measure.places
        and (measure.needs is None or (sample is not None and measure.needs(sample)))
    )


def sample_of(view: View, specials: Sequence[int] | None = None, alignment: Alignment | None = None) -> Sample:
    """Return what is measured of `view`: all heads of its map.

    Parameters
    ----------
    view : View
        With nothing hidden: a share of the reading is one of all that the model read.
    specials : sequence of int, optional
        Positions of special tokens among the pieces of the keys' text; left out, those that the trace names.
    alignment : Alignment, optional
        As `viz.measures.translated.translated_cells` takes it.

    Raises
    ------
    ValueError
        If tokens of `view` are hidden, or a position is not one of the text.
    """
    if view.hidden_keys or view.hidden_queries:
        message = f"{view.shown.site}: measured is the whole of a map; got one with hidden tokens"
        raise ValueError(message)
    keys = key_pieces(view)
    specials = keys.specials if specials is None else specials
    if any(not 0 <= place < len(keys) for place in specials):
        message = f"{view.shown.site}: special tokens stand at 0 to {len(keys) - 1}; got {tuple(specials)}"
        raise ValueError(message)
    places = word_positions(keys, specials) if view.unit == "word" else tuple(specials)
    shown = view.shown
    texts = shown.key_tokens.texts
    names = [place if place in places else text.strip() for place, text in enumerate(texts)]
    marks = tuple(place for place, text in enumerate(texts) if is_punctuation(text))
    links = translated_cells(view.trace, view.unit, alignment) if shown.site.kind == "cross" else None
    return Sample(shown.weights, shown.causal, places, tuple(names), shown.rows_sum_to_one, marks, links)
