"""Numbers of every head over a corpus: means of its measures, and how often it follows a pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.corpus.kept import Kept
from models.corpus.patterns import rate_of
from models.measures.asking import ASKABLE
from models.measures.heads import MEASURES
from models.sites import Site
from viz.views.heads import HeadPlace

OFTEN = "often-"
"""How the keys of patterns begin, beside those of measures."""


@dataclass(frozen=True, slots=True)
class CorpusNumbers:
    """What was measured of all heads of one kind over a corpus; empty where nothing was."""

    means: Mapping[str, Sequence[float]]  # by `Measure.key`, of each head
    rates: Mapping[str, Sequence[float]]  # by pattern, of each head

    @property
    def values(self) -> dict[str, Sequence[float]]:
        """All numbers, by their keys in links."""
        return {**self.means, **{OFTEN + pattern: rates for pattern, rates in self.rates.items()}}


def numbers_over_corpus(places: Sequence[HeadPlace], site: Site, sha256: str, kept: Kept | None) -> CorpusNumbers:
    """Return the numbers of all heads of the kind of `site`, of a model with these weights; what all heads have."""
    heads = [kept.heads.get((f"{site.stack}.{site.kind}", *place)) if kept else None for place in places]
    means = {
        each.key: [head.means[each.key] for head in heads if head]
        for each in MEASURES
        if all(head and each.key in head.means for head in heads)
    }
    rates = {}
    for pattern in ASKABLE:
        found = [rate_of(sha256, Site(site.stack, place.layer, site.kind), place.head, pattern) for place in places]
        if all(found):
            rates[pattern] = [each.share for each in found if each]
    return CorpusNumbers(means, rates)
