"""Samples of hard attention: probabilities beside observed shares."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go

from viz.captions.maps import notes_of
from viz.figures.drawing.colour_bar import weight_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import panel_of
from viz.figures.drawing.theme import Colour
from viz.text.language import _, _n
from viz.views.view import View


def draws_heatmap(soft: View, drawn: View, *, count: int, colour: Colour = "linear", width: float = 1320) -> go.Figure:
    """Show the probabilities of each row beside how often each word was drawn, on one scale from 0 to 1.

    Rows are queries, from the top down; columns are keys. Hovering gives the number and both tokens.
    """
    panels = (
        panel_of(
            soft,
            title=_("Probabilities from which a word is sampled"),
            notes=(_("from the run that always picks the likeliest word"), *notes_of(soft)),
        ),
        replace(
            panel_of(
                drawn,
                title=_n(
                    "{count} draw: the word that was picked", "{count} draws: how often each word was picked", count
                ),
                notes=(_("share of the draws"), *notes_of(drawn)),
            ),
            extras=(soft.weights,),
            closing="<br>" + _("probability: {number}", number="%{customdata[1]:.4f}"),
        ),
    )
    meaning = _("probability of this word, and share of the draws that picked it")
    colours = weight_colours(colour, width=width, meaning=meaning)
    return draw_panels(panels, colours, colour=colour, width=width, most_labelled=None)
