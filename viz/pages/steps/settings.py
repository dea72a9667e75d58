"""Settings of the Steps page: walk, Lab and Positions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from viz.text.language import mark
from viz.widgets.language_pair import LANGUAGES
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Choice, Data, Found, Switch
from viz.widgets.shared_settings import UNIT
from viz.widgets.unmasked import UNMASKED
from viz.widgets.wrong_word import INSTEAD, REPLACED

STEPS, LAB, POSITIONS = "steps", "lab", "positions"
SHOW = Choice(
    "show",
    title=mark("What is shown"),
    choices={STEPS: mark("Steps"), LAB: mark("Lab"), POSITIONS: mark("Positions")},
)

# The walk -----------------------------------------------------------------------------------------------------------

WALKED, READ, ROW = "walked mechanism", "sentence walked through", "row of the walk"
"""What settings of the walk belong to."""

MOST_READ = "most"
"""What the link calls the key that is read most."""

ALONE = "none"
"""What the link calls no further mechanism."""

MECHANISM = Choice("mechanism", title=mark("Mechanism"), shape="box")
SECOND = Choice("second", title=mark("A second mechanism below it"), shape="box")
THIRD = Choice("third", title=mark("A third mechanism below it"), shape="box")
LAYER = Choice("layer", title=mark("Which attention"), shape="box", anew_with=(WALKED,))
HEAD = Choice("head", title=mark("Head"), shape="box", anew_with=(WALKED,))
WORD = Choice("word", anew_with=(READ,))
READS = Choice("reads", anew_with=(READ, ROW))
STEP = Choice("step")
FIRST_SHOWN = "scores"
"""The step on which the walk opens, or the nearest before it."""

# The lab ------------------------------------------------------------------------------------------------------------

STARTED = "preset begun with"
"""What settings of the lab belong to."""

BOOK, ONE_HOT, UNIFORM, CAUSAL, WRITTEN, PROJECTIONS, HEADS, PERMUTED, SATURATION = (
    "book",
    "one-hot",
    "uniform",
    "causal",
    "written",
    "projections",
    "heads",
    "permuted",
    "saturation",
)
DOT, GENERAL, BIASED, ACTIVATED = "dot", "general", "biased", "activated"
ADDITIVE, COSINE = "additive", "cosine"
TEMPERATURES = ("0.1", "0.2", "0.5", "1", "2", "5", "10")
SIZES = ("2", "4", "8", "16", "32", "64", "128", "256", "512")
ORDERS: Mapping[str, str] = {"2 0 3 1": "c a d b", "1 0 2 3": "b a c d", "3 2 1 0": "d c b a", "1 2 3 0": "b c d a"}
MOST_CELLS = 64
"""Rows or columns of a table in a link at most."""

LARGEST = 1e9
"""Numbers of a link at most."""

LONGEST_LINK = 4000
"""Characters of tables in a link at most."""

Tables = dict[str, list[list[Any]]]
"""Rows of cells by the table's name; a cell that the reader has emptied is None."""


def read_tables(text: str, original: Tables) -> Found:
    """Read the tables of a link."""
    if not text:
        return Found(None)
    try:
        tables = json.loads(text)
        sound = isinstance(tables, dict) and len(tables) > 0 and set(tables) <= set(original)
        sound = sound and all(_is_table(each) for each in tables.values())
        sound = sound and ("tokens" not in tables or len(tables["tokens"]) == len(original["tokens"]))
    except (ValueError, RecursionError):
        sound = False
    return Found(original | tables) if sound else Found(None, text)


def _is_table(table: Any) -> bool:
    if (
        not isinstance(table, list)
        or not 1 <= len(table) <= MOST_CELLS
        or not all(isinstance(row, list) for row in table)
    ):
        return False
    widths = {len(row) for row in table}
    return (
        len(widths) == 1
        and 1 <= max(widths) <= MOST_CELLS
        and all(
            cell is None or (isinstance(cell, int | float) and abs(cell) <= LARGEST) for row in table for cell in row
        )
    )


def write_tables(tables: Tables) -> str:
    """Write tables as they stand in a link; `read_tables` reads it."""
    return json.dumps(tables, separators=(",", ":"))


PRESET = Choice(
    "preset",
    title=mark("Start from"),
    choices={
        BOOK: mark("the book example"),
        ONE_HOT: mark("one-hot"),
        UNIFORM: mark("uniform"),
        CAUSAL: mark("causal"),
        WRITTEN: "我吃了一个苹果",
        PROJECTIONS: mark("inputs and W_Q, W_K, W_V"),
        HEADS: mark("two heads and W_O"),
        PERMUTED: mark("permuted inputs"),
        SATURATION: mark("saturation"),
    },
)
CELLS = Data("cells", parse=read_tables, show=write_tables, anew_with=(STARTED,))
SCORE = Choice(
    "score",
    title=mark("How a query is compared with a key"),
    choices={
        DOT: mark("dot product"),
        GENERAL: mark("general: q W k'"),
        BIASED: mark("with a bias: (q W + b) k'"),
        ACTIVATED: mark("activated: tanh(q W k' + b)"),
        ADDITIVE: mark("additive: v tanh(q W + k U)"),
        COSINE: mark("cosine"),
    },
    anew_with=(STARTED,),
)
HARD = Switch("hard", title=mark("hard attention: only the best key"), anew_with=(STARTED,))
LIFTED = Switch("lifted", title=mark("lift the mask"), anew_with=(STARTED,))
PADDING = Choice(
    "padding",
    title=mark("Padding tokens after the keys"),
    choices={str(each): str(each) for each in range(5)},
    default="0",
    shape="slider",
    anew_with=(STARTED,),
)
PADDING_MASK = Switch("padding-mask", title=mark("padding mask"), anew_with=(STARTED, PADDING.name))
SCALING = Switch("scaling", title=mark("divide by the square root of d"), anew_with=(STARTED,))
TEMPERATURE = Choice(
    "temperature",
    title=mark("Temperature: above 1 flattens, below 1 sharpens"),
    choices={each: each for each in TEMPERATURES},
    default="1",
    shape="slider",
    anew_with=(STARTED,),
)
OTHER_ORDER = Choice("order", title=mark("The other order"), shape="box")
SIZE = Choice(
    "d",
    title=mark("d: numbers in a vector"),
    choices={each: f"d = {each}" for each in SIZES},
    default="64",
    shape="slider",
)

# Positions ----------------------------------------------------------------------------------------------------------

COUNTS = ("16", "32", "64", "128")
COUNT = Choice("count", title=mark("How many"), default="64", shape="slider")
ENCODER_LAYER = Choice("encoder-layer", title=mark("Layer"), shape="box")
ENCODER_HEAD = Choice("encoder-head", title=mark("Head"), default="0", shape="box")
DISTANCE_PLACE = Choice("distance-layer", title=mark("Layer"), shape="box")
DISTANCE_HEAD = Choice("distance-head", title=mark("Head"), default="0", shape="box")

SETTINGS = (
    SENTENCE,
    LANGUAGES,
    SHOW,
    MECHANISM,
    SECOND,
    THIRD,
    LAYER,
    HEAD,
    WORD,
    READS,
    STEP,
    UNMASKED,
    REPLACED,
    INSTEAD,
    PRESET,
    CELLS,
    SCORE,
    HARD,
    LIFTED,
    PADDING,
    PADDING_MASK,
    SCALING,
    TEMPERATURE,
    OTHER_ORDER,
    SIZE,
    COUNT,
    ENCODER_LAYER,
    ENCODER_HEAD,
    DISTANCE_PLACE,
    DISTANCE_HEAD,
    UNIT,
)
