"""Settings of the Training page, and the points that exist."""

from __future__ import annotations

from models.mechanisms import multi_head
from viz.text.language import mark
from viz.widgets.language_pair import LANGUAGES
from viz.widgets.sentence import SENTENCE, USUAL
from viz.widgets.settings import Choice
from viz.widgets.shared_settings import COLOUR, UNIT

AUTHOR = f"{multi_head().key}-{USUAL}"
"""Whose translation all are made to write: of our models the one that translates best."""

GOLD = "everyday.gold"
"""The alignments that the error is measured on: pairs of the kind that people type."""

FIRST_SHOWN = 13
"""The point that is shown first: there one model aligns already, another begins to, and the third does not."""

SHORT = "My sister is reading a book in the kitchen."
"""A sentence as short as those that these models learnt from."""

OWN, ONE = "own", "one"
POINT = Choice("point", title=mark("Tokens seen in training: drag, from noise to alignment"), shape="slider")
ALIGN = Choice(
    "align",
    title=mark("Translation to align"),
    choices={ONE: mark("same for all, by a trained Transformer"), OWN: mark("free translation at this point")},
)
CURVES, WRONG, BIRTH = "curves", "wrong", "birth"
MEASURED = Choice(
    "measured",
    title=mark("What was measured"),
    choices={
        CURVES: mark("loss and alignment"),
        WRONG: mark("how training goes wrong"),
        BIRTH: mark("an induction head being born"),
    },
)
MEASURED_FIGURES = (
    "training-updates",
    "figure-wrong",
    "figure-wrong-gradients",
    "training-born",
    "figure-birth",
    "figure-birth-maps",
)
"""Keys of what the latter two show."""
UPDATES = Choice("updates", title=mark("Updates of the four twins: drag to the end of training"), shape="slider")
BORN = Choice("born", title=mark("Updates: drag, from even weights to an induction head"), shape="slider")
SETTINGS = (SENTENCE, LANGUAGES, POINT, ALIGN, UNIT, COLOUR, MEASURED, UPDATES, BORN)
