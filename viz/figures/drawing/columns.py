"""Two columns of tokens, queries at the left and keys at the right: their labels and their titles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from viz.figures.drawing.grid import GLYPH_WIDTH
from viz.figures.drawing.theme import FONT_SIZE, NOTE_SIZE
from viz.text import tokens
from viz.views.view import View

LONGEST_LABEL = 20
SHARE_OF_LABELS = 0.36  # of the width of the figure that labels of one side may take


def column_axes(view: View, width: float, y_span: dict[str, Any]) -> dict[str, Any]:
    """Return the axes: queries labelled at the left, keys at the right, what is drawn between them.

    Parameters
    ----------
    view : View
    width : float
        Pixels of the figure.
    y_span : dict
        What both vertical axes have alike: their range and their place.
    """
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    longest = max(4, min(LONGEST_LABEL, int(width * SHARE_OF_LABELS / (FONT_SIZE * GLYPH_WIDTH))))
    left, right = (tokens.widest(texts, longest) * GLYPH_WIDTH * FONT_SIZE + 14 for texts in (queries, keys))
    return {
        "xaxis": {
            "range": [-0.01, 1.01],
            "domain": [min(left / width, 0.45), max(1 - right / width, 0.55)],
            "showticklabels": False,
            "fixedrange": True,
        },
        "yaxis": _labels(queries, longest) | y_span,
        "yaxis2": _labels(keys, longest) | y_span | {"overlaying": "y", "side": "right", "matches": "y"},
    }


def column_titles(view: View, y: float) -> list[dict[str, Any]]:
    """Return the annotations that say what the two columns are.

    Parameters
    ----------
    view : View
    y : float
        Of their lower edge, as a share of the figure's height from below.
    """
    return [
        {
            "text": tokens.escape(text.replace(": ", ":\n", 1)).replace("\n", "<br>"),
            "x": x,
            "y": y,
            "xanchor": anchor,
            "yanchor": "bottom",
            "align": anchor,
            "xref": "paper",
            "yref": "paper",
            "showarrow": False,
            "font": {"size": NOTE_SIZE + 1},
        }
        for text, x, anchor in ((view.query_title, 0, "left"), (view.key_title, 1, "right"))
    ]


def _labels(texts: Sequence[str], longest: int) -> dict[str, Any]:
    return {
        "tickmode": "array",
        "tickvals": np.arange(len(texts)),
        "ticktext": [tokens.label(text, longest) for text in texts],
        "automargin": False,
        "ticks": "",
    }
