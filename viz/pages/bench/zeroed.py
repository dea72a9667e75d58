"""Value zeroing on the Bench, run on demand: how far each written word's vector turns without a source word's value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

import models
from models.trace import AttentionTrace
from viz.pages.bench.timeline import Place
from viz.server.runtime import Host
from viz.text.language import _, listed, say
from viz.text.markup import plain
from viz.widgets.settings import link
from viz.widgets.shared_settings import ZEROABLE
from viz.widgets.sweep import sweep_once
from viz.widgets.zeroing import ZEROED, is_zeroable, zero_layers


def zero_shown(
    host: Host, texts: tuple[str, str | None], traces: Mapping[str, AttentionTrace], places: Mapping[str, Place]
) -> dict[str, AttentionTrace]:
    """Return the traces of `texts`, with value zeroing of the layer that is shown; say which models have none."""
    sites = {key: places[key][0] or trace.provenance.alignment.site.place for key, trace in traces.items()}
    known = [key for key, trace in traces.items() if trace.sites and is_zeroable(trace, sites[key].kind)]
    others = [_(trace.provenance.title) for key, trace in traces.items() if trace.sites and key not in known]
    st.caption(
        _(
            "Value zeroing takes away the value of one source word at a time, for all heads of the layer shown. "
            "Everything below the maps shows weights."
        )
    )
    if others:
        said = _("Value zeroing works for Transformers only. These show weights: {titles}.", titles=listed(others))
        st.caption(plain(said))
    layers = [(("bench", *texts, key), traces[key], sites[key]) for key in known]
    identity = (ZEROED, *((of, str(site)) for of, _trace, site in layers))
    try:
        sweep = partial(zero_layers, host, layers)
        found = sweep_once("bench-zeroed", identity, sweep, on_stop=_stop) if layers else []
    except models.InputError as error:
        st.info(plain(say(error)))
        return dict(traces)
    zeroed = {key: traces[key].with_zeroed({sites[key]: values}) for key, values in zip(known, found, strict=True)}
    return {**traces, **zeroed}


def _stop() -> None:
    link.drop(ZEROABLE)
