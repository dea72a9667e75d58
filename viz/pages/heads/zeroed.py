"""Value zeroing of one layer on the Heads page, run on demand: how far each vector turns without another's value."""

from __future__ import annotations

from typing import Any

import streamlit as st

import models
from viz.captions.maps import links_of
from viz.captions.tables import csv_of_views
from viz.figures.zeroed import zeroed_heatmap, zeroed_view
from viz.pages.heads.picked import file_name_of
from viz.pages.heads.settings import BELOW, ZEROED, ZEROED_LAYER
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.heads import sites_at
from viz.widgets.settings import choose, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.sweep import sweep_once
from viz.widgets.visit import Visit


def is_zeroed(model: Any, shown: HeadSelection) -> bool:
    """Return whether values can be taken away from these maps."""
    return bool(shown.sites.endswith("self") and model.editable and hasattr(model, "tokenizer"))


def show_zeroed(visit: Visit[HeadsSettings], key: str, shown: HeadSelection) -> None:
    """Let a layer be chosen, take the value of each token away in it, and show what turned."""
    from models.experiments.value_zeroing import value_zeroing

    sites = {str(site.layer): site for site in sites_at(shown.trace, shown.sites)}
    labels = {layer: _("layer {layer}", layer=layer) for layer in sites}
    layer = choose(ZEROED_LAYER, labels, default=next(reversed(labels)))
    model, trace, site = visit.host.model(key), shown.trace.weighed(), sites[layer]
    identity = (ZEROED, shown.identity, str(site))
    try:
        values = sweep_once(
            "heads-zeroed",
            identity,
            lambda tell: value_zeroing(model, trace, site, on_progress=tell),
            on_stop=_stop,
        )
    except models.InputError as error:
        st.info(plain(say(error)))
        return
    view = zeroed_view(trace, site, values, unit=shown.unit, hiding=shown.hiding)
    figure = zeroed_heatmap(view, colour=visit.wanted.colour, width=visit.width)
    picture = Shown(
        figure,
        key=ZEROED,
        says=links_of(view),
        name=file_name_of(shown, f"value zeroing {site}"),
        csv=lambda: csv_of_views([view]),
    )
    show(picture, visit)


def _stop() -> None:
    asked = (link.text_of(BELOW) or "").split()
    link.store(BELOW.name, " ".join(each for each in asked if each != ZEROED) or None)
