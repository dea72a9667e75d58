"""Relative positions on the Steps page: learnt vectors, and their contribution to the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import models
from models.mechanisms import mechanisms
from models.sites import Site
from models.trace import AttentionTrace
from viz.figures.distances import (
    Numbers,
    distance_biases,
    distance_cosines,
    distance_norms,
    score_parts_heatmap,
    signed,
)
from viz.measures.distances import biases, cosines, distances_read, score_parts, share_of_distance
from viz.pages.steps.numbers import LONGEST_NAMED
from viz.pages.steps.places import place_name
from viz.pages.steps.settings import DISTANCE_HEAD, DISTANCE_PLACE
from viz.server.introspection import inside_of
from viz.server.loading import usable
from viz.server.runtime import Host
from viz.text.language import _, _n
from viz.views.view import choose_view
from viz.widgets.equations import show_equations
from viz.widgets.settings import choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted


@dataclass(frozen=True, eq=False)
class _Learnt:
    """The vectors of one layer, those that its queries can read."""

    distances: NDArray[np.int64]  # [distance]
    tables: dict[str, Numbers]  # [distance, d_head] Of keys, then of values, by what figures call them
    reach: int


def show_distances(visit: Visit[Wanted], source: str, pair: str) -> None:
    """Show the page's part on relative positions, where their weights are installed."""
    there = {f"{each.key}-{pair}": each for each in mechanisms().values() if each.distances}
    key = next((key for key in models.catalog() if key in there), None)
    if key is None:
        return
    host = visit.host
    st.header(_("Vectors learnt by distance: {title}", title=_(there[key].title)), anchor=False)
    show_equations(
        r"e_{ij} = \frac{q_i (k_j + a^K_{ij})^\top}{\sqrt{d_{head}}}",
        r"c_i = \sum_j \alpha_{ij} (v_j + a^V_{ij})",
        available=visit.width,
        beside=True,
    )
    if not usable(host, (key,), visit.messages):
        return
    trace = host.attend(key, source)
    site, head = _choose_place(trace)
    learnt = _learnt(host, key, site)
    _vectors(visit, learnt)
    _of_sentence(visit, host.attend(key, source, sites=(f"{site}.*",)), learnt, (site, head))


def _choose_place(trace: AttentionTrace) -> tuple[Site, int]:
    sites = [site for site in trace.sites if site.kind == "self"]
    with st.container(horizontal=True, vertical_alignment="center", key="distance-choices"):
        with st.container(width=246):
            site = Site.parse(choose(DISTANCE_PLACE, {str(each): place_name(each) for each in sites}))
        with st.container(width=150):
            names = {str(head): _("head {head}", head=head) for head in range(len(trace[site].head_names))}
            return site, int(choose(DISTANCE_HEAD, names))


def _learnt(host: Host, key: str, site: Site) -> _Learnt:
    names = ("distance_key.weight", "distance_value.weight")
    found = inside_of(host, key).parameters_at(site, names)
    distances = distances_read(found[names[0]], causal=site.stack == "decoder")
    titles = _("for keys: a^K"), _("for values: a^V")
    tables = {title: found[name][: len(distances)] for title, name in zip(titles, names, strict=True)}
    return _Learnt(distances, tables, len(found[names[0]]) // 2)


def _vectors(visit: Visit[Wanted], learnt: _Learnt) -> None:
    """Show the vectors themselves: the same for every sentence and for all heads of the layer."""
    keys = next(iter(learnt.tables.values()))
    alike = cosines(keys)
    near, far = float(np.diagonal(alike, 1).mean()), float(np.diagonal(alike, len(alike) // 2).mean())
    says = _n(
        "No position is added to a token. Each layer has learnt a vector for every distance up to {count} token. "
        "Larger distances share the last one, and all heads share the vectors. Mean cosine of key vectors: {near} "
        "for neighbouring distances, {far} for distances {apart} apart.",
        "No position is added to a token. Each layer has learnt a vector for every distance up to {count} tokens. "
        "Larger distances share the last one, and all heads share the vectors. Mean cosine of key vectors: {near} "
        "for neighbouring distances, {far} for distances {apart} apart.",
        learnt.reach,
        near=f"{near:.2f}",
        far=f"{far:.2f}",
        apart=len(alike) // 2,
    )
    if len(learnt.distances) <= learnt.reach + 1:
        says += " " + _("A decoder never attends ahead, so distances above 0 are not used.")
    figure = distance_cosines(learnt.tables, learnt.distances, width=visit.width)
    show(Shown(figure, key="distance-cosines", says=says, name="likeness of vectors by distance"), visit)
    norms = np.linalg.norm(np.asarray(keys, np.float64), axis=1)
    shown = Shown(
        distance_norms(learnt.tables, learnt.distances, width=visit.width),
        key="distance-norms",
        says=_(
            "A distance with a longer vector can change the score more. The longest key vector is that of "
            "distance {distance}.",
            distance=signed(int(learnt.distances[norms.argmax()])),
        ),
        name="length of vectors by distance",
    )
    show(shown, visit)


def _of_sentence(visit: Visit[Wanted], trace: AttentionTrace, learnt: _Learnt, place: tuple[Site, int]) -> None:
    """Show what distance adds to the scores of the sentence, and the words' part beside it."""
    site, head = place
    found = trace[site].companions
    added = biases(found["query"], next(iter(learnt.tables.values())))
    best = int(learnt.distances[added[head].argmax()])
    name = trace.source_text[:LONGEST_NAMED]
    shown = Shown(
        distance_biases(added, learnt.distances, head=head, width=visit.width),
        key="distance-biases",
        says=_(
            "On average over this sentence, head {head} adds most to the score at distance {distance}, whatever "
            "the word.",
            head=head,
            distance=signed(best),
        ),
        name=f"{name} added by distance",
    )
    show(shown, visit)
    parts = score_parts(found["scores"][head], found["by_distance"][head], found["mask"][head])
    shown = Shown(
        score_parts_heatmap(choose_view(trace, site=site, head=head, unit="piece"), *parts, width=visit.width),
        key="distance-parts",
        says=_(
            "The score of each pair is the sum of both. Distance gives {share} of the variance along a row, the "
            "words the rest.",
            share=f"{share_of_distance(*parts):.0%}",
        ),
        name=f"{name} score by words and by distance",
    )
    show(shown, visit)
