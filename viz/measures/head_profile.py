"""Numbers that describe heads: each measure, where it means something, and the heads by them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from viz.measures.distance import mean_distance, offset_share
from viz.measures.entropy import mean_entropy, relative_entropy
from viz.measures.labels import HeadLabel, label_of
from viz.measures.shares import even_weights, key_share, keys_share, repeated_share, unread_share
from viz.views.heads import HeadPlace
from viz.views.hiding import word_positions
from viz.views.view import View, key_pieces

UNREAD = "unread"


ENCODER, DECODER, CROSS = ("encoder", "self"), ("decoder", "self"), ("decoder", "cross")


@dataclass(frozen=True, slots=True)
class Sample:
    """What is measured: the heads of one layer on one text.

    Parameters
    ----------
    weights : array, [head, query, key]
    causal : bool
        Whether a query could read only keys at or before its own position.
    specials : tuple of int
        Positions of the keys that are special tokens.
    names : tuple
        What each key token is, such that the same token stands twice where two are equal. Special tokens are all
        different.
    rows_sum_to_one : bool
        False where rows may give something to no token.
    """

    weights: NDArray[Any]
    causal: bool = False
    specials: tuple[int, ...] = ()
    names: tuple[Hashable, ...] = ()
    rows_sum_to_one: bool = True

    @property
    def delimiters(self) -> tuple[int, ...]:
        """The special tokens after the first token, which has a measure of its own."""
        return tuple(place for place in self.specials if place)

    @property
    def even(self) -> Sample:
        """One head that reads all that it may alike."""
        return replace(self, weights=even_weights(*self.weights.shape[1:], causal=self.causal)[None])


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that describes a head on one sentence.

    Parameters
    ----------
    key : str
        What code calls it; what a reader calls it stands in `viz.captions.measures`.
    compute : callable
        From a `Sample` to a number a head.
    places : tuple of (str, str)
        Stack and kind of the maps where it means something.
    is_share : bool
        Whether it lies between 0 and 1.
    needs : callable, optional
        Tells whether it says anything of a `Sample`; left out, of any.
    """

    key: str
    compute: Callable[[Sample], NDArray[np.float64]]
    places: tuple[tuple[str, str], ...] = (ENCODER, DECODER, CROSS)
    is_share: bool = True
    needs: Callable[[Sample], bool] | None = None


MEASURES = (
    Measure("entropy", lambda sample: mean_entropy(sample.weights), is_share=False),
    Measure("breadth", lambda sample: relative_entropy(sample.weights, causal=sample.causal)),
    Measure("distance", lambda sample: mean_distance(sample.weights), (ENCODER, DECODER), is_share=False),
    Measure("previous", lambda sample: offset_share(sample.weights, -1), (ENCODER, DECODER)),
    Measure("same", lambda sample: offset_share(sample.weights, 0), (ENCODER, DECODER)),
    Measure("next", lambda sample: offset_share(sample.weights, 1), (ENCODER,)),
    Measure("first", lambda sample: key_share(sample.weights, 0)),
    Measure("last", lambda sample: key_share(sample.weights, -1), (ENCODER, CROSS)),
    Measure(
        "delimiter",
        lambda sample: keys_share(sample.weights, sample.delimiters),
        needs=lambda sample: bool(sample.delimiters),
    ),
    Measure(
        "repeated",
        lambda sample: repeated_share(sample.weights, sample.names, causal=sample.causal),
        (ENCODER, DECODER),
        needs=lambda sample: len(set(sample.names)) < len(sample.names),
    ),
    Measure(UNREAD, lambda sample: unread_share(sample.weights), needs=lambda sample: not sample.rows_sum_to_one),
)
"""In the order of a table's columns."""


def measures_for(site: Site, sample: Sample | None = None) -> tuple[Measure, ...]:
    """Return the measures that mean something for the map at `site`, and for the text of `sample`.

    Without `sample`, those that mean something for any text.

    Parameters
    ----------
    site : Site
    sample : Sample, optional
    """
    return tuple(
        measure
        for measure in MEASURES
        if (site.stack, site.kind) in measure.places
        and (measure.needs is None or (sample is not None and measure.needs(sample)))
    )


