"""Parts below the picked heads: table, similarity of all heads, rollout."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from models.readers.datastore import remembers
from viz.captions import heads
from viz.captions.heads import similarity_sentence
from viz.figures import HeadPlace, rollout_heatmap, similarity_heatmap
from viz.figures.rollout import rollout_view
from viz.measures.similarity import Similarity
from viz.pages.heads.classifier import show_classifier
from viz.pages.heads.embedding_sum import show_embedding_sum
from viz.pages.heads.gallery import Arrangement, profiles_of
from viz.pages.heads.logits import choose_place, predicts_words, show_logits
from viz.pages.heads.memory import show_memory
from viz.pages.heads.picked import file_name_of
from viz.pages.heads.picks import put_picks
from viz.pages.heads.scatter import show_scatter
from viz.pages.heads.segments import show_segments
from viz.pages.heads.settings import (
    ADDS,
    BELOW,
    CLASSIFIER,
    COMPARE,
    DIFFERENCE,
    EMBEDDING,
    LENS,
    LIKE,
    MEMORY,
    MINUS,
    PLUS,
    ROLLOUT,
    SCATTER,
    SEGMENTS,
    SIMILARITY,
    TABLE,
    UPTO,
)
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.table import head_picture, head_table, repeated_of
from viz.pages.heads.wanted import HeadsSettings
from viz.server.classifiers import has_classifier
from viz.server.embedding_sums import has_embedding_sum
from viz.server.segments import reads_segments
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import sites_at
from viz.views.hiding import NOTHING
from viz.widgets import session
from viz.widgets.asked_heads import ASKED
from viz.widgets.settings import choose, choose_several, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

CHART = f"chart-{SIMILARITY}"
MOST_WORK = 2 * 10**9
"""Heads squared times cells up to which all heads are compared with all: some ten seconds of one core."""

NEAREST = 5
_CLICKED = "similarity-clicked"


def take_pair(shown: HeadSelection) -> None:
    """Let two heads whose cell has just been clicked be compared; before anything shows the picks."""
    state: Any = session.reported(CHART)
    points = (state or {}).get("selection", {}).get("points", [])
    clicked = tuple((point["x"], point["y"]) for point in points[:1])
    if clicked == session.recall(_CLICKED, ()):
        return
    session.keep(_CLICKED, clicked)
    if clicked:
        compare_pair(shown.similarity().pair(*clicked[0]), shown.places)


def compare_pair(pair: tuple[HeadPlace, HeadPlace], places: Sequence[HeadPlace]) -> None:
    """Let the difference of two heads be shown."""
    put_picks(pair, places)
    first, second = (place.code for place in pair)
    link.store(COMPARE.name, DIFFERENCE)
    if sorted(pair)[0] != pair[0]:
        link.store(PLUS.name, first)
        link.store(MINUS.name, second)


def show_below(
    visit: Visit[HeadsSettings], key: str, shown: HeadSelection, arrangement: Arrangement, picked: Sequence[HeadPlace]
) -> None:
    """Show what the reader asked for."""
    names = _names_below(visit, key, shown)
    _forget_all_but(names)
    st.header(_("More about this sentence"), anchor=False)
    asked = choose_several(BELOW, names, default=())
    if {ADDS, LENS, MEMORY} & set(asked):
        position = choose_place(shown.trace)
        if ADDS in asked or LENS in asked:
            show_logits(visit, shown, picked, asked, position)
        if MEMORY in asked:
            show_memory(visit, shown.trace, position)
    segments = partial(show_segments, picked=picked)
    for name, part in ((EMBEDDING, show_embedding_sum), (CLASSIFIER, show_classifier), (SEGMENTS, segments)):
        if name in asked:
            part(visit, shown.trace)
    if ROLLOUT in asked:
        _rollout(visit, shown)
    if SCATTER in asked:
        show_scatter(visit, shown, picked, visit.host.model(key).sha256)
    if SIMILARITY in asked:
        _similarity(visit, shown, picked)
    if TABLE in asked:
        _table(visit, key, shown, arrangement, picked)


def _names_below(visit: Visit[HeadsSettings], key: str, shown: HeadSelection) -> dict[str, str]:
    """Return what can be shown of this model and map, by its code in the link."""
    names = {
        ASKED: _("which heads do this most?"),
        SCATTER: _("heads as points"),
        TABLE: _("every head in numbers"),
        SIMILARITY: _("how alike heads are"),
    }
    layers = [site.layer for site in sites_at(shown.trace, shown.sites)]
    if shown.sites.endswith("self") and layers == list(range(len(layers))):  # without a gap, as in no hybrid
        names[ROLLOUT] = _("rollout")
    if has_embedding_sum(visit.host, key):
        names[EMBEDDING] = _("token + segment + position")
    if has_classifier(visit.host, key) and not (shown.trace.source.segments or shown.trace.provenance.edits):
        names[CLASSIFIER] = _("a classifier on [CLS]")
    if shown.trace.provenance.edits:  # which these would run without
        del names[ASKED]
    elif predicts_words(shown.trace):
        names |= {ADDS: _("what heads add to the prediction"), LENS: _("the prediction, layer by layer")}
        if remembers(key, visit.host.model(key).sha256):
            names[MEMORY] = _("a memory that nobody trained")
            if reads_segments(visit.host, key):
                names[SEGMENTS] = _("segment memory")
    return names


def _forget_all_but(names: Collection[str]) -> None:
    """Take from the link what was chosen for another map or model: there is no rollout of cross-attention."""
    wanted = (link.text_of(BELOW) or "").split()
    gone = {ASKED, ROLLOUT, ADDS, LENS, MEMORY, SEGMENTS, EMBEDDING, CLASSIFIER} - set(names)
    if gone & set(wanted):
        link.store(BELOW.name, " ".join(each for each in wanted if each not in gone) or None)


def _table(
    visit: Visit[HeadsSettings], key: str, shown: HeadSelection, arrangement: Arrangement, picked: Sequence[HeadPlace]
) -> None:
    """Show the number by which heads are ordered as a picture, and then every number in a table."""
    profiles = profiles_of(shown) if arrangement.profiles is None else arrangement.profiles
    head_picture(visit, profiles, arrangement.by, file_name_of(shown, _("every head in numbers")))
    whole = shown.hiding != NOTHING
    repeated = repeated_of(visit, shown, key)
    head_table(profiles, sites_at(shown.trace, shown.sites)[0], picked, whole=whole, repeated=repeated)


def _rollout(visit: Visit[HeadsSettings], shown: HeadSelection) -> None:
    last = len(sites_at(shown.trace, shown.sites)) - 1
    labels = {str(layer): _("after layer {layer}", layer=layer) for layer in range(last + 1)}
    upto = int(choose(UPTO, labels, default=str(last)))
    trace = shown.trace.weighed()  # rollout is of weights
    view = rollout_view(trace, sites=shown.sites, layer=upto, unit=shown.unit, hiding=shown.hiding)
    figure = rollout_heatmap(trace, layer=upto, width=visit.width, **visit.wanted.common)
    name = file_name_of(shown, f"rollout {upto}")
    show(Shown(figure, key=ROLLOUT, says=heads.rollout_sentence(view), name=name), visit)


def _similarity(visit: Visit[HeadsSettings], shown: HeadSelection, picked: Sequence[HeadPlace]) -> None:
    cells = shown.first.shown.weights[0].size
    if len(shown.places) ** 2 * cells > MOST_WORK:
        st.info(_("This text is too long to compare all its heads. Use a shorter one."))
        return
    with st.spinner(_("Comparing every head with every other …")):
        found = shown.similarity()
    figure = similarity_heatmap(
        shown.trace,
        sites=shown.sites,
        unit=shown.unit,
        hiding=shown.hidden,
        similarity=found,
        picked=picked,
        width=min(visit.width, 1000),
    )
    across = round(figure.layout.width)
    with st.container(width=across):
        name = file_name_of(shown, _("how alike heads are"))
        picture = Shown(figure, key=SIMILARITY, says=similarity_sentence(found), name=name, selects=True)
        show(picture, replace(visit, width=across))
    st.caption(_("Click a cell below the diagonal to see the difference of its two heads."))
    _nearest(shown, found, picked)


def _nearest(shown: HeadSelection, found: Similarity, picked: Sequence[HeadPlace]) -> None:
    """Let the reader compare a head with those that read most like it: without a pointer too."""
    labels = {place.code: place.title for place in shown.places}
    default = picked[0].code if picked else None
    with st.container(horizontal=True, vertical_alignment="bottom", key="nearest"):
        with st.container(width=260):
            code = choose(LIKE, labels, default=default)
        place = HeadPlace.of_code(code)
        row = found.divergence[found.places.index(place)]
        for other in found.nearest(place, NEAREST):
            value = row[found.places.index(other)]
            name = plain(_("{head} ({value})", head=other.title, value=f"{value:.2f}"))
            pair, key = (place, other), f"nearest-{other.layer}-{other.head}"
            st.button(name, key=key, on_click=compare_pair, args=(pair, shown.places), type="tertiary")
