"""Scenes: nine cells, each empty or with one thing of a kind, a colour and a size. Pure Python and numpy."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from models.errors import InputError
from models.messages import Message, mark

KINDS = (mark("circle"), mark("square"), mark("triangle"), mark("star"))
COLOURS = (mark("red"), mark("blue"), mark("green"), mark("yellow"))
SIZES = (mark("small"), mark("large"))
SIDE = 3
CELLS = SIDE * SIDE
ROWS = (mark("top"), mark("middle"), mark("bottom"))
COLUMNS = (mark("left"), mark("centre"), mark("right"))
EMPTY = 0
THINGS = 1 + len(KINDS) * len(COLOURS) * len(SIZES)
"""How many contents a cell can have; 0 is none."""

HELD_OUT = frozenset({("red", "star"), ("blue", "triangle")})
"""Colours with shapes that no training scene has: each of them is seen in other combinations."""

MOST_KINDS = 4  # different things in a random scene


class Thing(NamedTuple):
    """What one cell has."""

    kind: str
    colour: str
    size: str

    @property
    def code(self) -> int:
        """Its number among the contents of a cell, from 1."""
        place = KINDS.index(self.kind) * len(COLOURS) + COLOURS.index(self.colour)
        return 1 + place * len(SIZES) + SIZES.index(self.size)

    @property
    def text(self) -> str:
        """It in words, such as "small red circle"."""
        return f"{self.size} {self.colour} {self.kind}"


Scene = tuple[Thing | None, ...]
"""Nine cells, row by row from the top left."""


def thing_of(code: int) -> Thing | None:
    """Return the thing with this number; None of an empty cell."""
    if code == EMPTY:
        return None
    place, size = divmod(code - 1, len(SIZES))
    kind, colour = divmod(place, len(COLOURS))
    return Thing(KINDS[kind], COLOURS[colour], SIZES[size])


def codes_of(scene: Scene) -> tuple[int, ...]:
    """Return the number of what each cell has."""
    return tuple(each.code if each else EMPTY for each in scene)


def to_text(scene: Scene) -> str:
    """Return a scene as text: nine cells with commas between them, each empty or such as "small red circle"."""
    return ",".join(each.text if each else "" for each in scene)


def scene_of(text: str) -> Scene:
    """Return the scene that `to_text` wrote; InputError if it is none."""
    cells = text.split(",")
    if len(cells) != CELLS:
        message = Message(
            "A scene has {cells} cells with commas between them; this text has {count}.",
            cells=CELLS,
            count=len(cells),
        )
        raise InputError(message)
    return tuple(_thing(each) for each in cells)


def _thing(text: str) -> Thing | None:
    words = text.lower().split()
    if not words:
        return None
    if len(words) == 3 and words[0] in SIZES and words[1] in COLOURS and words[2] in KINDS:
        return Thing(words[2], words[1], words[0])
    message = Message(
        "“{text}” is no thing of a scene. Write a size ({sizes}), a colour ({colours}) and a kind ({kinds}), such as "
        "“small red circle”, or leave the cell empty.",
        text=text.strip()[:60],
        sizes=", ".join(SIZES),
        colours=", ".join(COLOURS),
        kinds=", ".join(KINDS),
    )
    raise InputError(message)


def has_held_out(scene: Scene) -> bool:
    """Return whether a thing of the scene has a colour and a shape that training never combines."""
    return any(each is not None and (each.colour, each.kind) in HELD_OUT for each in scene)


def seen_things(*, held_out: bool) -> tuple[Thing, ...]:
    """Return the things whose combination of colour and shape training never has, or all others."""
    every = (each for each in map(thing_of, range(1, THINGS)) if each is not None)
    return tuple(each for each in every if ((each.colour, each.kind) in HELD_OUT) == held_out)


def random_scene(chance: np.random.Generator, things: Collection[Thing]) -> Scene:
    """Draw a scene: how many things (0 to 9), up to four different ones of `things`, and where each is."""
    count = int(chance.integers(CELLS, endpoint=True))
    if not count:
        return (None,) * CELLS
    pool = tuple(things)
    different = int(chance.integers(1, min(count, MOST_KINDS), endpoint=True))
    kinds = [pool[each] for each in chance.choice(len(pool), different, replace=False)]
    chosen = [*kinds, *(kinds[each] for each in chance.integers(different, size=count - different))]
    cells: list[Thing | None] = [*chosen, *[None] * (CELLS - count)]
    return tuple(cells[each] for each in chance.permutation(CELLS))


def scene_by_seed(seed: int) -> Scene:
    """Return the scene that a seed draws from all things."""
    return random_scene(np.random.default_rng(seed), (*seen_things(held_out=False), *seen_things(held_out=True)))
