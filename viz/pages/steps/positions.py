"""Positions on the Steps page: encodings, their similarity, and the encoder without them."""

from __future__ import annotations

from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.mechanisms import multi_head
from models.sites import Site
from viz.figures import alignment_heatmap
from viz.figures.positions import dot_products, dot_products_by_distance, position_encoding
from viz.pages.steps.distances import show_distances
from viz.pages.steps.equations import show_equations
from viz.pages.steps.numbers import LONGEST_NAMED
from viz.pages.steps.settings import COUNT, COUNTS, ENCODER_HEAD, ENCODER_LAYER
from viz.pages.steps.walk import read_sentence
from viz.server.introspection import inside_of, without_positions
from viz.server.loading import usable
from viz.server.runtime import Host, shared_host
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.views.view import Head, Unit, choose_view
from viz.widgets.chart import show_figure
from viz.widgets.settings import choose
from viz.widgets.shared_settings import UNIT
from viz.widgets.viewport import page_width


def show_positions(sentence: str, pair: str, messages: DeltaGenerator) -> None:
    """Show the page's part on positions; what is wrong is said in `messages`."""
    host, key = shared_host(), f"{multi_head().key}-{pair}"
    if key not in models.catalog():
        messages.warning(_("The weights {key} are not installed: there is no Transformer to show.", key=key))
        return
    if not usable(host, (key,), messages):
        return
    available = page_width()
    _encoding(host, key, available)
    source = read_sentence(host, key, sentence, messages)
    if source is not None:
        _compare(host, key, source, available)
        show_distances(source, pair, messages, available)


def _encoding(host: Host, key: str, available: float) -> None:
    st.header(_("What is added to each token"), anchor=False)
    show_equations(
        r"P_{p,2i} = \sin\left(\frac{p}{10000^{2i/d}}\right)",
        r"P_{p,2i+1} = \cos\left(\frac{p}{10000^{2i/d}}\right)",
        available=available,
        beside=True,
    )
    labels = {each: _n("{count} position", "{count} positions", int(each)) for each in COUNTS}
    count = int(choose(COUNT, labels))
    added = inside_of(host, key).encodings(count)
    show_figure(
        position_encoding(added, width=available),
        key="encoding",
        says=_(
            "Attention alone does not know which word comes first. So each token gets numbers that say where it "
            "stands: fast waves at the left tell neighbours apart, slow ones at the right tell beginning from end."
        ),
        name="position encoding",
        available=available,
    )
    _distances, means, spread = dot_products(added)
    show_figure(
        dot_products_by_distance(added, width=available),
        key="distance",
        says=_(
            "A position is most like itself ({near}) and, on the whole, less like those further away ({far} at "
            "distance {distance}), in waves. Only the distance counts, not the place: pairs at one distance differ by "
            "{spread} at most.",
            near=f"{means[count - 1]:.1f}",
            far=f"{means[-1]:.1f}",
            distance=count - 1,
            spread=f"{spread:.0e}",
        ),
        name="dot products of positions by distance",
        available=available,
    )


def _compare(host: Host, key: str, source: str, available: float) -> None:
    """Show one map of the encoder as it is, and without positions."""
    st.header(_("Encoder self-attention with positions and without"), anchor=False)
    told = host.attend(key, source)
    blind = without_positions(host, key, source)
    sites = [site for site in told.sites if (site.stack, site.kind) == ("encoder", "self")]
    with st.container(horizontal=True, vertical_alignment="center", key="positions-place"):
        with st.container(width=150):
            layers = {str(site.layer): _("layer {layer}", layer=site.layer) for site in sites}
            site = Site("encoder", int(choose(ENCODER_LAYER, layers)), "self")
        with st.container(width=150):
            names = {"mean": _("mean of heads")}
            names |= {str(head): _("head {head}", head=head) for head in range(len(told[site].head_names))}
            chosen = choose(ENCODER_HEAD, names)
        unit = choose(UNIT)
    head: Head = "mean" if chosen == "mean" else int(chosen)
    views = [choose_view(trace, site=site, head=head, unit=cast("Unit", unit)) for trace in (told, blind)]
    moved = float(abs(views[0].weights - views[1].weights).sum(axis=1).mean() / 2)
    show_figure(
        alignment_heatmap(views, width=available),
        key="positions",
        says=_(
            "First as it is, then with positions removed: of each word's attention {share} goes elsewhere on average. "
            "Without positions equal words read alike wherever they stand.",
            share=f"{moved:.0%}",
        ),
        name=f"{source[:LONGEST_NAMED]} positions",
        available=available,
    )
    st.markdown(plain(_("It writes, with positions: “{text}”", text=told.output_text)))
    st.markdown(plain(_("Without them in the encoder: “{text}”", text=blind.output_text)))
