"""A second sentence, or a second model, on the Heads: which words are the same, and how differently heads read them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

import models
from models.trace import AttentionTrace
from viz.chart import show_figure
from viz.controls import segmented, select
from viz.figures import HeadPlace, matched_difference
from viz.head_model import choose_second, open_model, title_of
from viz.head_settings import MAPS, Settings, kinds_of
from viz.head_shown import Shown
from viz.hiding import NOTHING
from viz.language import _
from viz.matching import Matching, Pairs, changes, distances, ranking
from viz.runtime import Host
from viz.sentence import KEY as FIRST_BOX
from viz.style import plain
from viz.tokens import isolated, visible
from viz.views import View

NONE, SENTENCE, MODEL = "none", "sentence", "model"
OTHER = "other"
"""What the address bar calls the second sentence."""

MINIMAL_PAIR = ("The cat drank the milk because it was hungry.", "The cat drank the milk because it was sweet.")
MOST_WORK = 10**9
"""Heads of the one times heads of the other times cells up to which two models are compared."""

_STYLE = """
<style>
.matched { margin: 0.1rem 0; line-height: 1.9; overflow-wrap: anywhere; }
.matched small { opacity: 0.8; }
.matched span { padding: 0 0.2em; border-bottom: 2px solid transparent; }
.matched .alone { border-bottom: 2px dashed #e8590c; font-weight: 600; }
</style>
"""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two that are compared, its name, and what it is called."""

    shown: Shown
    name: str

    def tokens(self) -> tuple[Sequence[str], Sequence[str]]:
        view = self.shown.first
        return view.shown.query_tokens.texts, view.shown.key_tokens.texts


def compare_with(
    host: Host,
    key: str,
    shown: Shown,
    settings: Settings,
    picked: Sequence[HeadPlace],
    width: float,
    messages: DeltaGenerator,
) -> None:
    """Let the reader compare the heads on a second sentence, or with those of a second model."""
    st.subheader(_("Compare with"), anchor=False)
    ways = {NONE: _("nothing"), SENTENCE: _("a second sentence"), MODEL: _("a second model")}
    way = segmented("against", ways, title=_("What this is compared with"))
    if way == SENTENCE:
        _second_sentence(host, key, shown, settings, width)
    elif way == MODEL:
        _second_model(host, key, shown, settings, picked, width, messages)


def _second_sentence(host: Host, key: str, shown: Shown, settings: Settings, width: float) -> None:
    typed = st.text_input(
        _("Second sentence: which of its words does each head read differently?"),
        key=OTHER,
        bind="query-params",
        live="200ms",
        autocomplete="off",
        placeholder=MINIMAL_PAIR[1],
    )
    if not (typed or "").strip():
        st.button(
            _("try: “{one}” against “{other}”", one=MINIMAL_PAIR[0], other=MINIMAL_PAIR[1]),
            key="minimal-pair",
            type="tertiary",
            on_click=_put_pair,
        )
        return
    found = _attend(host, key, typed or "")
    if found is None:
        return
    trace, identity = found
    one = _Side(_plain(shown), _("the first"))
    other = _Side(replace(one.shown, trace=trace, identity=identity), _("the second"))
    matching = _match(one, other, settings)
    _show_matching(one, other, matching)
    if matching.empty:
        st.info(_("The two have no words in common: there is nothing to compare."))
        return
    what = ("changes", identity, settings.hides_specials)
    values: NDArray[np.float64] = one.shown.kept(what, lambda: _changes(one, other, matching))
    places = one.shown.places
    order = ranking(values)
    labels = {
        _code(places[number]): _("{head} ({value})", head=places[number].title, value=f"{values[number]:.2f}")
        for number in order
    }
    with st.container(width=330):
        code = select("changed", labels, title=_("Head, the most changed first"), compact=False)
    place = _place(code)
    _difference(one, other, (place, place), matching, settings, width)
    rows = [
        {
            _("rank"): rank,
            _("layer"): places[number].layer,
            _("head"): places[number].head,
            _("change"): float(values[number]),
        }
        for rank, number in enumerate(order, start=1)
    ]
    _table(rows, _("change"))
    st.caption(
        _(
            "Change: the share of the reading, of the average matched word, that goes elsewhere (total variation "
            "distance): 0 the head reads alike in both, 1 it reads nothing that it read before."
        )
    )


def _second_model(
    host: Host,
    key: str,
    shown: Shown,
    settings: Settings,
    picked: Sequence[HeadPlace],
    width: float,
    messages: DeltaGenerator,
) -> None:
    second = choose_second(key)
    if second is None:
        st.info(_("There is no other model on this server. One of the hub that you have opened can be chosen here."))
        return
    if not open_model(host, second, messages):
        return
    found = _attend(host, second, shown.trace.source_text)
    if found is None:
        return
    trace, identity = found
    kind = next(kind for kind, (sites, _name) in MAPS.items() if sites == shown.sites)
    there = kinds_of(trace.sites)
    fitting = kind if kind in there else next((each for each in there if each != "cross" and kind != "cross"), None)
    if fitting is None:
        st.info(_("The second model has no attention of this kind."))
        return
    one = _Side(replace(_plain(shown), unit="word"), title_of(host, key))
    other = _Side(replace(one.shown, trace=trace, identity=identity, sites=MAPS[fitting][0]), title_of(host, second))
    matching = _match(one, other, settings)
    _show_matching(one, other, matching)
    work = len(one.shown.places) * len(other.shown.places) * len(matching.queries) * (len(matching.keys) + 1)
    if matching.empty or work > MOST_WORK:
        st.info(_("The two have no words in common.") if matching.empty else _("This text is too long for two models."))
        return
    what = ("distances", identity, fitting, settings.hides_specials)
    values: NDArray[np.float64] = one.shown.kept(what, lambda: _distances(one, other, matching))
    _heads_of_two(one, other, values, matching, settings, picked, width)


def _heads_of_two(
    one: _Side,
    other: _Side,
    values: NDArray[np.float64],
    matching: Matching,
    settings: Settings,
    picked: Sequence[HeadPlace],
    width: float,
) -> None:
    """Show two heads of two models, the second the one that reads most like the first unless another is chosen."""
    places, others = one.shown.places, other.shown.places
    labels = {_code(place): place.title for place in places}
    with st.container(horizontal=True, key="two-models"):
        with st.container(width=330):
            title = _("Head of {model}", model=one.name)
            first = _place(
                select("mine", labels, title=title, default=_code(picked[0]) if picked else None, compact=False)
            )
        row = values[places.index(first)]
        near = ranking(-row)
        nearest = {
            _code(others[number]): _("{head} ({value})", head=others[number].title, value=f"{row[number]:.2f}")
            for number in near
        }
        with st.container(width=330):
            title = _("Head of {model}, the most alike first", model=other.name)
            second = _place(select("its", nearest, title=title, compact=False))
    _difference(one, other, (first, second), matching, settings, width)
    best = values.argmin(axis=1)
    rows = [
        {
            _("layer"): places[number].layer,
            _("head"): places[number].head,
            _("most like it"): others[best[number]].title,
            _("distance"): float(values[number, best[number]]),
        }
        for number in ranking(values.min(axis=1))
    ]
    _table(rows, _("distance"))
    st.caption(
        _(
            "Every head of {one} with the head of {other} that reads most like it, those that are most alone first. "
            "Distance: the share of the reading of the average matched word that goes elsewhere.",
            one=plain(one.name),
            other=plain(other.name),
        )
    )


def _plain(shown: Shown) -> Shown:
    """Give `shown` with nothing hidden: what is left out of a comparison goes into its last column."""
    return replace(shown, hiding=NOTHING)


def _attend(host: Host, key: str, text: str) -> tuple[AttentionTrace, Hashable] | None:
    try:
        fitting, left_out = host.model(key).fit(text)
        if left_out:
            st.info(_("The second text is longer than the model takes: its end is left out."))
        return host.attend(key, fitting), host.identify(key, fitting)
    except models.InputError as error:
        st.error(plain(_(str(error))), icon=":material/edit:")
        return None


def _match(one: _Side, other: _Side, settings: Settings) -> Matching:
    """Match the words of the two; special tokens too, unless they are hidden."""
    found = Matching.of(one.tokens(), other.tokens())
    if not settings.hides_specials:
        return found
    views = one.shown.first.shown, other.shown.first.shown
    queries = _without(found.queries, views[0].query_tokens.specials, views[1].query_tokens.specials)
    return Matching(queries, _without(found.keys, views[0].key_tokens.specials, views[1].key_tokens.specials))


def _without(pairs: Pairs, first: Sequence[int], second: Sequence[int]) -> Pairs:
    return tuple((one, other) for one, other in pairs if one not in first and other not in second)


def _changes(one: _Side, other: _Side, matching: Matching) -> NDArray[np.float64]:
    layers = zip(one.shown.views(), other.shown.views(), strict=True)
    found = [changes(matching.first(a.shown.weights), matching.second(b.shown.weights)) for a, b in layers]
    return np.concatenate(found)


def _distances(one: _Side, other: _Side, matching: Matching) -> NDArray[np.float64]:
    first = np.concatenate([matching.first(view.shown.weights) for view in one.shown.views()])
    second = np.concatenate([matching.second(view.shown.weights) for view in other.shown.views()])
    return distances(first, second)


def _difference(
    one: _Side,
    other: _Side,
    places: tuple[HeadPlace, HeadPlace],
    matching: Matching,
    settings: Settings,
    width: float,
) -> None:
    views = one.shown.pick(places[:1])[0], other.shown.pick(places[1:])[0]
    names = tuple(f"{side.name}, {place.title}" for side, place in zip((one, other), places, strict=True))
    figure = matched_difference(
        *views, matching=matching, names=(names[0], names[1]), colour=settings.colour, width=width
    )
    show_figure(
        figure,
        key="matched",
        says=_says(views, matching, (one.name, other.name)),
        name=f"{one.shown.trace.source_text[:40]} {' '.join(names)}",
        picture=settings.picture,
        available=width,
    )


def _says(views: tuple[View, View], matching: Matching, names: tuple[str, str]) -> str:
    """Say where the two differ most."""
    one, other = matching.first(views[0].weights), matching.second(views[1].weights)
    gap = np.abs(one - other)[:, :-1]
    if not gap.size or not gap.max():
        return _("Both read the matched words alike.")
    query, key = np.unravel_index(gap.argmax(), gap.shape)
    shown = views[0].shown
    return _(
        "They differ most at “{query}”: “{key}” gets {one} from {first} and {other} from {second}.",
        query=isolated(visible(shown.query_tokens.texts[matching.queries[int(query)][0]])),
        key=isolated(visible(shown.key_tokens.texts[matching.keys[int(key)][0]])),
        one=f"{one[query, key]:.2f}",
        other=f"{other[query, key]:.2f}",
        first=names[0],
        second=names[1],
    )


def _show_matching(one: _Side, other: _Side, matching: Matching) -> None:
    """Show the words of both, those that are not matched marked."""
    lines = []
    for side, number in ((one, 0), (other, 1)):
        texts = side.tokens()[1]
        there = {pair[number] for pair in matching.keys}
        marked = escape(_("not matched"))
        alone = f' class="alone" title="{marked}"'
        words = (
            f"<span{'' if place in there else alone}><bdi>{escape(visible(text))}</bdi></span>"
            for place, text in enumerate(texts)
        )
        name = escape(_("{name}:", name=side.name))
        lines.append(f'<p class="matched"><small>{name}</small> {" ".join(words)}</p>')
    count = _("{count} words are matched; those underlined are not.", count=len(matching.keys))
    st.html(f'{_STYLE}{"".join(lines)}<p class="matched"><small>{escape(count)}</small></p>')


def _table(rows: Sequence[dict[str, Any]], bar: str) -> None:
    height: Any = "content" if len(rows) <= 12 else 420
    column = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.3f")
    st.dataframe(rows, hide_index=True, height=height, column_config={bar: column})


def _code(place: HeadPlace) -> str:
    return f"{place.layer}.{place.head}"


def _place(code: str) -> HeadPlace:
    return HeadPlace(*map(int, code.split(".")))


def _put_pair() -> None:
    st.session_state[FIRST_BOX], st.session_state[OTHER] = MINIMAL_PAIR
