"""Heads of a trace: their places, and a view of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from models.sites import Site
from models.trace import AttentionTrace
from viz.text.language import _, mark
from viz.views.hiding import NOTHING, Hiding
from viz.views.view import Unit, View, choose_view, hide

KINDS: Mapping[str, tuple[str, str]] = {
    "encoder": ("encoder.*.self", mark("encoder self")),
    "decoder": ("decoder.*.self", mark("decoder self")),
    "cross": ("decoder.*.cross", mark("cross")),
    "hops": ("encoder.*.hops", mark("hops")),
}
"""What links call each kind of map, its sites, and its name."""


def kinds_of(sites: Iterable[Site]) -> tuple[str, ...]:
    """Return what links call the kinds of maps that there are."""
    places = tuple(sites)
    return tuple(kind for kind, (pattern, _name) in KINDS.items() if any(site.matches(pattern) for site in places))


def sites_at(trace: AttentionTrace, sites: str) -> tuple[Site, ...]:
    """Return the places of the maps of `trace` that `sites` names, by layer; raises as `views_at`."""
    chosen = tuple(sorted(site for site in trace.sites if site.at("weights").matches(sites)))
    if not chosen:
        message = f"no map at {sites}; captured: {', '.join(map(str, trace.sites)) or 'none'}"
        raise KeyError(message)
    if len({(site.stack, site.kind) for site in chosen}) > 1:
        message = f"heads of one stack and kind are compared; {sites} names {', '.join(map(str, chosen))}"
        raise ValueError(message)
    return chosen


def places_at(trace: AttentionTrace, sites: str) -> tuple[HeadPlace, ...]:
    """Return all heads of the maps that `sites` names, by layer and head; raises as `views_at`."""
    return tuple(HeadPlace(layer, head) for layer, count in _counts(trace, sites).items() for head in range(count))


def _counts(trace: AttentionTrace, sites: str) -> dict[int, int]:
    """Return how many heads each layer has; no map is computed for it."""
    layerwise = trace.quantity == "zeroed"  # all heads of a layer together
    heads = {each.site: 1 if layerwise else len(each.head_names) for each in trace.maps}
    return {site.layer: heads[site] for site in sites_at(trace, sites)}


def views_at(trace: AttentionTrace, sites: str, unit: Unit, hiding: Hiding = NOTHING) -> tuple[View, ...]:
    """Return a view of each map of `trace` that `sites` names, by layer; each shows its head 0."""
    return tuple(view_at(trace, site, unit, hiding) for site in sites_at(trace, sites))


def view_at(trace: AttentionTrace, site: Site, unit: Unit, hiding: Hiding = NOTHING) -> View:
    """Return a view of head 0 of the map at `site`, its rows labelled by the token written."""
    return hide(choose_view(trace, unit=unit, site=site, head=0, reading="written"), hiding)


def pick_views(
    trace: AttentionTrace, sites: str, unit: Unit, heads: Sequence[HeadPlace], hiding: Hiding = NOTHING
) -> tuple[View, ...]:
    """Return a view of each of `heads`, in their order; no other layer is looked at."""
    layers = {site.layer: site for site in sites_at(trace, sites)}
    counts = _counts(trace, sites)
    for place in heads:
        if not 0 <= place.head < counts.get(place.layer, 0):
            there = ", ".join(f"{layer}: 0 to {count - 1}" for layer, count in counts.items())
            message = f"{sites}: no head {place.head} in layer {place.layer}; heads by layer are {there}"
            raise ValueError(message)
    views = {layer: view_at(trace, layers[layer], unit, hiding) for layer in {place.layer for place in heads}}
    return tuple(replace(views[place.layer], head=place.head) for place in heads)


class HeadPlace(NamedTuple):
    """Where a head stands in a stack of attention layers, both counted from 0."""

    layer: int
    head: int

    @property
    def title(self) -> str:
        """Its name in words."""
        return _("layer {layer}, head {head}", layer=self.layer, head=self.head)

    @property
    def code(self) -> str:
        """Its name in links and in lists of choices."""
        return f"{self.layer}.{self.head}"

    @classmethod
    def of_code(cls, code: str) -> HeadPlace:
        """Return the head that `code` names.

        Parameters
        ----------
        code : str
            As `code` gives it.

        Examples
        --------
        >>> HeadPlace.of_code("1.5").code
        '1.5'
        """
        return cls(*map(int, code.split(".")))
