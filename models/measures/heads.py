"""The numbers that describe heads: what each is, and of which maps it means something. numpy only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.chance import Chance, chance_of, chance_of_most
from models.measures.labels import PATTERNS, RESTS, UNREAD, Labels, labels_of
from models.measures.reading import Reading
from models.measures.texts import INDUCTION, KEYS, LINKED, OFFSETS, ONE, Texts, TextSample
from models.sites import Site

ENCODER, DECODER, CROSS = ("encoder", "self"), ("decoder", "self"), ("decoder", "cross")
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that describes a head on one sentence."""

    key: str  # what code calls it; what a reader calls it stands in `viz.captions.measures`
    compute: Callable[[Reading, Texts], Array]  # from a `Reading` of `Texts` to a number a text and head
    # stack and kind of the maps where it means something
    places: tuple[tuple[str, str], ...] = (ENCODER, DECODER, CROSS)
    is_share: bool = True  # whether it lies between 0 and 1
    needs: Callable[[TextSample], bool] | None = (
        None  # tells whether it says anything of a `TextSample`; left out, of any
    )


def _given(pattern: str, reading: Reading, texts: Texts) -> Array:
    """Return the weight in the cells of a pattern: [text, head]."""
    if pattern not in reading.given:
        reading.given[pattern] = _work_out(pattern, reading, texts)
    return reading.given[pattern]


def _work_out(pattern: str, reading: Reading, texts: Texts) -> Array:
    if pattern in OFFSETS:
        return reading.offset_given(*(each for each in OFFSETS[pattern] if each <= 0 or not reading.causal))
    if pattern in KEYS:
        return reading.key_given(texts.places(pattern))
    if pattern == ONE:
        return reading.most_given(texts.places(pattern))
    return reading.cells_given(texts.cells(pattern))


def _share(pattern: str) -> Callable[[Reading, Texts], Array]:
    return lambda reading, texts: reading.share(_given(pattern, reading, texts))


def _has_links(sample: TextSample) -> bool:
    return sample.links is not None


MEASURES = (
    Measure("entropy", lambda reading, _texts: reading.mean_entropy(), is_share=False),
    Measure("breadth", lambda reading, _texts: reading.relative_entropy()),
    Measure("distance", lambda reading, _texts: reading.mean_distance(), (ENCODER, DECODER), is_share=False),
    *(Measure(pattern, _share(pattern), (CROSS,), needs=_has_links) for pattern in LINKED),
    Measure("previous", _share("previous"), (ENCODER, DECODER)),
    Measure("same", _share("same"), (ENCODER, DECODER)),
    Measure("next", _share("next"), (ENCODER,)),
    Measure("near", _share("near"), (ENCODER, DECODER)),
    Measure("first", _share("first")),
    Measure("last", _share("last"), (ENCODER, CROSS)),
    Measure("delimiter", _share("delimiter"), needs=lambda sample: bool(sample.delimiters)),
    Measure("punctuation", _share("punctuation"), needs=lambda sample: bool(sample.marks)),
    Measure(ONE, _share(ONE), needs=lambda sample: bool(sample.ordinary)),
    Measure(
        "repeated",
        lambda reading, texts: reading.rows_share(texts.cells("repeated"), _given("repeated", reading, texts)),
        (ENCODER, DECODER),
        needs=lambda sample: sample.repeats,
    ),
    Measure(
        INDUCTION,
        lambda reading, texts: reading.rows_share(texts.cells(INDUCTION), _given(INDUCTION, reading, texts)),
        (ENCODER, DECODER),
        needs=lambda sample: sample.inducts,
    ),
    Measure(UNREAD, lambda reading, _texts: reading.unread_share(), needs=lambda sample: not sample.rows_sum_to_one),
)
"""In the order of a table's columns."""


def measures_for(site: Site, sample: TextSample | None = None) -> tuple[Measure, ...]:
    """Return the measures that mean something for the map at `site`, and for the text of `sample`.

    Without `sample`, those that mean something for any text.
    """
    return tuple(
        measure
        for measure in MEASURES
        if (site.stack, site.kind) in measure.places
        and (measure.needs is None or (sample is not None and measure.needs(sample)))
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """The heads of one layer on several texts, in numbers."""

    values: dict[str, Array]  # [text, head] By `Measure.key`; -1 where a measure says nothing of a text
    means: dict[str, NDArray[np.bool_]]  # [text] Of which texts it does
    # [text, head] Of each pattern the share that chance gives it, without the keys where heads rest
    expected: dict[str, Array]
    # [text, head] Of each pattern how many standard deviations its share lies above that, corrected
    # (`models.measures.chance`)
    clear: dict[str, Array]
    labels: Labels  # arrays, [text, head]


def measure_heads(reading: Reading, texts: Texts, site: Site) -> Measured:
    """Measure the heads of one layer on several texts."""
    values, means = {}, {}
    for measure in MEASURES:
        if (site.stack, site.kind) in measure.places:
            there = texts.means(measure.needs)
            if there.any():
                means[measure.key] = there
                values[measure.key] = np.where(there[:, None], measure.compute(reading, texts), -1)
    chance = _chance({key: there for key, there in means.items() if key in PATTERNS}, reading, texts)
    return Measured(
        values,
        means,
        {key: reading.share(each.expected) for key, each in chance.items()},
        {key: each.deviations for key, each in chance.items()},
        labels_of(values, {key: (each.times, each.deviations) for key, each in chance.items()}),
    )


def _chance(means: dict[str, NDArray[np.bool_]], reading: Reading, texts: Texts) -> dict[str, Chance]:
    """Return how what heads give to each pattern compares with chance: arrays [text, head].

    Where heads rest is held against all keys; every other pattern leaves those keys out, and so does its chance.
    """
    patterns = np.sum(list(means.values()), axis=0)
    others = reading.among(texts.places(ONE))
    found: dict[str, Chance] = {}
    for read, keys in ((reading, RESTS), (others, [key for key in PATTERNS if key not in (*RESTS, ONE)])):
        there = [key for key in keys if key in means]
        if there:
            given = np.stack([_given(key, read, texts) for key in there], axis=-1)  # [text, head, pattern]
            counted = np.stack([texts.counted(key, read.may) for key in there], axis=1)  # [text, pattern, query]
            chance = chance_of(given, read.moments, read.may.sum(axis=-1), counted, patterns)
            found |= {key: Chance(*(each[..., place] for each in chance)) for place, key in enumerate(there)}
    if ONE in means:
        found[ONE] = chance_of_most(others.received, others.moments, others.may, patterns)
    return found
