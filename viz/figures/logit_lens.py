"""Logit lens: the likeliest words after each layer, and where the answer appears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from viz.figures.drawing.word_cells import LEFT, WordCells, draw_word_cells, word_of
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.logits import LogitLens

COLUMN = 110  # pixels of a column at least
WORDS = 5  # words of a row at most


def logit_lens_table(lens: LogitLens, *, width: float = 900) -> go.Figure:
    """Show the likeliest words after each layer, a row a layer: darker is likelier, the answer framed."""
    count = max(1, min(WORDS, int((width - LEFT) // COLUMN) - 1, *map(len, lens.layers)))
    cells = WordCells(
        title=_("The prediction, layer by layer"),
        meaning=_("probability, if the layers stopped here"),
        hover=_("%{y}: <b>%{customdata}</b> with probability <b>%{z:.4f}</b>"),
        rows=[_("before layer 0"), *(_("after layer {layer}", layer=layer) for layer in range(len(lens.layers) - 1))],
        columns=[_("“{word}”", word=word_of(lens.answer)), *map(str, range(1, count + 1))],
        shares=[[own, *(share for _word, share in row[:count])] for own, row in _rows(lens)],
        words=[
            [_own(lens, layer), *(word_of(word) for word, _share in row[:count])]
            for layer, row in enumerate(lens.layers)
        ],
        told=[[lens.answer, *(word for word, _share in row[:count])] for row in lens.layers],
        framed=[
            (layer, place + 1)
            for layer, row in enumerate(lens.layers)
            for place, (word, _share) in enumerate(row[:count])
            if word == lens.answer
        ],
    )
    return draw_word_cells(cells, width=width)


def _rows(lens: LogitLens) -> Any:
    return zip(lens.probabilities, lens.layers, strict=True)


def _own(lens: LogitLens, layer: int) -> str:
    share = lens.probabilities[layer]
    shown = "<0.1%" if share < 0.001 else f"{share:.1%}"
    return tokens.escape(_("{share}, rank {rank}", share=shown, rank=f"{lens.ranks[layer]:,}"))
