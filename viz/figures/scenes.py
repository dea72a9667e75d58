"""A scene with its caption, drawn by the browser: each word, pointed at or chosen, lights the cells it attends to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from numpy.typing import NDArray

from models.scenes.drawing import RADIUS, RGB, corners
from models.scenes.things import SIDE, Scene, Thing
from models.scenes.words import MOST_WORDS
from viz.figures.drawing.theme import Colour, text_on, weight_colour
from viz.text.language import _

CELL = 100
"""Units of a side of a cell."""

_LEAST = 0.05
"""Weights from here on are written into their cell."""


@dataclass(frozen=True, slots=True, eq=False)
class LitCaption:
    """A caption, and what each of its words attends to."""

    key: str  # tells the panels of a page apart
    title: str
    note: str  # stands behind the title
    scene: Scene
    words: Sequence[str]
    weights: NDArray[np.float32]  # [word, cell]
    drawn: Sequence[int | None] = ()  # the cell that each word drew; empty where none is drawn
    wrong: Sequence[bool] = ()  # whether the right caption has another word there
    colour: Colour = "linear"


def thing_svg(thing: Thing, cell: int = 0) -> str:
    """Return a thing in its cell as an element of SVG.

    Parameters
    ----------
    thing : Thing
    cell : int, optional
        From 0, row by row.

    Returns
    -------
    str

    Examples
    --------
    >>> thing_svg(Thing("circle", "red", "small"))[:24]
    '<circle cx="50" cy="50" '
    """
    x, y = (cell % SIDE) * CELL + CELL / 2, (cell // SIDE) * CELL + CELL / 2
    radius = RADIUS[thing.size] * CELL / 2
    look = f'fill="rgb{RGB[thing.colour]}" stroke="#fff" stroke-width="2.5"'
    places = corners(thing.kind)
    if not places:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {look}/>'
    points = " ".join(f"{x + radius * across:.1f},{y + radius * down:.1f}" for across, down in places)
    return f'<polygon points="{points}" {look}/>'


def scene_html(panel: LitCaption, *, chosen: int) -> str:
    """Return a scene with its caption as HTML; `scenes_html` has the rules that light cells.

    Parameters
    ----------
    panel : LitCaption
    chosen : int
        The word whose cells are lit at first; -1 where another panel has it.

    Returns
    -------
    str
    """
    side = SIDE * CELL
    maps = "".join(_map(panel, place) for place in range(len(panel.words)))
    things = "".join(thing_svg(each, cell) for cell, each in enumerate(panel.scene) if each is not None)
    lines = "".join(f'<path d="M{at} 0V{side}M0 {at}H{side}" class="line"/>' for at in range(0, side + 1, CELL))
    title = f"{escape(panel.title)} <small>{escape(panel.note)}</small>"
    says = escape(_("{title}: the scene, and the weight of each cell for the chosen word", title=panel.title))
    return (
        f'<figure class="scene"><figcaption>{title}</figcaption>'
        f'<svg viewBox="-3 -3 {side + 6} {side + 6}" role="img" aria-label="{says}">'
        f'<rect width="{side}" height="{side}" class="ground"/>{maps}{lines}{things}{_numbers(panel)}</svg>'
        f"{_caption(panel, chosen)}</figure>"
    )


def _map(panel: LitCaption, place: int) -> str:
    """Return the cells in the colours of one word, each with its weight for those who point at it."""
    shades = "".join(
        f'<rect {_at(cell)} fill="{weight_colour(float(weight), panel.colour)}"/>'
        for cell, weight in enumerate(panel.weights[place])
    )
    drawn = panel.drawn[place] if panel.drawn else None
    frame = "" if drawn is None else f'<rect {_at(drawn, inset=5)} class="drawn"/>'
    return f'<g class="lit lit-{place}">{shades}{frame}</g>'


def _numbers(panel: LitCaption) -> str:
    """Return the weights of each word as text, over what is in the cells."""
    return "".join(
        f'<g class="lit lit-{place}">'
        + "".join(
            f'<text x="{(cell % SIDE) * CELL + 7}" y="{(cell // SIDE) * CELL + 21}" '
            f'style="fill: {text_on(weight_colour(float(weight), panel.colour))}">{weight:.2f}</text>'
            for cell, weight in enumerate(row)
            if weight >= _LEAST
        )
        + "</g>"
        for place, row in enumerate(panel.weights)
    )


def _at(cell: int, *, inset: int = 0) -> str:
    x, y, side = (cell % SIDE) * CELL + inset, (cell // SIDE) * CELL + inset, CELL - 2 * inset
    return f'x="{x}" y="{y}" width="{side}" height="{side}"'


def _caption(panel: LitCaption, chosen: int) -> str:
    words = []
    for place, word in enumerate(panel.words):
        checked = " checked" if place == chosen else ""
        wrong = ' class="wrong"' if panel.wrong and panel.wrong[place] else ""
        words.append(
            f'<label class="word-{place}"><input type="radio" name="{escape(panel.key)}" value="{place}"{checked}>'
            f"<span{wrong}>{escape(word)}</span></label>"
        )
    says = escape(_("{title}: words of the caption", title=panel.title))
    return f'<div class="caption" lang="en" role="radiogroup" aria-label="{says}">{" ".join(words)}</div>'


def _first_shown(panel: LitCaption) -> int:
    """Return the word that is chosen at first: the one that attends to one cell most of all words."""
    return int(np.argmax(panel.weights.max(axis=-1))) if len(panel.words) else 0


def scenes_html(panels: Sequence[LitCaption]) -> list[str]:
    """Return scenes side by side as HTML, with the rules that light the cells of the word pointed at, or else chosen.

    Where all captions are the same, a word answers in every panel at once.

    Parameters
    ----------
    panels : sequence of LitCaption

    Returns
    -------
    list of str
    """
    together = len({tuple(each.words) for each in panels}) == 1
    scope = ".drawings" if together else ".scene"
    shown = (
        f"{scope}:has(.word-{place}:hover) .lit-{place},"
        f"{scope}:not(:has(label:hover)):has(.word-{place} :checked) .lit-{place}"
        for place in range(MOST_WORDS)
    )
    alike = [replace(each, key=panels[0].key) for each in panels] if together else panels
    chosen = [-1 if together and place else _first_shown(each) for place, each in enumerate(alike)]
    drawn = [scene_html(each, chosen=place) for each, place in zip(alike, chosen, strict=True)]
    return [f"<style>{','.join(shown)} {{ display: inline }}</style>", *drawn]
