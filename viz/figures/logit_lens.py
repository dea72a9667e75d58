"""Logit lens: the likeliest words after each layer, and where the answer appears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.drawing.colour_bar import NUMBERS_HEIGHT, bar_height, place_bar, weight_colours
from viz.figures.drawing.lines import TITLE_HEIGHT, headed
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE, WINDOW_COLOUR, template
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.logits import LogitLens

ROW, COLUMN, LEFT, RIGHT = 26, 110, 108, 8
"""Pixels of a row, of a column at least, and of the names of the rows and right of all."""

WORDS, LONGEST = 5, 14
"""Words of a row at most, and columns of text of each."""

HEADER, BELOW = 28, 16  # pixels of the columns' names, and between the rows and the colour bar


def logit_lens_table(lens: LogitLens, *, width: float = 900) -> go.Figure:
    """Show the likeliest words after each layer, a row a layer: darker is likelier, the answer framed."""
    count = max(1, min(WORDS, int((width - LEFT) // COLUMN) - 1, *map(len, lens.layers)))
    shares = np.array([[own, *(share for _word, share in row[:count])] for own, row in _rows(lens)])
    words = [
        [_own(lens, layer), *(_word(word) for word, _share in row[:count])] for layer, row in enumerate(lens.layers)
    ]
    names = [_("before layer 0"), *(_("after layer {layer}", layer=layer) for layer in range(len(lens.layers) - 1))]
    colours = weight_colours("linear", width=width, meaning=_("probability, if the layers stopped here"))
    top = TITLE_HEIGHT + HEADER
    height = top + ROW * len(lens.layers) + bar_height(colours) + BELOW
    colours = place_bar(colours, width=width, height=height)
    heatmap = go.Heatmap(  # its colours are its own: no printer draws the words in its cells
        z=shares,
        text=words,
        customdata=[[lens.answer, *(word for word, _share in row[:count])] for row in lens.layers],
        x=[_("“{word}”", word=_word(lens.answer)), *map(str, range(1, count + 1))],
        y=names,
        colorscale=colours["colorscale"],
        zmin=0,
        zmax=1,
        colorbar=colours["colorbar"] | _below_left(len(lens.layers), width, height - top),
        texttemplate="%{text}",
        textfont={"size": NOTE_SIZE},
        xgap=2,
        ygap=2,
        hovertemplate=_("%{y}: <b>%{customdata}</b> with probability <b>%{z:.4f}</b>") + "<extra></extra>",
    )
    return go.Figure([heatmap], _layout(lens, count, (width, top, height)))


def _below_left(rows: int, width: float, below_title: float) -> dict[str, float]:
    """Return where the colour bar is, in shares of the cells' width and height: below them, at the left."""
    cells = ROW * rows
    return {"x": -LEFT / (width - LEFT - RIGHT), "y": (NUMBERS_HEIGHT - (below_title - cells)) / cells}


def _rows(lens: LogitLens) -> Any:
    return zip(lens.probabilities, lens.layers, strict=True)


def _own(lens: LogitLens, layer: int) -> str:
    share = lens.probabilities[layer]
    shown = "<0.1%" if share < 0.001 else f"{share:.1%}"
    return tokens.escape(_("{share}, rank {rank}", share=shown, rank=f"{lens.ranks[layer]:,}"))


def _word(text: str) -> str:
    return tokens.escape(tokens.shorten(tokens.visible(text), LONGEST))


def _layout(lens: LogitLens, count: int, size: tuple[float, int, float]) -> dict[str, Any]:
    width, top, height = size
    frames = [
        {
            "type": "rect",
            "x0": place + 0.5,
            "x1": place + 1.5,
            "y0": layer - 0.5,
            "y1": layer + 0.5,
            "line": {"color": WINDOW_COLOUR, "width": 2.5},
        }
        for layer, row in enumerate(lens.layers)
        for place, (word, _share) in enumerate(row[:count])
        if word == lens.answer
    ]
    axis = {"fixedrange": True, "tickfont": {"size": NOTE_SIZE}}
    return {
        "template": template(),
        "width": width,
        "height": height,
        "margin": {"l": LEFT, "r": RIGHT, "t": top, "b": height - top - ROW * len(lens.layers)},
        "title": headed(_("The prediction, layer by layer")),
        "xaxis": axis | {"side": "top", "type": "category"},
        "yaxis": axis | {"autorange": "reversed", "type": "category"},
        "font": {"size": FONT_SIZE},
        "shapes": frames,
    }
