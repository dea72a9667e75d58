"""Settings of the Scenes page, and the scenes that it offers."""

from __future__ import annotations

from models.errors import InputError
from models.scenes.examples import FIRST
from models.scenes.things import CELLS, scene_of, to_text
from viz.text.counting import FIRST_POSITION
from viz.text.language import mark
from viz.widgets.settings import Choice, Data, Found
from viz.widgets.shared_settings import COLOUR, PICTURE


def _read(text: str) -> Found:
    """Return the scene that a link names; another where it names none, which is said."""
    if not text:
        return Found(FIRST)
    try:
        return Found(scene_of(text))
    except InputError:
        return Found(FIRST, text[:60])


SCENE = Data("scene", parse=_read, show=lambda scene: "" if scene == FIRST else to_text(scene))
CELL = Choice(
    "cell",
    title=mark("Cell"),
    choices={str(each + FIRST_POSITION): str(each + FIRST_POSITION) for each in range(CELLS)},
)
OWN, RIGHT = "own", "right"
CAPTION = Choice(
    "caption",
    title=mark("Caption"),
    choices={OWN: mark("each model's own caption"), RIGHT: mark("the right caption for all")},
)
LIKELIEST = "0"
DRAW = Choice(
    "draw",
    title=mark("Hard attention"),
    choices={LIKELIEST: mark("hard: the most likely cell")} | {str(seed): "" for seed in range(1, 10)},
    shape="box",
)
NO_EDIT, EVEN, STRONGEST, FLAT, SHARP, HIDE, FORCE = "none", "even", "strongest", "flat", "sharp", "hide", "force"
EDIT = Choice(
    "edit",
    title=mark("Edit"),
    choices={
        NO_EDIT: mark("no edit"),
        EVEN: mark("spread each row evenly"),
        STRONGEST: mark("keep only the strongest cell"),
        FLAT: mark("flatten (temperature 3)"),
        SHARP: mark("sharpen (temperature 0.3)"),
        HIDE: mark("hide the selected cell"),
        FORCE: mark("attend only to the selected cell"),
    },
    shape="box",
)
MOST_READ = "most"
"""What the link calls the cell with most weight."""

WORD = Choice("word", anew_with=(SCENE.name,))
READS = Choice("reads", anew_with=(SCENE.name,))
STEP = Choice("step")
SETTINGS = (SCENE, CELL, CAPTION, DRAW, EDIT, COLOUR, PICTURE, WORD, READS, STEP)
