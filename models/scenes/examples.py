"""Scenes to begin with, by their names."""

from __future__ import annotations

from collections.abc import Mapping

from models.messages import mark
from models.scenes.things import CELLS, Scene, scene_of

FIRST = scene_of("small yellow circle,,,,large red circle,small red circle,,,small green triangle")
"""What a visitor sees first."""

EXAMPLES: Mapping[str, tuple[str, Scene]] = {
    "first": (mark("four things"), FIRST),
    "two": (
        mark("two groups"),
        scene_of(
            ",,large yellow star,large yellow star,small green triangle,small green triangle,small green triangle,,"
        ),
    ),
    "full": (
        mark("nine things"),
        scene_of(
            "small red triangle,small yellow square,small red triangle,small yellow square,small yellow square,"
            "small red triangle,small yellow square,small yellow square,small red triangle"
        ),
    ),
    "unseen": (mark("a combination never seen in training"), scene_of(",large red star,,,,small blue triangle,,,")),
    "one": (mark("one thing"), scene_of(",,,,,,,large yellow triangle,")),
    "empty": (mark("nothing"), (None,) * CELLS),
}
"""Of each its title, a marked message, and the scene."""
