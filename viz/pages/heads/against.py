"""Second sentence or second model on the Heads page: shared words, and how heads differ on them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from models.trace import AttentionTrace
from viz.captions.differences import dynamic_and_static
from viz.figures import HeadPlace
from viz.figures.by_head import numbers_by_head
from viz.measures.changes import ranking
from viz.pages.heads.matched import Side, Sides, Texts, run_other, show_difference, show_matching
from viz.pages.heads.model import choose_second, open_model, title_of
from viz.pages.heads.same_word import show_same_word
from viz.pages.heads.settings import A_MODEL, A_SENTENCE, A_WORD, AGAINST, CHANGED, ITS, MINE, OTHER
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import KINDS, kinds_of
from viz.views.hiding import Hiding
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import choose, put_text, text_box
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

MINIMAL_PAIR = ("The cat drank the milk because it was hungry.", "The cat drank the milk because it was sweet.")
MOST_WORK = 10**9
"""Heads of the one times heads of the other times cells up to which two models are compared."""


def compare_with(
    visit: Visit[HeadsSettings], key: str, texts: Texts, shown: HeadSelection, picked: Sequence[HeadPlace]
) -> None:
    """Let the reader compare the heads on a second sentence, or with those of a second model."""
    st.header(_("Compare with"), anchor=False)
    way = choose(AGAINST)
    if way == A_SENTENCE:
        _second_sentence(visit, key, texts, shown)
    elif way == A_MODEL:
        _second_model(visit, key, texts, shown, picked)
    elif way == A_WORD:
        show_same_word(visit, key, texts)


def _second_sentence(visit: Visit[HeadsSettings], key: str, texts: Texts, shown: HeadSelection) -> None:
    typed = _second_box()
    if not typed.strip():
        return
    found = run_other(visit.host, key, (typed, texts[1]))
    if found is None:
        return
    trace, identity = _like(shown, found)
    one = Side(_plain(shown), _("the first"))
    other = Side(replace(one.shown, trace=trace, identity=identity), _("the second"))
    sides = Sides.of(one, other, visit.wanted)
    show_matching(sides)
    if texts[1] is not None:
        _say_pair()
    if sides.matching.empty:
        st.info(_("The two have no words in common, so there is nothing to compare."))
        return
    what = ("changes", identity, visit.wanted.hides_specials, visit.wanted.hiding.between)
    _heads_of_one(visit, sides, one.shown.kept(what, sides.changes))


def _second_box() -> str:
    """Show the box for the second sentence, and return what stands in it; while it is empty, with one to try."""
    typed = text_box(
        OTHER,
        _("Second sentence: where does each head attend differently?"),
        placeholder=MINIMAL_PAIR[1],
    )
    if not typed.strip():
        st.button(
            _("try: “{one}” against “{other}”", one=MINIMAL_PAIR[0], other=MINIMAL_PAIR[1]),
            key="minimal-pair",
            type="tertiary",
            on_click=_put_pair,
        )
    return typed


def _heads_of_one(visit: Visit[HeadsSettings], sides: Sides, values: NDArray[np.float64]) -> None:
    """Show a head of the model on both sentences, the most changed one unless another is chosen, and all in a table."""
    places = sides.one.shown.places
    order = ranking(values)
    labels = {
        places[number].code: _("{head} ({value})", head=places[number].title, value=f"{values[number]:.2f}")
        for number in order
    }
    with st.container(width=330):
        code = choose(CHANGED, labels)
    place = HeadPlace.of_code(code)
    show_difference(visit, sides, (place, place))
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
            "Change: the share of attention weight that moves elsewhere, averaged over the matched words (total "
            "variation distance). 0: same attention in both; 1: no overlap."
        )
    )
    st.caption(dynamic_and_static())


def _second_model(
    visit: Visit[HeadsSettings], key: str, texts: Texts, shown: HeadSelection, picked: Sequence[HeadPlace]
) -> None:
    host, wanted = visit.host, visit.wanted
    second = choose_second(key)
    if second is None:
        st.info(_("No other model is on this server. Hub models that you have opened appear here."))
        return
    if not open_model(host, second, visit.messages):
        return
    text, pair = texts
    left_out = pair is not None and not host.model(second).takes_pair
    found = run_other(host, second, (text, None if left_out else pair))
    if found is None:
        return
    if shown.first.quantity == "moved" and not found[0].has_moved:
        st.info(_("Norm-weighted attention is not available for the second model. Compare weights instead."))
        return
    trace, identity = _like(shown, found)
    fitting = _fitting_kind(shown.sites, kinds_of(trace.sites))
    if fitting is None:
        st.info(_("The second model has no attention of this kind."))
        return
    one = Side(replace(_plain(shown), unit="word"), title_of(host, key))
    other = Side(replace(one.shown, trace=trace, identity=identity, sites=KINDS[fitting][0]), title_of(host, second))
    notes = (_("{model} reads only text A", model=other.name),) if left_out else ()
    sides = Sides.of(one, other, wanted, notes=notes)
    if left_out and not _can_do_without(other.name, wanted):
        return
    show_matching(sides)
    if pair is not None and not left_out:
        _say_pair()
    if _can_compare(sides):
        what = ("distances", identity, fitting, wanted.hides_specials, wanted.hiding.between)
        values: NDArray[np.float64] = one.shown.kept(what, sides.distances)
        _same_places(visit, sides, values)
        _heads_of_two(visit, sides, values, picked)


def _like(shown: HeadSelection, found: tuple[AttentionTrace, Hashable]) -> tuple[AttentionTrace, Hashable]:
    """Return what the other run shows of the quantity that `shown` does."""
    return (found[0].moved(), found[1]) if shown.first.quantity == "moved" else found


def _can_do_without(name: str, wanted: HeadsSettings) -> bool:
    """Say that the model `name` reads text A alone; False if what is wanted needs text B."""
    st.info(plain(_("{model} takes one text, so B is left out.", model=name)))
    needed = 1 in (wanted.hiding.between or ())
    if needed:
        st.info(_("B cannot be compared. Choose “A and B” or “A → A” above to compare the two on A."))
    return not needed


def _fitting_kind(pattern: str, there: Sequence[str]) -> str | None:
    """Return which of the kinds of maps `there` is held against those at `pattern`; None if none can be."""
    kind = next(kind for kind, (sites, _name) in KINDS.items() if sites == pattern)
    if kind in there:
        return kind
    return next((each for each in there if each != "cross" and kind != "cross"), None)


def _can_compare(sides: Sides) -> bool:
    """Return whether two models have words in common, and few enough; say it if not."""
    matching = sides.matching
    work = (
        len(sides.one.shown.places) * len(sides.other.shown.places) * len(matching.queries) * (len(matching.keys) + 1)
    )
    if matching.empty:
        st.info(_("The two have no words in common."))
    elif work > MOST_WORK:
        st.info(_("This text is too long to compare two models."))
    return not matching.empty and work <= MOST_WORK


def _same_places(visit: Visit[HeadsSettings], sides: Sides, values: NDArray[np.float64]) -> None:
    """Show how far each head is from its like in a model of the same tokens and heads, as fine-tunes of one have."""
    one, other = sides.one.shown, sides.other.shown
    if one.places != other.places or one.trace.source.ids != other.trace.source.ids:
        return
    apart = dict(zip(one.places, map(float, np.diagonal(values)), strict=True))
    most = max(apart, key=apart.__getitem__)
    title = _("Each head and the head at the same position in {model}", model=sides.other.name)
    shown = Shown(
        numbers_by_head(apart, title=title, meaning=_("distance"), width=visit.width),
        key="heads-apart",
        says=_(
            "{head} differs most: {value} of its attention weight moves elsewhere.",
            head=most.title,
            value=f"{apart[most]:.2f}",
        ),
        name=_("every head in two models"),
    )
    show(shown, visit)


def _heads_of_two(
    visit: Visit[HeadsSettings], sides: Sides, values: NDArray[np.float64], picked: Sequence[HeadPlace]
) -> None:
    """Show two heads of two models, the second the one that reads most like the first unless another is chosen."""
    one, other = sides.one, sides.other
    places, others = one.shown.places, other.shown.places
    labels = {place.code: place.title for place in places}
    with st.container(horizontal=True, key="two-models"):
        with st.container(width=330):
            title = _("Head of {model}", model=one.name)
            first = HeadPlace.of_code(choose(MINE, labels, title=title, default=picked[0].code if picked else None))
        row = values[places.index(first)]
        near = ranking(-row)
        nearest = {
            others[number].code: _("{head} ({value})", head=others[number].title, value=f"{row[number]:.2f}")
            for number in near
        }
        with st.container(width=330):
            title = _("Head of {model}, most similar first", model=other.name)
            second = HeadPlace.of_code(choose(ITS, nearest, title=title))
    show_difference(visit, sides, (first, second))
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
            "Each head of {one} with the most similar head of {other}. Heads with no close match come first. "
            "Distance: the share of attention weight that moves elsewhere, averaged over the matched words.",
            one=plain(one.name),
            other=plain(other.name),
        )
    )


def _plain(shown: HeadSelection) -> HeadSelection:
    """Return `shown` with no token hidden: what is left out of a comparison goes into its last column."""
    return replace(shown, hiding=Hiding(threshold=shown.hiding.threshold))


def _say_pair() -> None:
    st.caption(
        _("A is always read together with B. Words of A are matched with words of A, words of B with words of B.")
    )


def _table(rows: Sequence[dict[str, Any]], bar: str) -> None:
    height: Any = "content" if len(rows) <= 12 else 420
    column = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.3f")
    st.dataframe(rows, hide_index=True, height=height, column_config={bar: column})


def _put_pair() -> None:
    for box, text in zip((SENTENCE, OTHER), MINIMAL_PAIR, strict=True):
        put_text(box, text)
