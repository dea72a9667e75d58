"""Pyramid of convolutions of the RCTM, computed from the model's parameters.

Kalchbrenner and Blunsom 2013, section 3: E_1 = the embeddings, E_i = tanh(K * E_(i-1)), feature by feature, until one
vector e is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.networks.folding import pyramid_widths

Numbers = NDArray[np.float64]

KERNELS = 11
"""Kernels of either kind: widths 2 to 12."""

PARAMETERS = (
    "embedding.weight",
    *(f"pyramid.{kind}.{place}" for kind in ("kernels", "tops") for place in range(KERNELS)),
)
"""What is asked of the model, by the names of `models.experiments.arithmetic.parameters_at`."""


@dataclass(frozen=True, eq=False)
class Pyramid:
    """A sentence folded."""

    rows: tuple[Numbers, ...]  # [cell, d] The embeddings first, the one vector last
    kernels: tuple[Numbers, ...]  # [width, d] Between one row and the next

    @property
    def top(self) -> Numbers:
        """The one vector e, [d]."""
        top: Numbers = self.rows[-1][0]
        return top

    @property
    def reaches(self) -> tuple[int, ...]:
        """How many tokens a cell of each row is made of: its own and the next ones."""
        return tuple(int(each) for each in np.cumsum([1, *(len(kernel) - 1 for kernel in self.kernels)]))

    @property
    def slopes(self) -> tuple[Numbers, ...]:
        """How far the one vector moves with each cell of each row: the size of its derivative, [cell] each.

        No feature enters another, so that the derivative is one number a feature, and its size the root of the sum of
        their squares.
        """
        found = [np.ones_like(self.rows[-1])]
        for row, kernel in zip(self.rows[:0:-1], self.kernels[::-1], strict=True):
            inner = found[-1] * (1 - row**2)
            below = np.zeros((len(row) + len(kernel) - 1, row.shape[1]))
            for place, weights in enumerate(kernel):
                below[place : place + len(row)] += inner * weights
            found.append(below)
        return tuple(np.linalg.norm(each, axis=1) for each in found[::-1])


def embedded(parameters: Mapping[str, NDArray[np.float32]], ids: Sequence[int]) -> Numbers:
    """Return E_1, [token, d]: the embeddings, scaled to unit variance."""
    table = parameters["embedding.weight"]
    scaled: Numbers = table[list(ids)].astype(np.float64) * table.shape[1] ** 0.5
    return scaled


def fold(parameters: Mapping[str, NDArray[np.float32]], entering: Numbers) -> Pyramid:
    """Fold a text.

    Shapes: `entering` [token, d].
    """
    widths = pyramid_widths(len(entering), KERNELS + 1)
    rows, kernels = [entering], []
    for place, width in enumerate(widths):
        kind = "tops" if place == len(widths) - 1 else "kernels"
        kernel = np.asarray(parameters[f"pyramid.{kind}.{width - 2}"][0], dtype=np.float64)
        windows = np.lib.stride_tricks.sliding_window_view(rows[-1], width, axis=0)  # [cell, d, width]
        rows.append(np.tanh(np.einsum("cdw,wd->cd", windows, kernel)))
        kernels.append(kernel)
    return Pyramid(tuple(rows), tuple(kernels))


def moved_without(parameters: Mapping[str, NDArray[np.float32]], ids: Sequence[int]) -> Numbers:
    """Return how far the one vector moves when each token alone is taken out, [token], as a share of its length."""
    entering = embedded(parameters, ids)
    top = fold(parameters, entering).top
    found = []
    for place in range(len(ids)):
        without = entering.copy()
        without[place] = 0
        found.append(float(np.linalg.norm(fold(parameters, without).top - top)))
    return np.array(found) / max(float(np.linalg.norm(top)), 1e-12)


def cosine(one: Numbers, other: Numbers) -> float:
    """Return the cosine of two vectors, 0 if one of them has no length.

    Shapes: `one` [d]; `other` [d].
    """
    sizes = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / sizes if sizes else 0.0
