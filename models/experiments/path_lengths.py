"""How far a word is from the state of another in an encoder: steps of computation between them, in numpy.

A layer is what it lets the state of one place read: `RECURRENT` its own input and the state before it, in each of two
directions; `ATTENTION` the inputs of all places; a convolution those of its window, written as its width. Each counts
one step from what it reads to what it makes, Vaswani et al. 2017, table 1; Hochreiter et al. 2001.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ATTENTION, RECURRENT = 0, -1
"""Layers; any other number is the width of a convolution's window."""

MOST = 48
"""Tokens of a text whose gradients are computed, the end among them: that of each state by each token."""


@dataclass(frozen=True, slots=True)
class LayerForm:
    """What the cost of the first encoder layer follows from; `models.experiments.length_costs` computes it."""

    kind: int  # `ATTENTION`, `RECURRENT`, or the width of a convolution's window
    per_token: int  # multiplications for each token, whatever the others are: one for each number of its matrices
    d_state: int  # numbers of the state that it hands on for each token
    heads: int  # of attention; 0 without
    layers: int  # that the encoder has


@dataclass(frozen=True, eq=False)
class Paths:
    """What lies between the words of a text and the states that an encoder makes of them."""

    # [state, word] The fewest layers and recurrent steps on a way from the embedding of a word to a state; inf if there
    # is none
    steps: Numbers
    # [state, word] The size of the derivative of the state by the embedding: the square root of the sum of its squares
    gradients: Numbers
    in_turn: int  # layers and recurrent steps that have to wait for each other
    products: int  # multiplications with an addition that the encoder does for the text
    form: LayerForm

    def arrays(self) -> dict[str, Numbers]:
        """Return all of it as numbers by their names; `from_arrays` makes it again."""
        counts = np.array([self.in_turn, self.products, *astuple(self.form)], dtype=np.float64)
        return {"steps": self.steps, "gradients": self.gradients, "counts": counts}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Numbers]) -> Paths:
        """Return what `arrays` wrote."""
        in_turn, products, *form = map(int, arrays["counts"])
        return cls(arrays["steps"], arrays["gradients"], in_turn, products, LayerForm(*form))


def fewest_steps(layers: Sequence[int], places: int) -> Numbers:
    """Return the fewest steps from the embedding of each word to each state, [state, word], layer upon layer."""
    found = np.where(np.eye(places, dtype=bool), 0.0, np.inf)
    for layer in layers:
        if layer == RECURRENT:
            found = np.minimum(_read_onward(found), _read_onward(found[::-1])[::-1])
        else:
            reach = places if layer == ATTENTION else layer // 2
            found = 1 + np.array([found[max(at - reach, 0) : at + reach + 1].min(axis=0) for at in range(places)])
    return found


def _read_onward(inputs: Numbers) -> Numbers:
    """Return the steps to the states of one direction: each reads its input, and the state before it."""
    states: list[Numbers] = []
    for each in inputs:
        states.append(1 + (np.minimum(each, states[-1]) if states else each))
    return np.array(states)


def steps_in_turn(layers: Sequence[int], places: int) -> int:
    """Return how many steps have to wait for each other; what has not runs at once."""
    return sum(places if layer == RECURRENT else 1 for layer in layers)


def by_distance(values: Numbers) -> Numbers:
    """Return the mean of `values`, [state, word], over all pairs of each distance from 0 on.

    Shapes: `values` [state, word].
    """
    places = len(values)
    apart = np.abs(np.subtract.outer(np.arange(places), np.arange(places)))
    return np.array([values[apart == distance].mean() for distance in range(places)])
