"""Steps of a walk from a trace's numbers to the context vector; no Streamlit, no torch.

A walk is data: a formula whose terms have names, and the parts that compute them, in order (`viz.walk.mechanisms`).
Each part makes one `WalkStep` of a `Scene`: one query of one map with one of its keys. Its numbers are those of
the trace's companions; what a step works out in digits is held against the number that the model itself went on with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from models.sites import Site
from models.trace import AttentionTrace
from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.views.view import with_named_rows
from viz.walk.digits import Waterfall
from viz.walk.scene import Letters, Numbers, Scene


@dataclass(frozen=True, slots=True)
class Worked:
    """One number worked out in digits."""

    lines: tuple[str, ...]  # laTeX, one equation a line, aligned at ``&``
    computed: float  # what the digits give
    captured: float  # what the model itself went on with
    fall: Waterfall | None = None  # the sum in it, by its largest parts


@dataclass(frozen=True, slots=True, eq=False)
class WalkStep:
    """One step of a walk."""

    key: str  # the name of the formula's term that it computes
    title: str  # what is done, in a few words
    says: str  # one sentence of plain words
    strips: tuple[Strip, ...]  # what is given, then what is made
    worked: Worked | None = None  # the chosen pair, or one component, in digits


@dataclass(frozen=True, slots=True)
class Part:
    """What computes one term of a formula."""

    key: str  # the term's name
    title: str  # marked for translation
    # gives words, strips and digits for a scene; None where the step does not take place
    build: Callable[[Scene], tuple[str, tuple[Strip, ...], Worked | None] | None]
    parameters: tuple[str, ...] = ()  # what it needs, by the names of `models.experiments.arithmetic.parameters_at`


@dataclass(frozen=True, slots=True)
class Walk:
    """How a mechanism comes to its weights, and what it does with them."""

    formula: tuple[str, ...]  # its lines: LaTeX, terms as ``[[name:...]]``; see `viz.walk.formula.mathml`
    parts: tuple[Part, ...]  # in the order of the computation
    letters: Letters = field(default_factory=Letters)
    needs_states: bool = False  # whether it asks for the states of the decoder
    note: str = ""  # what else is to be said of the formula; empty if nothing
    ending: str = mark("the likeliest next words")  # what the last step's list is called
    of_self: Walk | None = None  # how it comes to the weights of self-attention, where that is another way
    also: tuple[str, ...] = ()  # further maps, as ``stack.layer.kind``, whose companions its steps need
    back: int = 0  # how many of the last tokens it goes on from, where it weighs none; 0: from all of the source

    def at(self, place: Site | None) -> Walk:
        """Return the walk of the attention at `place`."""
        return self.of_self if self.of_self is not None and place is not None and place.kind == "self" else self

    @property
    def parameters(self) -> tuple[str, ...]:
        """All that its parts need, each once."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.parameters))


def strongest_key(weights: Numbers) -> int:
    """Return the key that a row of weights reads most.

    Shapes: `weights` [key].
    """
    return int(np.argmax(weights))


def look_at(
    walk: Walk,
    trace: AttentionTrace,
    *,
    row: int,
    place: Site | str | None = None,
    head: int = 0,
    column: int | None = None,
    parameters: Mapping[str, Numbers],
    states: Sequence[Numbers] = (),
    vector: Numbers | None = None,
    is_last: bool = False,
) -> Scene:
    """Return one query of `trace` with the key that is worked out."""
    shown = None if place is None else with_named_rows(trace[place])
    scene = Scene(trace, shown, head, row, 0, parameters, states, vector, walk.letters, is_last)
    if not 0 <= row < len(scene.queries) or (shown is not None and not 0 <= head < len(shown.head_names)):
        message = f"no row {row} of head {head}; there are {len(scene.queries)} rows"
        raise IndexError(message)
    if shown is None:
        return scene
    chosen = strongest_key(shown.weights[head, row]) if column is None else column
    if not 0 <= chosen < scene.count:
        message = f"no key {chosen} for row {row} to read; there are {scene.count}"
        raise IndexError(message)
    return replace(scene, column=chosen)


def take_steps(walk: Walk, scene: Scene) -> tuple[WalkStep, ...]:
    """Walk through a scene."""
    steps = []
    for part in walk.parts:
        built = part.build(scene)
        if built is not None:
            steps.append(WalkStep(part.key, _(part.title), *built))
    return tuple(steps)
