"""Value zeroing as what the picked maps show, run on demand: how far each vector turns without another's value."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

import models
from viz.captions.maps import common_notes, links_of, quantity_note
from viz.captions.tables import csv_of_views
from viz.figures.zeroed import zeroed_heatmap, zeroed_view
from viz.pages.heads.picked import FIGURE, LONGEST_NAMED
from viz.pages.heads.settings import BELOW, HEADS, ZEROED_LAYER
from viz.pages.heads.span import Spanned, choose_span
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import SEMICOLON, _, listed, say
from viz.text.markup import plain
from viz.views.heads import HeadPlace, sites_at
from viz.widgets.settings import link
from viz.widgets.shared_settings import ZEROABLE
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.sweep import sweep_once
from viz.widgets.visit import Visit
from viz.widgets.zeroing import ZEROED, zero_layers


def turn_old_link() -> None:
    """Let a link to the section that value zeroing once had ask for it as what maps show."""
    below = (link.text_of(BELOW) or "").split()
    if ZEROED in below:
        link.store(BELOW.name, " ".join(each for each in below if each != ZEROED) or None)
        link.store(ZEROABLE.name, ZEROED)
        if (layer := link.text_of(ZEROED_LAYER) or "").isdecimal():
            link.store(HEADS.of_layer(int(layer)).name, "0")
    link.drop(ZEROED_LAYER)


def show_zeroed(visit: Visit[HeadsSettings], spanned: Spanned, picked: Sequence[HeadPlace]) -> None:
    """Take the value of each token away in the layers of the picked heads, and show what turned in each."""
    shown = spanned.shown
    st.caption(
        _(
            "Value zeroing is defined for a layer, not for a head: each map is the layer of a picked head, all its "
            "heads together. All other pictures show weights."
        )
    )
    of_picked = {place.layer for place in picked}
    sites = [site for site in sites_at(shown.trace, shown.sites) if site.layer in of_picked]
    if not sites:
        st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")
        return

    layers = [(shown.identity, shown.trace.weighed(), site) for site in sites]
    identity = (ZEROED, shown.identity, tuple(map(str, sites)))
    try:
        found = sweep_once("heads-zeroed", identity, partial(zero_layers, visit.host, layers), on_stop=_stop)
    except models.InputError as error:
        st.info(plain(say(error)))
        return
    kept = shown.trace.weighed().with_zeroed(dict(zip(sites, found, strict=True)))
    views = [zeroed_view(kept, site, unit=shown.unit, hiding=shown.hiding) for site in sites]
    of_layer = [_("layer {layer}, all heads together", layer=site.layer) for site in sites]
    said = (f"{layer}: {links_of(view, count=1)}" for layer, view in zip(of_layer, views, strict=True))
    draw = partial(zeroed_heatmap, views, colour=visit.wanted.colour, width=visit.width)
    common = tuple(note for note in common_notes(views[0]) if note not in quantity_note(views[0]))
    picture = Shown(
        draw(notes=common),
        key=FIGURE,
        says=" ".join(f"{each}{_('.')}" for each in (listed(said, SEMICOLON), *quantity_note(views[0]))),
        name=f"{shown.trace.source_text[:LONGEST_NAMED]} value zeroing {' '.join(map(str, sites))}",
        csv=lambda: csv_of_views(views),
        printed=draw,
        traces={_(kept.provenance.title): kept},
    )
    show(picture, visit)
    choose_span(spanned)


def _stop() -> None:
    link.drop(ZEROABLE)
