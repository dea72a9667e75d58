"""Settings of the Surgery page."""

from __future__ import annotations

from viz.text.language import mark
from viz.widgets.edits.in_force import EDITS
from viz.widgets.language_pair import LANGUAGES
from viz.widgets.masking import MASKED
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Choice, TextSetting
from viz.widgets.shared_settings import COLOUR, PICTURE, QUANTITY, UNIT

PAIR, OPERATED = "pair of languages", "model that is operated on"
"""What settings belong to."""

MODEL = Choice("model", title=mark("Model"), shape="box", anew_with=(PAIR,))
SHOWN = Choice("shown", title=mark("Which map is shown"), shape="box", anew_with=(OPERATED,))
NO_CHECK = "none"
CHECK = Choice(
    "check",
    title=mark("Look further"),
    choices={
        NO_CHECK: mark("no further look"),
        "heads": mark("which heads matter here"),
        "words": mark("leave each word out"),
        "chance": mark("more than chance?"),
        "patch": mark("which heads carry a difference"),
    },
)
OTHER = TextSetting("other")
AGAINST = Choice(
    "against",
    title=mark("Chance"),
    choices={"weights": mark("against random weights"), "order": mark("against shuffled words")},
)

SETTINGS = (SENTENCE, MASKED, LANGUAGES, MODEL, QUANTITY, UNIT, COLOUR, PICTURE, EDITS, SHOWN, CHECK, AGAINST, OTHER)
