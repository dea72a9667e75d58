"""Captions of the difference of two maps."""

from __future__ import annotations

import numpy as np

from models.trace.provenance import BATCHED_WITHIN
from viz.captions.maps import notes_of, quantity_note
from viz.text.language import _, mark
from viz.text.tokens import isolated, visible
from viz.views.differences import SMALLEST_NAMED, Difference
from viz.views.matching import ELSEWHERE
from viz.views.view import View

_READ = (
    mark("{title}: the two are the same, no weight differs"),
    mark("{title}: the two are almost the same, no weight differs by {least} or more"),
    mark(
        "{title}: largest difference at “{query}”, where “{key}” gets {first} in one and {second} in the other "
        "({value})"
    ),
)
_MOVED = (
    mark("{title}: the two are the same, no share differs"),
    mark("{title}: the two are almost the same, no share differs by {least} or more"),
    mark(
        "{title}: largest difference at “{query}”, where the share of “{key}” is {first} in one and {second} in "
        "the other ({value})"
    ),
)
"""What is said of two maps: that they are alike, that they almost are, and where they differ."""


def dynamic_and_static() -> str:
    """Say what differs and what does not where one model reads two sentences."""
    return _(
        "Attention weights are dynamic: computed anew for each sentence. The model's parameters are static: both "
        "sentences use the same."
    )


def notes_of_difference(difference: Difference) -> tuple[str, ...]:
    """Return what a reader of the map must know: what its rows are, which head is shown, whether it was forced."""
    one, other = difference.first, difference.second
    notes = list(quantity_note(one))
    if one.reading != other.reading:
        notes.append(_("rows matched by word: when {one}, and when {other}", one=_when(one), other=_when(other)))
    for view in (one, other):
        own = notes_of(view)
        notes.extend(f"{view.title}: {note}" for note in own if len(view.shown.head_names) > 1 and note == own[0])
    if "forced" in (one.trace.provenance.decoding, other.trace.provenance.decoding):
        notes.append(_("the translation was given"))
    return tuple(notes)


def _when(view: View) -> str:
    return (
        _("{title} writes it", title=view.title)
        if view.reading == "written"
        else _("{title} has just read it in", title=view.title)
    )


def sentence_of_difference(difference: Difference) -> str:
    """Say in one sentence where the two differ most, or that they read alike."""
    weights = difference.weights
    if not weights.size:
        return _("{title}: nothing to compare", title=difference.title)
    query, key = np.unravel_index(np.abs(weights).argmax(), weights.shape)
    largest = abs(float(weights[query, key]))
    alike, almost, differ = _MOVED if difference.first.quantity == "moved" else _READ
    approximate = any(each.trace.provenance.is_approximate for each in (difference.first, difference.second))
    if largest <= approximate * BATCHED_WITHIN:
        return _(alike, title=difference.title)
    if largest < SMALLEST_NAMED:
        return _(almost, title=difference.title, least=f"{SMALLEST_NAMED:g}")
    return _(
        differ,
        title=difference.title,
        query=isolated(visible(difference.queries.texts[query])),
        key=isolated(visible(difference.keys.texts[key])),
        first=f"{difference.first.weights[query, key]:.2f}",
        second=f"{difference.second.weights[query, key]:.2f}",
        value=signed(float(weights[query, key]), digits=2),
    )


def signed(value: float, *, digits: int = 4) -> str:
    r"""Return `value` with its sign."""
    return f"{value:+.{digits}f}".replace("-", "\u2212")


def specials_note() -> str:
    """Say that special tokens are not matched: plain text."""
    return _("special tokens hidden; their weight: {column}", column=_(ELSEWHERE))
