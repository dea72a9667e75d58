"""A canvas as one self-contained piece of HTML, for a notebook or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from models.trace import AttentionTrace
from viz.canvas.overview import Tiles, encode_overview
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture, standalone_html
from viz.captions.heads import overview_sentence
from viz.captions.maps import map_title
from viz.figures.drawing.colour_bar import check_colour
from viz.figures.drawing.theme import Colour
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit

HEIGHT = 640
"""Pixels of a frame until its page has said how high it is."""


@dataclass(frozen=True, slots=True)
class CanvasPage:
    """A canvas in a page of its own. As the last line of a notebook's cell it is shown.

    Parameters
    ----------
    title : str
        What it shows, in plain text.
    html : str
        A whole page that needs nothing beside it: script and style are in it.
    """

    title: str
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        """Return a frame that holds the page, so that neither changes what stands around it in a notebook."""
        # In ASCII: read in another encoding, its scripts would not be those that its policy names.
        page = escape(self.html).encode("ascii", "xmlcharrefreplace").decode()
        style = f"width: 100%; height: {HEIGHT}px; border: 0"
        return f'<iframe srcdoc="{page}" title="{escape(self.title)}" style="{style}"></iframe>'


def overview_html(
    trace: AttentionTrace,
    *,
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    picked: Sequence[HeadPlace] = (),
    colour: Colour = "root",
    hiding: Hiding = NOTHING,
    file: str = "heads.png",
) -> CanvasPage:
    """Show every head of every layer as a small map, as the Heads page does: pointing at a cell names its tokens.

    Rows of small maps are layers. In each, rows are queries from the top down and columns keys. Weights are rounded to
    0.004; of a text of more than `viz.canvas.overview.MOST_CELLS` tokens a cell shows the largest of a few.

    Parameters
    ----------
    trace : AttentionTrace
    sites : str, optional
        Whose heads: ``encoder.*.self``, ``decoder.*.self`` or ``decoder.*.cross``.
    unit : {"word", "piece"}, optional
        Words (pieces summed over a key word, averaged over a query word), or the pieces that the model reads.
    picked : sequence of HeadPlace, optional
        Heads that are framed.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root, which tells small weights apart.
    hiding : Hiding, optional
        Tokens that are left out, and the threshold below which a cell is drawn empty.
    file : str, optional
        Name of the file that the overview is saved as; its ending, ``.png`` or ``.svg``, says in which format.

    Returns
    -------
    CanvasPage
        Its ``html`` can be written into a file and opened by any browser of today.

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If `sites` names maps of several stacks or kinds, or a choice is not one that there is.

    Examples
    --------
    >>> from models import load
    >>> overview_html(load("transformer-en-fr").attend("The cat sleeps."))
    CanvasPage(title='encoder self-attention')
    """
    check_colour(colour)
    views = views_at(trace, sites, unit, hiding)
    says = overview_sentence(views)
    payload = encode_overview(views, Tiles(picked=picked), Look(colour, says=says, file=file))
    title = map_title(views[0].shown.site)
    return CanvasPage(title, standalone_html(title, [Picture("overview", payload)]))
