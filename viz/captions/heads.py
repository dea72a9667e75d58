"""Captions of heads: the sharpest, how two differ, what several have in common."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.captions.maps import axes_note, common_notes, threshold_note
from viz.measures.similarity import Similarity
from viz.text.language import SEMICOLON, _, _n, listed
from viz.text.tokens import is_word, isolated, visible
from viz.views.heads import HeadPlace
from viz.views.view import View


class Sharpest:
    """The head that reads one token most, found while views of all layers pass; none of them is kept."""

    def __init__(self) -> None:
        self._best, self._count, self._moved = (-1.0, "", "", HeadPlace(0, 0)), 0, False

    def watch(self, views: Iterable[View]) -> Iterator[View]:
        """Return the same views one by one, each looked at."""
        for view in views:
            self._moved = view.quantity == "moved"
            for head, weights in enumerate(view.shown.weights):
                weight, query, key = _strongest(view, weights)
                self._count += 1
                if weight > self._best[0]:
                    self._best = weight, query, key, HeadPlace(view.shown.site.layer, head)
            yield view

    def sentence(self) -> str:
        """Say which head it is: plain text."""
        weight, query, key, place = self._best
        parts = {"place": place.title, "query": query, "key": key, "weight": f"{weight:.2f}"}
        if self._moved:
            return _(
                "Sharpest of all heads ({count}): {place}. “{key}” moves “{query}” ({weight}).",
                count=self._count,
                **parts,
            )
        return _n(
            "Sharpest of {count} head: {place}. “{query}” attends to “{key}” ({weight}).",
            "Sharpest of {count} heads: {place}. “{query}” attends to “{key}” ({weight}).",
            self._count,
            **parts,
        )


def overview_sentence(views: Iterable[View]) -> str:
    """Say which head reads one token most, of all heads of all layers: plain text."""
    found = Sharpest()
    deque(found.watch(views), maxlen=0)
    return found.sentence()


def comparison_sentence(places: Sequence[HeadPlace], views: Sequence[View]) -> str:
    """Say for each picked head which token reads which most: plain text."""
    said = []
    for place, view in zip(places, views, strict=True):
        weight, query, key = _strongest(view, view.weights)
        parts = {"query": query, "key": key, "weight": f"{weight:.2f}"}
        if view.quantity == "moved":
            reads = _("“{query}” is moved most by “{key}” ({weight})", **parts)
        else:
            reads = _("“{query}” attends most to “{key}” ({weight})", **parts)
        said.append(f"{place.title}: {reads}")
    return listed(said, SEMICOLON) + _(".")


def value_sentence(place: HeadPlace, view: View) -> str:
    """Say how long the value of the key with the most attention is, against the others; nothing where it is not known.

    So a sink explains itself: much attention, a short value, little moved.
    """
    found = view.trace.weighed()[view.shown.site]
    if not found.has_moved or not found.weights.size:
        return ""
    given, lengths = found.weights[place.head].mean(axis=0), found.value_norms[place.head]
    key = int(given.argmax())
    if not lengths.mean():
        return ""
    return _(
        "{place}: “{key}” gets {share} of the attention on average; its value is {times} times the mean length.",
        place=place.title,
        key=isolated(visible(found.key_tokens.texts[key])),
        share=f"{given[key]:.2f}",
        times=f"{lengths[key] / lengths.mean():.2f}",
    )


def difference_sentence(places: Sequence[HeadPlace], views: Sequence[View]) -> str:
    """Say where two heads differ most, either way: plain text."""
    one, other = (view.weights for view in views)
    if np.array_equal(one, other):
        return _("The two heads are the same: no weight differs.")
    said = []
    for place, more, less in ((places[0], one, other), (places[1], other, one)):
        if not (more > less).any():
            continue
        at = np.unravel_index((more - less).argmax(), more.shape)
        parts = {
            "place": place.title,
            "query": isolated(visible(views[0].shown.query_tokens.texts[int(at[0])])),
            "key": isolated(visible(views[0].shown.key_tokens.texts[int(at[1])])),
            "more": f"{more[at]:.2f}",
            "less": f"{less[at]:.2f}",
        }
        if views[0].quantity == "moved":
            said.append(_("in {place} “{key}” moves “{query}” more ({more} against {less})", **parts))
        else:
            said.append(_("in {place} “{query}” attends more to “{key}” ({more} against {less})", **parts))
    return listed(said, SEMICOLON) + _(".")


def combination_sentence(how: str, views: Sequence[View]) -> str:
    """Say what is strongest in the sum or the mean of heads: plain text."""
    stack = np.stack([view.weights for view in views])
    weight, query, key = _strongest(views[0], stack.sum(axis=0) if how == "sum" else stack.mean(axis=0))
    parts = {"query": query, "key": key, "weight": f"{weight:.2f}", "count": len(views)}
    if views[0].quantity == "moved":
        return _("Taken together, “{query}” is moved most by “{key}”.", **parts)
    if how == "sum":
        return _("Taken together, “{query}” attends most to “{key}” ({weight} of {count}).", **parts)
    return _("On average, “{query}” attends most to “{key}” ({weight}).", **parts)


def rollout_sentence(view: View) -> str:
    """Say of which input token most is in another one, by rollout: plain text."""
    weights = view.weights.copy()
    if not view.hidden_keys and not view.hidden_queries:
        np.fill_diagonal(weights, 0.0)  # half of a token is taken to stay in each layer: that says nothing
    share, query, key = _strongest(view, weights)
    return _(
        "By attention rollout, “{query}” contains most of another token: {share} comes from “{key}”.",
        query=query,
        key=key,
        share=f"{share:.2f}",
    )


def _strongest(view: View, weights: NDArray[Any]) -> tuple[float, str, str]:
    """Return the largest weight with its tokens; of rows that have a choice and are words, if there are any."""
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    rows = _speaking(queries, causal=view.shown.causal)
    known = weights[:, :-1] if view.hidden_keys and len(keys) > 1 else weights
    query = rows[int(known.max(axis=1)[rows].argmax())]
    key = int(known[query].argmax())
    return float(weights[query, key]), isolated(visible(queries[query])), isolated(visible(keys[key]))


@lru_cache(maxsize=8)
def _speaking(queries: tuple[str, ...], *, causal: bool) -> NDArray[np.int64]:
    """Return the rows that have a choice and are words, if there are any; asked anew for every head of a text."""
    free = [row for row in range(len(queries)) if row or not causal or len(queries) == 1]
    return np.array([row for row in free if is_word(queries[row])] or free)


def overview_note(views: Sequence[View]) -> str:
    """Say what rows and columns of the small maps are, and what holds for all of them: plain text."""
    view = views[0]
    empty = threshold_note([each.shown.weights for each in views], view.threshold)
    return "\u00a0· ".join((*axes_note(view.query_title, view.key_title), *common_notes(view), *empty))


def similarity_sentence(found: Similarity) -> str:
    """Say which two heads read most alike, and which two least: plain text."""
    count = len(found.places)
    if count < 2:
        return _("Only one head: nothing to compare.")
    rows, columns = np.tril_indices(count, k=-1)
    values = found.divergence[rows, columns]

    def named(number: int) -> str:
        pair = sorted((found.places[rows[number]], found.places[columns[number]]))
        value = f"{values[number]:.2f}"
        return _("{one} and {other} (divergence {value})", one=pair[0].title, other=pair[1].title, value=value)

    least, most = int(values.argmax()), int(values.argmin())
    if count == 2:
        return _("There are two heads: {pair}.", pair=named(most))
    if values[least] == values[most]:
        return _n(
            "Any two of the {count} heads are equally similar (divergence {value}).",
            "Any two of the {count} heads are equally similar (divergence {value}).",
            count,
            value=f"{values[most]:.2f}",
        )
    return _("Most similar: {alike}. Least similar: {unlike}.", alike=named(most), unlike=named(least))
