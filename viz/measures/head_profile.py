"""Profiles of heads: measures and labels, the clearest head of each label, order by a measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from models.measures.heads import MEASURES, Measure, measure_heads
from models.measures.labels import NONE, RESTS, UNREAD, HeadLabel
from models.measures.reading import Reading
from models.measures.texts import Texts, TextSample
from models.trace import Alignment
from models.trace.tokens import word_positions
from viz.measures.translated import translated_cells
from viz.views.heads import HeadPlace
from viz.views.view import View, key_pieces


def columns_of(profiles: Sequence[Profile]) -> tuple[Measure, ...]:
    """Return the measures that tell something of their own: of two that are equal for every head, the later."""
    there = [measure for measure in MEASURES if all(measure.key in each.values for each in profiles)]
    values = {measure.key: tuple(each.values[measure.key] for each in profiles) for measure in there}
    doubled = "last" in values and values["last"] == values.get("delimiter")
    return tuple(measure for measure in there if not (doubled and measure.key == "last"))


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one head on one text."""

    place: HeadPlace
    values: dict[str, float]  # its measures, by `Measure.key`; those that mean something here
    label: HeadLabel  # the pattern that it follows, if any
    sink: str = ""  # the token where it rests most, if its label says that it rests


def profiles_of(
    views: Iterable[View], specials: Sequence[int] | None = None, alignment: Alignment | None = None
) -> tuple[Profile, ...]:
    """Measure every head of every layer."""
    profiles: list[Profile] = []
    for view in views:
        sample, site = sample_of(view, specials, alignment), view.shown.site
        reading = Reading.of(view.shown.weights, causal=sample.causal)
        found = measure_heads(reading, Texts([sample]), site)
        for head in range(len(view.shown.head_names)):
            values = {key: float(column[0, head]) for key, column in found.values.items()}
            label = found.labels.at(0, head)
            sink = _sink(sample, label, reading.received[0, head], view.shown.key_tokens.texts)
            profiles.append(Profile(HeadPlace(site.layer, head), values, label, sink))
    if any(UNREAD in each.values for each in profiles):
        return tuple(replace(each, values={UNREAD: 0.0} | each.values) for each in profiles)
    return tuple(profiles)


def _sink(sample: TextSample, label: HeadLabel, received: NDArray[Any], texts: Sequence[str]) -> str:
    """Return the token on which a head rests most; empty if its label is another."""
    places = sample.places(label.key) if label.key in RESTS else ()
    return texts[max(places, key=lambda place: received[place])] if places else ""


def sample_of(view: View, specials: Sequence[int] | None = None, alignment: Alignment | None = None) -> TextSample:
    """Return what must be known of `view` to measure all heads of its map."""
    if view.hidden_keys or view.hidden_queries:
        message = f"{view.shown.site}: measured is the whole of a map; got one with hidden tokens"
        raise ValueError(message)
    keys = key_pieces(view)
    specials = keys.specials if specials is None else specials
    if any(not 0 <= place < len(keys) for place in specials):
        message = f"{view.shown.site}: special tokens stand at 0 to {len(keys) - 1}; got {tuple(specials)}"
        raise ValueError(message)
    places = word_positions(keys, specials) if view.unit == "word" else tuple(specials)
    shown = view.shown
    links = translated_cells(view.trace, view.unit, alignment) if shown.site.kind == "cross" else None
    return TextSample.of(
        shown.key_tokens.texts,
        queries=len(shown.query_tokens),
        specials=places,
        causal=shown.causal,
        rows_sum_to_one=shown.rows_sum_to_one,
        links=links,
    )


def clearest(profiles: Sequence[Profile], most: int) -> tuple[HeadPlace, ...]:
    """Return the clearest head for each label: patterns first, by distance from chance, then sharp and broad."""
    best: dict[str, Profile] = {}
    for each in sorted(profiles, key=lambda one: (-one.label.above, -one.label.score)):
        if each.label.key != NONE:
            best.setdefault(each.label.key, each)
    return tuple(each.place for each in list(best.values())[:most])


def ordered(profiles: Sequence[Profile], by: str) -> tuple[Profile, ...]:
    """Return `profiles` with the most of a measure first, the earlier head first among equals."""
    if by == "place":
        return tuple(sorted(profiles, key=lambda each: each.place))
    known = sorted({"score", *(key for each in profiles for key in each.values)})
    if profiles and by not in known:
        message = f"heads are ordered by place, {', '.join(known)}; got {by!r}"
        raise ValueError(message)
    return tuple(sorted(profiles, key=lambda each: -(each.label.score if by == "score" else each.values[by])))
