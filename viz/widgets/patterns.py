"""Patterns of sparse attention by name: what they are called, and what their number means."""

from __future__ import annotations

from collections.abc import Mapping

from viz.text.language import mark

PATTERN_TITLES: Mapping[str, str] = {
    "near": mark("sliding window"),
    "stride": mark("stride"),
    "block": mark("blocks"),
    "top_k": mark("top-k"),
}

SIZE_TITLES: Mapping[str, str] = {
    "near": mark("Subwords on each side"),
    "stride": mark("Distance between keys"),
    "block": mark("Subwords in a block"),
    "top_k": mark("Largest weights kept"),
}

SIZES = (1, 2, 3, 4, 6, 8, 12, 16)
