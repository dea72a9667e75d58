"""Views of one trace on the Heads page, computed on demand and cached."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeVar

from models.trace import AttentionTrace
from viz.canvas.overview import SmallMaps, Tiles, encode_overview, printed_heads, small_maps
from viz.canvas.payload import MOST_PICKED, Look
from viz.captions import heads
from viz.captions.heads import overview_note
from viz.figures.drawing.theme import Colour
from viz.figures.printable import PrintedHeads
from viz.measures import head_profile
from viz.measures.similarity import Similarity, head_similarity
from viz.server.caching import BoundedCache
from viz.shell.script_run import leave_if_asked
from viz.text.language import current_language
from viz.views.heads import HeadPlace, pick_views, places_at, sites_at, view_at, views_at
from viz.views.hiding import NOTHING, Hiding
from viz.views.later import later_words
from viz.views.view import Unit, View

T = TypeVar("T")

LONG_TEXT = 200
"""Tokens from which a text counts as long: pieces unless words are asked for, and nothing computed unasked."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadSelection:
    """The heads of one stack and kind on one text."""

    trace: AttentionTrace
    # small, and the same for equal traces, whatever their quantity: under it and the other choices results are kept
    identity: Hashable
    workings: BoundedCache[Any]  # where they are kept; never anything that holds the trace
    sites: str  # as `viz.views.heads.views_at` takes it
    unit: Unit = "word"
    hiding: Hiding = NOTHING
    later: AttentionTrace | None = None  # with the scores of later words, which the causal mask hides
    _made: dict[Hiding, tuple[View, ...]] = field(default_factory=dict, init=False, repr=False)
    _first: list[View] = field(default_factory=list, init=False, repr=False)

    @property
    def places(self) -> tuple[HeadPlace, ...]:
        """All heads, by layer and head."""
        return places_at(self.trace, self.sites)

    @property
    def first(self) -> View:
        """Head 0 of the first layer."""
        if not self._first:  # what is moved is computed each time that it is asked for
            self._first.append(view_at(self.trace, sites_at(self.trace, self.sites)[0], self.unit, self.hiding))
        return self._first[0]

    @property
    def has_long_text(self) -> bool:
        """Whether the text is so long that nothing is computed unasked."""
        return is_long_text(self.trace)

    def views(self, hiding: Hiding | None = None) -> Iterator[View]:
        """Return a view a layer, under another `hiding` than the own one if given; of a long text made one by one."""
        chosen = self.hiding if hiding is None else hiding
        if self.has_long_text:
            return self._one_by_one(chosen)
        if chosen not in self._made:
            self._made[chosen] = views_at(self.trace, self.sites, self.unit, chosen)
        return iter(self._made[chosen])

    def _one_by_one(self, hiding: Hiding) -> Iterator[View]:
        for site in sites_at(self.trace, self.sites):
            leave_if_asked()
            yield view_at(self.trace, site, self.unit, hiding)

    def pick(self, heads: Sequence[HeadPlace]) -> tuple[View, ...]:
        """Return a view of each of `heads`."""
        return pick_views(self.trace, self.sites, self.unit, heads, self.hiding)

    def crossed(self, heads: Sequence[HeadPlace]) -> tuple[View, ...]:
        """Return `later_words` of each of `heads`; none where they are not known, or no weights are shown."""
        if self.later is None or self.trace.quantity != "weights":
            return ()
        return pick_views(later_words(self.later), self.sites, self.unit, heads, self.hiding)

    def profiles(self) -> tuple[head_profile.Profile, ...]:
        """Measure every head, on all tokens, hidden or not."""
        return self.kept(("profiles",), lambda: head_profile.profiles_of(self.views(NOTHING)))

    def clearest(self) -> tuple[HeadPlace, ...]:
        """Return the head of each label that shows it best; of a long text, the first of the outer layers."""
        found = () if self.has_long_text else head_profile.clearest(self.profiles(), MOST_PICKED)
        outer = {self.places[0].layer, self.places[-1].layer}
        return found or tuple(place for place in self.places if place.head == 0 and place.layer in outer)

    def sentence(self) -> str:
        """Say which head reads one token most."""
        return self._looked_at()[1].sentence()

    @property
    def hidden(self) -> Hiding:
        """The tokens that are hidden; every cell counts, however small."""
        return replace(self.hiding, threshold=0.0)

    def similarity(self) -> Similarity:
        """Compare every head with every other, on the tokens that are shown."""
        return self.kept(
            ("similarity", self.hidden),
            lambda: head_similarity(self.trace, sites=self.sites, unit=self.unit, hiding=self.hidden),
        )

    @property
    def small(self) -> SmallMaps:
        """Every head as a small picture."""
        return self._looked_at()[0]

    def payload(self, tiles: Tiles, look: Look) -> bytes:
        """Return what the canvas overview shows; picking, ordering and colour compute no map anew."""
        small, sharpest = self._looked_at()
        note = self.kept(("note", self.hiding, current_language()), self._note)
        return encode_overview([self.first], tiles, replace(look, says=sharpest.sentence()), small=small, note=note)

    def turned(self, among: Sequence[str], *drawn: Hashable) -> dict[str, Any]:
        """Return what the switch of quantities turns of a canvas that is `drawn` so; equal but for the quantity."""
        same = repr((self.identity, self.sites, self.unit, self.hiding, current_language(), drawn))
        of = blake2b(same.encode(), digest_size=8).hexdigest()
        return {"of": of, "quantity": self.trace.quantity, "among": list(among)}

    def printed(self, tiles: Tiles, colour: Colour) -> PrintedHeads:
        """Return the overview for print."""
        return printed_heads(self.first, self.small, tiles, colour=colour, note=self._note())

    def _looked_at(self) -> tuple[SmallMaps, heads.Sharpest]:
        """Return the small maps of all heads, and which head reads one token most: each layer is computed once."""

        def look() -> tuple[SmallMaps, heads.Sharpest]:
            sharpest = heads.Sharpest()
            return small_maps(sharpest.watch(self.views(self.hidden))), sharpest

        return self.kept(("looked at", self.hidden), look)

    def _note(self) -> str:
        if not self.hiding.threshold:
            return overview_note([self.first])
        return overview_note(tuple(self.views()))

    def kept(self, what: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
        """Return what is kept of this map and unit under `what`, or compute and keep it."""
        found: T = self.workings.get((self.identity, self.trace.quantity, self.sites, self.unit, *what), compute)
        return found


def is_long_text(trace: AttentionTrace) -> bool:
    """Return whether the texts of `trace` are so long that nothing is computed unasked."""
    return max(len(trace.source), len(trace.target)) > LONG_TEXT
