"""Settings that several pages share."""

from __future__ import annotations

from viz.text.language import mark
from viz.widgets.settings import Choice

UNIT = Choice("unit", title=mark("Unit"), choices={"word": mark("words"), "piece": mark("subwords")})
QUANTITY = Choice(
    "quantity", title=mark("What a map shows"), choices={"weights": mark("weight"), "moved": mark("moved")}
)
ZEROABLE = Choice(
    QUANTITY.name, title=QUANTITY.title, choices={**(QUANTITY.choices or {}), "zeroed": mark("value zeroing")}
)
"""The same with the quantity that takes runs of its own."""

COLOUR = Choice(
    "colour",
    title=mark("Colour scale"),
    choices={"linear": mark("linear colour"), "root": mark("square-root colour: shows faint weights")},
)
PICTURE = Choice(
    "picture",
    title=mark("Format of a saved picture"),
    choices={"png": mark("PNG picture"), "svg": mark("SVG picture")},
)
