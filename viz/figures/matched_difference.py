"""Difference of two heads on the words that two texts, or two models, share."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from viz.captions.maps import common_notes
from viz.figures.drawing.colour_bar import difference_colours
from viz.figures.drawing.heatmap import draw_panels
from viz.figures.drawing.panel import difference_panel
from viz.figures.drawing.theme import Colour
from viz.text.language import _
from viz.views.matching import Matching, matched_view
from viz.views.view import View


def matched_difference(
    first: View,
    second: View,
    *,
    matching: Matching,
    names: tuple[str, str],
    notes: Sequence[str] = (),
    colour: Colour = "linear",
    width: float = 1320,
) -> go.Figure:
    """Show how two heads differ on the words that are matched: the first less the second, from -1 to 1.

    The last column is what each query gives to all words that are not matched. Hovering gives the difference and both
    weights.

    Parameters
    ----------
    first, second : View
        One head each, with no token hidden. Differences nearer to 0 than the threshold of `first` are drawn empty.
    matching : Matching
        Of their rows and columns.
    names : tuple of str
        What tells the two apart, in words.
    notes : sequence of str, optional
        What else is said under the title, such as which words were not to be matched.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the difference or for its square root.
    width : float, optional
        Pixels at which the figure will be shown.

    Returns
    -------
    plotly.graph_objects.Figure
        One heatmap.

    Raises
    ------
    ValueError
        If nothing is matched.
    """
    if matching.empty:
        message = "no word is matched: there is nothing to compare"
        raise ValueError(message)
    one, other = matching.first(first.weights), matching.second(second.weights)
    meaning = _(
        "difference of weights: above 0 (purple) {first} gives this word more, below 0 (orange) {second}",
        first=names[0],
        second=names[1],
    )
    view = matched_view(first, matching)
    title = _("Difference on the words that both have")
    said = tuple(dict.fromkeys((*common_notes(first), *common_notes(second), *notes)))
    panel = difference_panel(title, view, (one, other), names=names, notes=said)
    return draw_panels([panel], difference_colours(colour, width=width, meaning=meaning), colour=colour, width=width)
