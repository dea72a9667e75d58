"""Text whose words are shaded by their attention weight to or from a chosen word.

An HTML fragment and not a Plotly figure: words must wrap like text on a phone, be selected, and be read aloud.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from viz.captions.maps import crossed_note, notes_of
from viz.figures.drawing.theme import WEIGHT_SCALE, Colour, text_on, weight_colour, weight_ticks
from viz.text.language import _, mark
from viz.text.tokens import visible
from viz.views.view import View

Way = Literal["reads", "read_by"]

STYLE = f"\n<style>\n{Path(__file__).with_suffix('.css').read_text(encoding='utf8')}</style>\n"
"""For the page that shows fragments: once, beside them."""

_HEADINGS = {
    ("self", "reads"): mark("What “{word}” attends to"),
    ("self", "read_by"): mark("Which words attend to “{word}”"),
    ("hops", "reads"): mark("What {word} attends to"),
    ("hops", "read_by"): mark("How much each hop attends to “{word}”"),
    ("cross", "reads"): mark("What the decoder attends to for “{word}”"),
    ("cross", "read_by"): mark("For which words the decoder attends to “{word}”"),
}


def text_html(view: View, *, position: int, way: Way = "reads", colour: Colour = "root") -> str:
    """Return the text of `view` with each word shaded by its weight."""
    chosen = chosen_from(view, way)
    if not 0 <= position < len(chosen):
        message = f"no word {position} to choose; there are {len(chosen)}"
        raise ValueError(message)
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    shaded = keys if way == "reads" else queries
    weights = view.weights[position] if way == "reads" else view.weights[:, position]
    own = position if view.shown.site.kind == "self" and not _shifted(view) else None
    masked = np.zeros(view.weights.shape, bool) if view.masked is None else view.masked
    hidden = masked[position] if way == "reads" else masked[:, position]
    words = [
        _masked_word(text) if hidden[place] else _word(text, float(weight), view.threshold, colour, chosen=place == own)
        for place, (text, weight) in enumerate(zip(shaded, weights, strict=True))
    ]
    heading = heading_of(view, position=position, way=way)
    says = (*_says(view, position, way), *notes_of(view), *_crossed(hidden, way))
    return "".join(
        (
            f'<div class="on-text"><p><strong>{escape(heading)}</strong></p>',
            f"<p><small>{escape(' · '.join(says))}</small></p>",
            f'<ul class="words" dir="auto" aria-label="{escape(heading)}">{" ".join(words)}</ul>',
            _legend(view, colour),
            "</div>",
        )
    )


def chosen_from(view: View, way: Way) -> Sequence[str]:
    """Return the texts among which a word is chosen: those of the rows of `view`, or of its columns."""
    if way not in get_args(Way):
        message = f"way is 'reads' or 'read_by'; got {way!r}"
        raise ValueError(message)
    return (view.shown.query_tokens if way == "reads" else view.shown.key_tokens).texts


def heading_of(view: View, *, position: int, way: Way) -> str:
    """Say in a few words what is asked about the chosen word: plain text."""
    return _(_HEADINGS[view.shown.site.kind, way], word=visible(chosen_from(view, way)[position]))


def _shifted(view: View) -> bool:
    """Return whether equal positions on the two axes are different tokens, since other tokens are hidden."""
    return view.hidden_queries != view.hidden_keys


def _says(view: View, position: int, way: Way) -> Sequence[str]:
    asked, shaded = (view.query_title, view.key_title) if way == "reads" else (view.key_title, view.query_title)
    said = [f"{asked}: “{visible(chosen_from(view, way)[position])}”", _("shaded: {words}", words=shaded)]
    if way == "read_by":
        said.append(_("share of each word's own attention; these need not sum to 1"))
    if view.threshold:
        said.append(_("below {least}: not shaded", least=f"{view.threshold:g}"))
    return said


def _word(text: str, weight: float, threshold: float, colour: Colour, *, chosen: bool) -> str:
    background = weight_colour(min(max(weight, 0.0), 1.0), colour)
    shade = f"background:{background};color:{text_on(background)}" if weight >= threshold else ""
    label = _("“{word}”: {weight}", word=visible(text), weight=f"{weight:.4f}")
    kind = ' class="chosen" aria-current="true"' if chosen else ""
    name = escape(label)
    return f'<li{kind} style="{shade}" title="{name}" aria-label="{name}"><bdi>{escape(visible(text))}</bdi></li>'


def _crossed(hidden: NDArray[np.bool_], way: Way) -> tuple[str, ...]:
    if way == "read_by" and hidden.any():
        return (_("crossed out: earlier words, from which the causal mask hides it"),)
    return crossed_note(hidden)


def _masked_word(text: str) -> str:
    """Return a word that the causal mask hides from the query, or a query from which it hides the key."""
    name = escape(_("“{word}”: masked", word=visible(text)))
    return f'<li title="{name}" aria-label="{name}"><s><bdi>{escape(visible(text))}</bdi></s></li>'


def _legend(view: View, colour: Colour) -> str:
    meaning = view.meaning
    if colour == "root":
        meaning = _("{title} (colour: square root)", title=meaning)
    stops = ", ".join(f"{stop} {place * 100:g}%" for place, stop in WEIGHT_SCALE)
    ticks = "".join(
        f'<span style="left:{place * 100:.2f}%">{escape(text)}</span>' for place, text in weight_ticks(colour)
    )
    bar = f'<div class="bar" style="background:linear-gradient(to right, {stops})"></div>'
    return f'<p><small>{escape(meaning)}</small></p>{bar}<div class="ticks" aria-hidden="true">{ticks}</div>'
