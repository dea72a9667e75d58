"""Numbers and sentences that describe heads: what each measure says, where it means something, what is strongest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from viz.figures.head_maps import HeadPlace
from viz.language import _, mark
from viz.measures import key_share, mean_distance, mean_entropy, offset_share, relative_entropy
from viz.tokens import visible
from viz.views import View

ENCODER, DECODER, CROSS = ("encoder", "self"), ("decoder", "self"), ("decoder", "cross")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that describes a head on one sentence.

    Parameters
    ----------
    key : str
        What code calls it.
    name, meaning : str
        Message ids: what a table calls it, and one plain sentence.
    compute : callable
        From weights, [head, query, key], and whether they are causal, to a number a head.
    places : tuple of (str, str)
        Stack and kind of the maps where it means something.
    is_share : bool
        Whether it lies between 0 and 1.
    """

    key: str
    name: str
    meaning: str
    compute: Callable[[NDArray[Any], bool], NDArray[np.float64]]
    places: tuple[tuple[str, str], ...] = (ENCODER, DECODER, CROSS)
    is_share: bool = True


MEASURES = (
    Measure(
        "entropy",
        mark("entropy, bits"),
        mark("How widely a query spreads its reading, on average: 0 bits if it reads one token, 3 bits as if 8 alike."),
        lambda weights, _causal: mean_entropy(weights),
        is_share=False,
    ),
    Measure(
        "breadth",
        mark("entropy, share of most"),
        mark("The same entropy divided by the most that it could be, so that short and long texts compare."),
        lambda weights, causal: relative_entropy(weights, causal=causal),
    ),
    Measure(
        "distance",
        mark("mean distance, tokens"),
        mark("How many tokens, as they are shown, lie between the one that reads and the one being read, on average."),
        lambda weights, _causal: mean_distance(weights),
        (ENCODER, DECODER),
        is_share=False,
    ),
    Measure(
        "previous",
        mark("on previous"),
        mark("Share of all reading that goes to the token just before the one that reads."),
        lambda weights, _causal: offset_share(weights, -1),
        (ENCODER, DECODER),
    ),
    Measure(
        "same",
        mark("on itself"),
        mark("Share of all reading in which a token reads itself."),
        lambda weights, _causal: offset_share(weights, 0),
        (ENCODER, DECODER),
    ),
    Measure(
        "next",
        mark("on next"),
        mark("Share of all reading that goes to the token just after the one that reads."),
        lambda weights, _causal: offset_share(weights, 1),
        (ENCODER,),
    ),
    Measure(
        "first",
        mark("on first"),
        mark("Share of all reading that goes to the first token of the text, whoever reads."),
        lambda weights, _causal: key_share(weights, 0),
    ),
    Measure(
        "last",
        mark("on last, </s>"),
        mark("Share of all reading that goes to the end of the source text, where heads often rest."),
        lambda weights, _causal: key_share(weights, -1),
        (ENCODER, CROSS),
    ),
)
"""In the order of a table's columns."""


def measures_for(site: Site) -> tuple[Measure, ...]:
    """Give the measures that mean something for the map at `site`."""
    return tuple(measure for measure in MEASURES if (site.stack, site.kind) in measure.places)


def left_out(site: Site) -> str:
    """Say which measures are left out for the map at `site`, and why; empty if none is."""
    if site.kind == "cross":
        return _(
            "Left out: distance, previous, itself and next. Query and key are tokens of two different texts, "
            "so that equal positions mean nothing."
        )
    if site.stack == "decoder":
        return _(
            "Left out: next and last. This attention never looks ahead: the share on the next token is 0, and only "
            "the last row can read the last token."
        )
    return ""


@dataclass(frozen=True, slots=True)
class Profile:
    """The measures of one head, by `Measure.key`."""

    place: HeadPlace
    values: dict[str, float]


def profiles_of(views: Sequence[View]) -> tuple[Profile, ...]:
    """Measure every head of every layer.

    Parameters
    ----------
    views : sequence of View
        One a layer, of one stack and kind.

    Returns
    -------
    tuple of Profile
        By layer and head.
    """
    profiles = []
    for view in views:
        shown = view.shown
        columns = {measure.key: measure.compute(shown.weights, shown.causal) for measure in measures_for(shown.site)}
        for head in range(len(shown.head_names)):
            values = {key: float(column[head]) for key, column in columns.items()}
            profiles.append(Profile(HeadPlace(shown.site.layer, head), values))
    return tuple(profiles)


def overview_sentence(views: Sequence[View]) -> str:
    """Say which head reads one token most, of all heads of all layers: plain text."""
    best = [
        (_strongest(view, weights), view, head) for view in views for head, weights in enumerate(view.shown.weights)
    ]
    (weight, query, key), view, head = max(best, key=lambda each: each[0][0])
    return _(
        "Of {count} heads {place} reads one token most: “{query}” reads “{key}” ({weight}).",
        count=len(best),
        place=HeadPlace(view.shown.site.layer, head).title,
        query=query,
        key=key,
        weight=f"{weight:.2f}",
    )


def comparison_sentence(places: Sequence[HeadPlace], views: Sequence[View]) -> str:
    """Say for each picked head which token reads which most: plain text."""
    said = []
    for place, view in zip(places, views, strict=True):
        weight, query, key = _strongest(view, view.weights)
        reads = _("“{query}” reads “{key}” most ({weight})", query=query, key=key, weight=f"{weight:.2f}")
        said.append(f"{place.title}: {reads}")
    return "; ".join(said) + "."


def difference_sentence(places: Sequence[HeadPlace], views: Sequence[View]) -> str:
    """Say where two heads differ most, either way: plain text."""
    one, other = (view.weights for view in views)
    if np.array_equal(one, other):
        return _("The two heads read alike: no weight differs.")
    said = []
    for place, more, less in ((places[0], one, other), (places[1], other, one)):
        if not (more > less).any():
            continue
        at = np.unravel_index((more - less).argmax(), more.shape)
        said.append(
            _(
                "{place} reads “{key}” more from “{query}” ({more} against {less})",
                place=place.title,
                query=visible(views[0].shown.query_tokens.texts[int(at[0])]),
                key=visible(views[0].shown.key_tokens.texts[int(at[1])]),
                more=f"{more[at]:.2f}",
                less=f"{less[at]:.2f}",
            )
        )
    return "; ".join(said) + "."


def combination_sentence(how: str, views: Sequence[View]) -> str:
    """Say what is strongest in the sum or the mean of heads: plain text."""
    stack = np.stack([view.weights for view in views])
    weight, query, key = _strongest(views[0], stack.sum(axis=0) if how == "sum" else stack.mean(axis=0))
    parts = {"query": query, "key": key, "weight": f"{weight:.2f}", "count": len(views)}
    if how == "sum":
        return _("Taken together “{query}” reads “{key}” most ({weight} of {count}).", **parts)
    return _("On average “{query}” reads “{key}” most ({weight}).", **parts)


def _strongest(view: View, weights: NDArray[Any]) -> tuple[float, str, str]:
    """Give the largest weight with its tokens; of rows that have a choice and are words, if there are any."""
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    free = [row for row in range(len(queries)) if row or not view.shown.causal or len(queries) == 1]
    rows = [row for row in free if _is_word(queries[row])] or free
    query, key = np.unravel_index(weights[rows].argmax(), (len(rows), len(keys)))
    return float(weights[rows[int(query)], key]), visible(queries[rows[int(query)]]), visible(keys[int(key)])


def _is_word(text: str) -> bool:
    return not text.startswith("<") and any(character.isalnum() for character in text)
