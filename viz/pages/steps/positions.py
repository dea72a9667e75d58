"""Positions on the Steps page: encodings, their similarity, and the encoder without them."""

from __future__ import annotations

from typing import cast

import streamlit as st

import models
from models.mechanisms import multi_head
from models.sites import Site
from viz.figures import alignment_heatmap
from viz.figures.positions import dot_products, dot_products_by_distance, position_encoding
from viz.pages.steps.distances import show_distances
from viz.pages.steps.numbers import LONGEST_NAMED
from viz.pages.steps.settings import COUNT, COUNTS, ENCODER_HEAD, ENCODER_LAYER
from viz.pages.steps.walk import read_sentence
from viz.server.introspection import inside_of, without_positions
from viz.server.loading import usable
from viz.server.runtime import shared_host
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.views.view import Head, Unit, choose_view
from viz.widgets.equations import show_equations
from viz.widgets.frame import Frame
from viz.widgets.settings import choose
from viz.widgets.shared_settings import UNIT
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted


def show_positions(frame: Frame, pair: str) -> None:
    """Show the page's part on positions; what is wrong is said in `messages`."""
    host, key, messages = shared_host(), f"{multi_head().key}-{pair}", frame.messages
    if key not in models.catalog():
        messages.warning(_("The weights {key} are not installed, so no Transformer can be shown.", key=key))
        return
    if not usable(host, (key,), messages):
        return
    visit = frame.visit(Wanted())
    _encoding(visit, key)
    source = read_sentence(host, key, frame.sentence, messages)
    if source is not None:
        _compare(visit, key, source)
        show_distances(visit, source, pair)


def _encoding(visit: Visit[Wanted], key: str) -> None:
    st.header(_("What is added to each token"), anchor=False)
    show_equations(
        r"P_{p,2i} = \sin\left(\frac{p}{10000^{2i/d}}\right)",
        r"P_{p,2i+1} = \cos\left(\frac{p}{10000^{2i/d}}\right)",
        available=visit.width,
        beside=True,
    )
    labels = {each: _n("{count} position", "{count} positions", int(each)) for each in COUNTS}
    count = int(choose(COUNT, labels))
    added = inside_of(visit.host, key).encodings(count)
    shown = Shown(
        position_encoding(added, width=visit.width),
        key="encoding",
        says=_(
            "Attention alone does not know which word comes first. So each token gets numbers that encode its "
            "position. Fast waves on the left tell neighbours apart; slow waves on the right tell beginning from "
            "end."
        ),
        name="position encoding",
    )
    show(shown, visit)
    _distances, means, spread = dot_products(added)
    shown = Shown(
        dot_products_by_distance(added, width=visit.width),
        key="distance",
        says=_(
            "A position is most similar to itself ({near}). On the whole, similarity falls with distance, in waves "
            "({far} at distance {distance}). Only the distance counts, not the position: pairs at the same "
            "distance differ by {spread} at most.",
            near=f"{means[count - 1]:.1f}",
            far=f"{means[-1]:.1f}",
            distance=count - 1,
            spread=f"{spread:.0e}",
        ),
        name="dot products of positions by distance",
    )
    show(shown, visit)


def _compare(visit: Visit[Wanted], key: str, source: str) -> None:
    """Show one map of the encoder as it is, and without positions."""
    st.header(_("Encoder self-attention with positions and without"), anchor=False)
    told = visit.host.attend(key, source)
    blind = without_positions(visit.host, key, source)
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
    shown = Shown(
        alignment_heatmap(views, width=visit.width),
        key="positions",
        says=_(
            "First as it is, then without positions. On average, {share} of each word's attention moves elsewhere. "
            "Without positions, equal words attend alike wherever they are.",
            share=f"{moved:.0%}",
        ),
        name=f"{source[:LONGEST_NAMED]} positions",
    )
    show(shown, visit)
    st.markdown(plain(_("Translation with positions: “{text}”", text=told.output_text)))
    st.markdown(plain(_("Translation without positions in the encoder: “{text}”", text=blind.output_text)))
