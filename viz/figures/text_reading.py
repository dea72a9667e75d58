"""Text shaded by the attention weights of a chosen word, as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.trace import AttentionTrace
from viz.figures.drawing.colour_bar import check_colour
from viz.figures.drawing.shaded_text import STYLE, Way, chosen_from, heading_of, text_html
from viz.figures.drawing.theme import Colour
from viz.text.tokens import visible
from viz.views.heads import HeadPlace, pick_views
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit


@dataclass(frozen=True, slots=True)
class TextReading:
    """A text with shaded words. As the last line of a notebook's cell it is shown.

    Parameters
    ----------
    title : str
        What is asked about the chosen word, in plain text.
    html : str
        A fragment that needs nothing beside it: its style is in it, every text is escaped.
    """

    title: str
    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return self.html


def text_reading(
    trace: AttentionTrace,
    *,
    head: HeadPlace,
    word: int | str,
    way: Way = "reads",
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    colour: Colour = "root",
    hiding: Hiding = NOTHING,
) -> TextReading:
    """Show the text itself, each word shaded by its attention weight: what a word reads, or who reads it.

    An HTML fragment and not a Plotly figure: words wrap like text, can be selected, and are read aloud. It says which
    word is the query, which are the keys, and what a colour means; a word's tooltip names its exact weight.

    Parameters
    ----------
    trace : AttentionTrace
    head : HeadPlace
    word : int or str
        The chosen word: its position, from 0, among the queries for ``"reads"``, among the keys for ``"read_by"``; or
        its text, if it stands there once, white space around it left out.
    way : {"reads", "read_by"}, optional
        Whether the words are keys, shaded by what the chosen query gives them (these sum to 1, where rows do), or
        queries, shaded by what each of them gives to the chosen key (these need not sum to anything).
    sites, unit, hiding : optional
        As in `head_comparison`. Hidden tokens have one place of their own at the end; weights below the threshold are
        not shaded.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root.

    Returns
    -------
    TextReading

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If there is no such head or word, the word stands more than once, or a choice is not one that there is.

    Examples
    --------
    >>> from models import load
    >>> trace = load("transformer-en-fr").attend("The cat sleeps.")
    >>> text_reading(trace, head=HeadPlace(1, 5), word="cat")
    TextReading(title='What “cat” attends to')
    """
    check_colour(colour)
    (view,) = pick_views(trace, sites, unit, [head], hiding)
    texts = chosen_from(view, way)
    position = word if isinstance(word, int) else _position(word, texts)
    html = text_html(view, position=position, way=way, colour=colour)
    return TextReading(heading_of(view, position=position, way=way), STYLE + html)


def _position(word: str, texts: Sequence[str]) -> int:
    """Return where the one word that reads `word` stands among `texts`."""
    found = [place for place, text in enumerate(texts) if text.strip() == word.strip()]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"“{visible(word)}” stands at {', '.join(map(str, found))}, from 0: give the position that is meant"
    else:
        message = f"no word “{visible(word)}” to choose among the {len(texts)} that there are"
    raise ValueError(message)
