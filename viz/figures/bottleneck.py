"""Drawing of the bottleneck beside attention: a sentence through one vector, and word by word.

An SVG and not a Plotly figure: words and lines between them, in the colours of the page, light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from viz.figures.printable import WordLinks
from viz.text import tokens
from viz.text.language import _
from viz.views.view import Subject, View

WIDTH, HEIGHT = 560, 210
_TOP, _BOTTOM, _MIDDLE = 24.0, 198.0, 105.0  # base lines of both texts, and the middle of the vector
_FONT, _GLYPH = 15.0, 0.54  # units; width of a column of text as a share of its size
_BLANK = 12.0  # units between words
_LEAST_SHOWN = 0.03  # weights below it have no line
_THICKEST = 7.0
_VECTOR = (210.0, 34.0)


def one_vector(read: Sequence[str], written: Sequence[str], *, title: str, numbers: int) -> WordLinks:
    """Return the picture of a model without attention: every word goes through one vector."""
    return WordLinks(
        title=_("{title}: one vector", title=title),
        note=_("everything the decoder sees"),
        label=_("{title}: every word of the sentence goes through one vector.", title=title),
        read=read,
        written=written,
        vector=_("{count} numbers for {words} words", count=numbers, words=len(read)),
        subject=Subject(title, " ".join(read)),
    )


def many_looks(view: View) -> WordLinks:
    """Return the picture of a model with attention: lines from each written word to the words that it reads."""
    links = [
        (key, query, float(weight)) for (query, key), weight in np.ndenumerate(view.weights) if weight >= _LEAST_SHOWN
    ]
    return WordLinks(
        title=_("{title}: each word looks back", title=view.title),
        note=_("lines: attention; thicker means more weight; none below {least}", least=_LEAST_SHOWN),
        label=_(
            "{title}: lines join each written word to the words it attends to; thicker means more weight.",
            title=view.title,
        ),
        read=view.shown.key_tokens.texts,
        written=view.shown.query_tokens.texts,
        links=links,
        subject=view.subject,
    )


def drawing_of(picture: WordLinks) -> str:
    """Return a picture for the page: a ``<figure>`` of HTML, for `viz.widgets.drawing.show_drawings`."""
    above, below = _placed(picture.read), _placed(picture.written)
    middle, (wide, high) = WIDTH / 2, _VECTOR
    if not picture.vector:
        lines = [
            _line(
                (above[0][key][0], _TOP + 6),
                (below[0][query][0], _BOTTOM - _FONT),
                weight * _THICKEST,
                0.25 + 0.75 * weight,
            )
            for key, query, weight in picture.links
        ]
        return _figure(picture, lines, above, below)
    lines = [_line((place, _TOP + 6), (middle, _MIDDLE - high / 2), 1.5, 0.6) for place, _text in above[0]]
    lines += [_line((middle, _MIDDLE + high / 2), (place, _BOTTOM - _FONT), 1.5, 0.6) for place, _text in below[0]]
    box = (
        f'<rect class="vector" x="{middle - wide / 2}" y="{_MIDDLE - high / 2}" width="{wide}" height="{high}" rx="6"/>'
        f'<text class="inside" x="{middle}" y="{_MIDDLE + 5}" font-size="{_FONT}">{escape(picture.vector)}</text>'
    )
    return _figure(picture, [*lines, box], above, below)


def _placed(words: Sequence[str]) -> tuple[list[tuple[float, str]], float]:
    """Return the middle of each word on a line, and the size of the text that lets all fit; Arabic from the right."""
    shown = [tokens.shorten(tokens.visible(word), 14) for word in words]
    needed = sum(tokens.width(word) * _FONT * _GLYPH + _BLANK for word in shown)
    scale = min(1.0, WIDTH / max(needed, 1.0))
    left = (WIDTH - needed * scale) / 2
    places = []
    for word in shown:
        wide = (tokens.width(word) * _FONT * _GLYPH + _BLANK) * scale
        places.append((left + wide / 2, word))
        left += wide
    if not tokens.runs_rightward(words):
        places = [(WIDTH - place, word) for place, word in places]
    return places, _FONT * scale


def _line(start: tuple[float, float], end: tuple[float, float], thick: float, opacity: float) -> str:
    (x, y), (to_x, to_y) = start, end
    bend = (y + to_y) / 2
    path = f"M{x:.1f} {y:.1f}C{x:.1f} {bend:.1f} {to_x:.1f} {bend:.1f} {to_x:.1f} {to_y:.1f}"
    return f'<path class="link" d="{path}" stroke-width="{thick:.2f}" stroke-opacity="{opacity:.2f}"/>'


def _figure(
    picture: WordLinks,
    drawn: Sequence[str],
    above: tuple[list[tuple[float, str]], float],
    below: tuple[list[tuple[float, str]], float],
) -> str:
    words = [
        f'<text x="{place:.1f}" y="{line}" font-size="{size:.1f}">{escape(word)}</text>'
        for (placed, size), line in ((above, _TOP), (below, _BOTTOM))
        for place, word in placed
    ]
    return (
        f"<figure><figcaption>{escape(picture.title)} <small>{escape(picture.note)}</small></figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(picture.label)}">{"".join(drawn)}{"".join(words)}</svg></figure>'
    )