def sample_of(view: View, specials: Sequence[int] | None = None) -> Sample:
    """Return what is measured of `view`: all heads of its map.

    Parameters
    ----------
    view : View
        With nothing hidden: a share of the reading is one of all that the model read.
    specials : sequence of int, optional
        Positions of special tokens among the pieces of the keys' text; left out, those that the trace names.

    Raises
    ------
    ValueError
        If tokens of `view` are hidden, or a position is not one of the text.
    """
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
    names = [place if place in places else text.strip() for place, text in enumerate(shown.key_tokens.texts)]
    return Sample(shown.weights, shown.causal, places, tuple(names), shown.rows_sum_to_one)


def columns_of(profiles: Sequence[Profile]) -> tuple[Measure, ...]:
    """Return the measures that tell something of their own: of two that are equal for every head, the later.

    Parameters
    ----------
    profiles : sequence of Profile
    """
    there = [measure for measure in MEASURES if all(measure.key in each.values for each in profiles)]
    values = {measure.key: tuple(each.values[measure.key] for each in profiles) for measure in there}
    doubled = "last" in values and values["last"] == values.get("delimiter")
    return tuple(measure for measure in there if not (doubled and measure.key == "last"))


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one head on one text.

    Parameters
    ----------
    place : HeadPlace
    values : dict
        Its measures, by `Measure.key`; those that mean something here.
    label : HeadLabel
        The pattern that it follows, if any.
    """

    place: HeadPlace
    values: dict[str, float]
    label: HeadLabel


def profiles_of(views: Iterable[View], specials: Sequence[int] | None = None) -> tuple[Profile, ...]:
    """Measure every head of every layer.

    Parameters
    ----------
    views : sequence of View
        One a layer, of one stack and kind, nothing hidden.
    specials : sequence of int, optional
        Positions of special tokens among the pieces of the keys' text; left out, those that the trace names.

    Returns
    -------
    tuple of Profile
        By layer and head. If rows of any layer may give something to no token, all heads say how much.

    Raises
    ------
    ValueError
        If tokens of a view are hidden, or a position is not one of the text.
    """
    profiles: list[Profile] = []
    for view in views:
        sample, site = sample_of(view, specials), view.shown.site
        measures = measures_for(site, sample)
        columns = {measure.key: measure.compute(sample) for measure in measures}
        even = {measure.key: float(measure.compute(sample.even)[0]) for measure in measures}
        for head in range(len(view.shown.head_names)):
            values = {key: float(column[head]) for key, column in columns.items()}
            profiles.append(Profile(HeadPlace(site.layer, head), values, label_of(values, even)))
    if any(UNREAD in each.values for each in profiles):
        return tuple(replace(each, values={UNREAD: 0.0} | each.values) for each in profiles)
    return tuple(profiles)


def ordered(profiles: Sequence[Profile], by: str) -> tuple[Profile, ...]:
    """Return `profiles` with the most of a measure first, the earlier head first among equals.

    Parameters
    ----------
    profiles : sequence of Profile
    by : str
        A `Measure.key`; ``"score"``, that of the label; or ``"place"``, layer and head.

    Raises
    ------
    ValueError
        If there is no such measure here.

    Examples
    --------
    >>> nothing = HeadLabel("none", 0.5)
    >>> heads = [Profile(HeadPlace(0, head), {"first": share}, nothing) for head, share in enumerate((0.25, 0.75))]
    >>> [each.place.head for each in ordered(heads, "first")]
    [1, 0]
    """
    if by == "place":
        return tuple(sorted(profiles, key=lambda each: each.place))
    known = sorted({"score", *(key for each in profiles for key in each.values)})
    if profiles and by not in known:
        message = f"heads are ordered by place, {', '.join(known)}; got {by!r}"
        raise ValueError(message)
    return tuple(sorted(profiles, key=lambda each: -(each.label.score if by == "score" else each.values[by])))
