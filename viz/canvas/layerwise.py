"""Overview of heads pooled layer by layer while the model runs; no whole map is kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from viz.canvas.overview import MOST_CELLS, SmallMaps, code
from viz.canvas.pooling import blocks, pooled
from viz.views.heads import HeadPlace


class LayerPooling:
    """Takes the maps of a model of one stack as they fire, and keeps each head as a small picture."""

    def __init__(self, *, whole: Collection[Site] = ()) -> None:
        self._whole = frozenset(site.place for site in whole)
        self._layers: dict[int, NDArray[np.uint8]] = {}  # [head, row, column] of each layer
        self._axes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)

    def take(self, site: Site, values: Any) -> bool:
        """Pool the weights of a layer, [1, head, query, key]; return whether the record need not keep what fired."""
        if site.quantity == "weights":
            self._layers[site.layer] = self._pooled(values[0].numpy())
        return site.place not in self._whole

    def _pooled(self, weights: NDArray[np.float32]) -> NDArray[np.uint8]:
        rows, columns = (blocks(count, MOST_CELLS) for count in weights.shape[1:])
        self._axes = rows, columns
        return np.stack([code(pooled(head, rows, columns)) for head in weights])

    @property
    def small(self) -> SmallMaps:
        """The small pictures of all heads, by layer and head; as `viz.canvas.overview.small_maps` makes them."""
        layers = sorted(self._layers)
        places = tuple(HeadPlace(layer, head) for layer in layers for head in range(len(self._layers[layer])))
        return SmallMaps(places, np.concatenate([self._layers[layer] for layer in layers]), *self._axes)
