"""Word links extracted from a map; numpy only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import numpy as np

from models.experiments.alignment import Extractor
from models.experiments.links import Link, grown_links, strongest_sources
from models.trace import TokenSequence
from viz.views.view import View

Linking = Literal["none", "strongest", "grown"]

EXTRACTORS: Mapping[Linking, Extractor] = MappingProxyType({"strongest": strongest_sources, "grown": grown_links})
"""How links are read off a map: of each row the strongest, or grown from the maxima of rows and columns."""


def aligned_cells(view: View, linking: Linking) -> tuple[tuple[int, int], ...]:
    """Return the cells of a view that are links: the query and the key of each, upper rows first."""
    if linking == "none":
        return ()
    queries, keys = (_plain(each) for each in (view.shown.query_tokens, view.shown.key_tokens))
    links = links_of_words(view, linking)
    return tuple(sorted((queries[target], keys[source]) for source, target in links))


def links_of_words(view: View, linking: Linking) -> frozenset[Link]:
    """Return the links of a view: pairs of a source word and a target word, without special tokens."""
    queries, keys = (_plain(each) for each in (view.shown.query_tokens, view.shown.key_tokens))
    weights = view.weights[np.ix_(queries, keys)]
    return EXTRACTORS[linking](weights) if weights.size else frozenset()


def words_of(tokens: TokenSequence) -> tuple[str, ...]:
    """Return the words of a text, without what begins or ends it."""
    words = tokens.to_words()
    return tuple(words.texts[place] for place in _plain(words))


def _plain(tokens: TokenSequence) -> list[int]:
    return [place for place in range(len(tokens)) if place not in tokens.specials]
