"""From how many tokens on a model may attend otherwise than on a short text, told by its configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

_WORDS = ("window", "block", "topk", "top_k", "chunk", "local", "sparse", "radius", "stride", "segment", "landmark")
_OTHERS = frozenset(("chunk_size_feed_forward",))
"""Settings with such a word that say nothing of attention."""


def telling_length(config: Mapping[str, Any], longest: int) -> int:
    """Return a number of tokens beyond every window, block or count of keys that can matter; 0 if none can.

    Blocks are chosen by their number: what two settings give together is taken into account as well.
    """
    sizes = set(_sizes(config))
    products = {one * other for one, other in combinations(sorted(sizes), 2)} | {2 * size for size in sizes}
    fitting = [size for size in sizes | products if size < longest]
    return min(longest, max(fitting) + max(fitting) // 4 + 1) if fitting else 0


def _sizes(config: Mapping[Any, Any]) -> Iterator[int]:
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _sizes(value)
        elif any(word in str(name) for word in _WORDS) and name not in _OTHERS:
            for each in value if isinstance(value, list | tuple) else (value,):
                if isinstance(each, int) and not isinstance(each, bool) and each > 1:
                    yield each
