"""Settings of the Bench."""

from __future__ import annotations

from viz.pages.bench.hand_links import read_links, show_links
from viz.text.language import mark
from viz.widgets.asked_heads import ASK, ASKED_KEY, QUERY
from viz.widgets.language_pair import LANGUAGES
from viz.widgets.opened.settings import SHOW, WHICH
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Choice, Data, Several, TextSetting
from viz.widgets.shared_settings import COLOUR, PICTURE, UNIT, ZEROABLE
from viz.widgets.wrong_word import INSTEAD, REPLACED, REPLACED_OF

OWN, TEXT = "own", "text"
"""What the link calls each model's own translation to be aligned on, and one that the reader types."""

YEAR, AGREEMENT, ENTROPY = "year", "agreement", "entropy"
AUTOMATIC = "card"
"""What the link calls what a model's card names: its layer and head, and what labels its rows."""

DIFFERENCE, MULTIPLES, SUMMARY, NUMBERS = "difference", "differences", "summary", "numbers"
WINDOW, HAND, PREDICT, PYRAMID, DRAWN = "window", "hand", "predict", "pyramid", "draws"
WRONG, BEAM, ROUNDS = "wrong", "beam", "rounds"

TARGET = TextSetting("target")
MECHANISMS = Several("mechanisms", title=mark("Mechanisms"), least=1)
ALIGN = Choice("align", title=mark("Translation to align"), shape="box")
READING = Choice(
    "reading",
    title=mark("Row labels"),
    choices={
        AUTOMATIC: mark("rows: best for each model"),
        "written": mark("the word written"),
        "input": mark("the word read in"),
    },
)
LINKS = Choice(
    "links",
    title=mark("Ringed alignment links"),
    choices={
        "none": mark("none"),
        "strongest": mark("the strongest of each row"),
        "grown": mark("grown from rows and columns"),
    },
)
ORDER = Choice(
    "order",
    title=mark("Order of the mechanisms"),
    choices={
        YEAR: mark("by year"),
        AGREEMENT: mark("by agreement with the chosen one"),
        ENTROPY: mark("sharpest first"),
    },
)
ALSO = Several("also", title=mark("Show below"))
CHOSEN = Choice(
    "chosen",
    title=mark("Reference mechanism"),
    shape="box",
    anew_with=(MECHANISMS.name,),
)
FIRST = Choice("first", title=mark("First"), shape="box", anew_with=(MECHANISMS.name,))
SECOND = Choice("second", title=mark("Second"), shape="box", anew_with=(MECHANISMS.name,))
TABLE = Choice("table", title=mark("Numbers of"), shape="box", anew_with=(MECHANISMS.name,))
BY_HAND = Data("hand", anew_with=("hand-pair",), parse=read_links, show=show_links)
"""The links that the reader set by hand, on one pair of texts."""

WINDOWED = Choice("windowed", title=mark("Window of"), shape="box", anew_with=(MECHANISMS.name,))
PREDICTED = Choice("predicted", title=mark("A row of"), shape="box", anew_with=(MECHANISMS.name,))
PREDICTED_ROW = Choice("row", title=mark("Which row"), shape="box", anew_with=(PREDICTED.name, "predicted words"))
DRAWS = Choice("draws", title=mark("Which draws"), shape="box")
"""The seeds of the draws of hard attention, by the first of them."""

ROUNDS_OF = Choice("rounds-of", title=mark("Rounds of"), shape="box", anew_with=(MECHANISMS.name,))
BEAM_OF = Choice("beam-of", title=mark("Beam search by"), shape="box", anew_with=(MECHANISMS.name,))
BEAM_WIDTH = Choice("beam", title=mark("Width of the beam"), shape="slider", default="4")
BRANCH = Choice("branch", title=mark("Hypothesis"), anew_with=(BEAM_OF.name, BEAM_WIDTH.name, "branches"))
"""The beam: of which translator, how wide, and which of its hypotheses has its map shown."""

ASKED_OF = Choice(
    "asked-of", title=mark("On the translation of"), shape="box", titled=True, anew_with=(MECHANISMS.name,)
)
"""On whose translation all heads are asked."""

HEAD = Choice("head-*", title=mark("Layer and head"), shape="box")
"""The layer and head of each mechanism."""

SETTINGS = (
    SENTENCE,
    LANGUAGES,
    MECHANISMS,
    ALIGN,
    TARGET,
    ZEROABLE,
    UNIT,
    READING,
    COLOUR,
    LINKS,
    ORDER,
    PICTURE,
    ALSO,
    ASK,
    QUERY,
    ASKED_KEY,
    ASKED_OF,
    CHOSEN,
    FIRST,
    SECOND,
    TABLE,
    WINDOWED,
    PREDICTED,
    PREDICTED_ROW,
    BY_HAND,
    DRAWS,
    REPLACED_OF,
    REPLACED,
    INSTEAD,
    ROUNDS_OF,
    BEAM_OF,
    BEAM_WIDTH,
    BRANCH,
    HEAD,
    SHOW,
    WHICH,
)
