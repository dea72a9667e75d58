"""Signed difference of two maps with the same words, and its texts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.trace import AttentionMap, AttentionTrace, Provenance, TokenSequence
from viz.text.language import _
from viz.views.view import Unit, View, choose_view

SMALLEST_NAMED = 0.005
"""A largest difference below it would be named as 0.00."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What one view gives to each key, less what another gives."""

    first: View  # with the rows that both have, in one order
    second: View  # with the rows that both have, in one order
    query_title: str  # what the rows are, in words

    @property
    def weights(self) -> NDArray[np.float32]:
        """First less second: [query, key], from -1 to 1."""
        return np.asarray(self.first.weights - self.second.weights, dtype=np.float32)

    @property
    def queries(self) -> TokenSequence:
        """What labels the rows."""
        return self.first.shown.query_tokens

    @property
    def keys(self) -> TokenSequence:
        """What labels the columns."""
        return self.first.shown.key_tokens

    @property
    def masked(self) -> NDArray[np.bool_] | None:
        """Which cells the causal mask hides in both; None where one has none."""
        one, other = self.first.masked, self.second.masked
        return None if one is None or other is None else one & other

    @property
    def title(self) -> str:
        """The first by name, a minus, the second."""
        return " \u2212 ".join(self.names(year=True))

    def names(self, *, year: bool = False) -> tuple[str, str]:
        """Return what tells the two apart: their mechanisms, or which of two runs of one model was edited."""
        views = (self.first, self.second)
        mine, its = (view.trace.provenance for view in views)
        if mine.checkpoint == its.checkpoint and mine.edits != its.edits:
            return _edited(mine), _edited(its)
        return (_(mine.title), _(its.title)) if not year else (views[0].title, views[1].title)


def _edited(provenance: Provenance) -> str:
    return _("edited") if provenance.edits else _("as trained")


def choose_difference(
    first: AttentionTrace | View, second: AttentionTrace | View, *, unit: Unit = "word"
) -> Difference:
    """Return the difference of two maps, word by word."""
    one, other = (each if isinstance(each, View) else choose_view(each, unit=unit) for each in (first, second))
    if one.unit != other.unit or one.shown.site.kind != other.shown.site.kind:
        message = f"a difference is of maps of one kind; got {_kind(one)} and {_kind(other)}"
        raise ValueError(message)
    for axis in ("source", "target"):
        got = [_texts(getattr(view.trace, axis), one.unit) for view in (one, other)]
        if got[0] != got[1]:
            message = (
                f"the traces do not share their {axis} tokens: got {got[0]} and {got[1]}. Force both on one "
                "translation, attend(source, target), so that rows line up"
            )
            raise ValueError(message)
    query_title = one.query_title
    if one.reading != other.reading:
        one, other = _by_word(one, other)
        query_title = _("query: the word of the translation") if one.unit == "word" else _("query: the subword")
    return Difference(one, other, query_title)


def _kind(view: View) -> str:
    return f"{view.shown.site.kind} {view.unit}s"


def _texts(sequence: TokenSequence, unit: Unit) -> tuple[str, ...]:
    return sequence.word_texts if unit == "word" else sequence.texts


def _by_word(one: View, other: View) -> tuple[View, View]:
    """Keep of each view the rows of the words that both have: the row of ``<s>`` shifts the one that reads in."""
    shifts = [int(view.reading == "input") for view in (one, other)]
    texts = [view.shown.query_tokens.texts[shift:] for view, shift in zip((one, other), shifts, strict=True)]
    common = 0
    while common < min(map(len, texts)) and texts[0][common] == texts[1][common]:
        common += 1
    kept = [_rows(view, shift, shift + common) for view, shift in zip((one, other), shifts, strict=True)]
    return kept[0], kept[1]


def _rows(view: View, start: int, stop: int) -> View:
    shown, tokens = view.shown, view.shown.query_tokens
    texts, ids = tokens.texts[start:stop], tokens.ids[start:stop]
    rows = AttentionMap(
        site=shown.site,
        weights=shown.weights[:, start:stop],
        query_tokens=TokenSequence.from_words(texts, ids),
        key_tokens=shown.key_tokens,
        head_names=shown.head_names,
        rows_sum_to_one=shown.rows_sum_to_one,
    )
    return replace(view, shown=rows)
