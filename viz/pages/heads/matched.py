"""Two texts or two models side by side on the Heads page: shared words, and two heads on them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import models
from models.trace import AttentionTrace
from viz.captions.differences import specials_note
from viz.captions.maps import between_note
from viz.figures import HeadPlace, matched_difference
from viz.measures.changes import changes, distances
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.server.runtime import Host
from viz.text.language import _, _n, say
from viz.text.markup import plain
from viz.text.tokens import isolated, visible
from viz.views.matching import ELSEWHERE, Matching, Pairs
from viz.views.view import View
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.style import style_sheet
from viz.widgets.visit import Visit

_SHEET = Path(__file__).parent / "matched.css"

Texts = tuple[str, str | None]
"""The text that a model reads, and the second one that it reads with it, if any."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared."""

    shown: HeadSelection  # with no token hidden: what is left out of a comparison goes into its last column
    name: str  # what it is called

    def tokens(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the texts of its rows and of its columns."""
        view = self.shown.first
        return view.shown.query_tokens.texts, view.shown.key_tokens.texts


@dataclass(frozen=True, slots=True)
class Sides:
    """The two that are compared."""

    one: Side
    other: Side
    matching: Matching  # the words that both have and that the reader has not hidden
    notes: tuple[str, ...]  # what must be said of the comparison

    @classmethod
    def of(cls, one: Side, other: Side, wanted: HeadsSettings, *, notes: Sequence[str] = ()) -> Sides:
        """Match the words of two: special tokens too unless they are hidden, and of a pair those that are shown."""
        between = wanted.hiding.between
        maps = one.shown.first.shown, other.shown.first.shown
        matching = Matching.of_maps(*maps, specials=not wanted.hides_specials, between=between)
        said = []
        if between is not None:
            said.append(between_note(between, _(ELSEWHERE)))
        elif wanted.hides_specials:
            said.append(specials_note())
        return cls(one, other, matching, (*said, *notes))

    def changes(self) -> NDArray[np.float64]:
        """Return how differently each head reads in the two: see `viz.views.matching.changes`."""
        layers = zip(self.one.shown.views(), self.other.shown.views(), strict=True)
        first, second = self.matching.first, self.matching.second
        return np.concatenate([changes(first(a.shown.weights), second(b.shown.weights)) for a, b in layers])

    def distances(self) -> NDArray[np.float64]:
        """Return how differently every two heads read: see `viz.views.matching.distances`."""
        first = [self.matching.first(view.shown.weights) for view in self.one.shown.views()]
        second = [self.matching.second(view.shown.weights) for view in self.other.shown.views()]
        return distances(np.concatenate(first), np.concatenate(second))


def run_other(host: Host, key: str, texts: Texts) -> tuple[AttentionTrace, Hashable] | None:
    """Run the model of `key` on what the other is compared with; None, after saying why, if it cannot read that."""
    text, pair = texts
    try:
        fitting, left_out = host.model(key).fit(text, pair=pair)
        if left_out:
            st.info(_("The text for comparison is longer than the model accepts. Its end is left out."))
        return host.attend(key, fitting, pair=pair), host.identify(key, fitting, pair=pair)
    except models.InputError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return None


def show_matching(sides: Sides) -> None:
    """Show the words of both, those that are not matched marked; rows and columns apart where they differ."""
    matching, tokens = sides.matching, (sides.one.tokens(), sides.other.tokens())
    if matching.queries == matching.keys and all(queries == keys for queries, keys in tokens):
        st.html(style_sheet(_SHEET) + _matched_words(sides, axis=1, pairs=matching.keys))
        return
    view = sides.one.shown.first
    axes = ((0, view.query_title, matching.queries), (1, view.key_title, matching.keys))
    parts = (
        f'<p class="matched"><small>{escape(title)}</small></p>{_matched_words(sides, axis=axis, pairs=pairs)}'
        for axis, title, pairs in axes
    )
    st.html(style_sheet(_SHEET) + "".join(parts))


def _matched_words(sides: Sides, *, axis: int, pairs: Pairs) -> str:
    """Return the HTML of the words of both along one axis, 0 the rows."""
    lines = []
    alone = ' class="alone" title="' + escape(_("not matched")) + '"'
    for number, side in enumerate((sides.one, sides.other)):
        there = {pair[number] for pair in pairs}
        words = (
            f"<span{'' if place in there else alone}><bdi>{escape(visible(text))}</bdi></span>"
            for place, text in enumerate(side.tokens()[axis])
        )
        name = escape(_("{name}:", name=side.name))
        lines.append(f'<p class="matched"><small>{name}</small> {" ".join(words)}</p>')
    count = escape(
        _n(
            "{count} word is matched. Underlined words are not.",
            "{count} words are matched. Underlined words are not.",
            len(pairs),
        )
    )
    return f'{"".join(lines)}<p class="matched"><small>{count}</small></p>'


def show_difference(visit: Visit[HeadsSettings], sides: Sides, places: tuple[HeadPlace, HeadPlace]) -> None:
    """Show how a head of the one and a head of the other differ on the words that both have."""
    one, other = sides.one, sides.other
    views = one.shown.pick(places[:1])[0], other.shown.pick(places[1:])[0]
    first, second = (f"{side.name}, {place.title}" for side, place in zip((one, other), places, strict=True))
    figure = matched_difference(
        *views,
        matching=sides.matching,
        names=(first, second),
        notes=sides.notes,
        colour=visit.wanted.colour,
        width=visit.width,
    )
    shown = Shown(
        figure,
        key="matched",
        says=_says(views, sides.matching, (one.name, other.name)),
        name=f"{one.shown.trace.source_text[:40]} {first} {second}",
    )
    show(shown, visit)


def _says(views: tuple[View, View], matching: Matching, names: tuple[str, str]) -> str:
    """Say where the two differ most."""
    one, other = matching.first(views[0].weights), matching.second(views[1].weights)
    gap = np.abs(one - other)[:, :-1]
    if not gap.size or not gap.max():
        return _("Both attend alike on the matched words.")
    query, key = np.unravel_index(gap.argmax(), gap.shape)
    shown = views[0].shown
    return _(
        "They differ most at “{query}”: “{key}” gets {one} from {first} and {other} from {second}.",
        query=isolated(visible(shown.query_tokens.texts[matching.queries[int(query)][0]])),
        key=isolated(visible(shown.key_tokens.texts[matching.keys[int(key)][0]])),
        one=f"{one[query, key]:.2f}",
        other=f"{other[query, key]:.2f}",
        first=names[0],
        second=names[1],
    )
