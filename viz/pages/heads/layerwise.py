"""Heads of a text whose whole record would not fit into memory: all pooled, the picked ones whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from viz.canvas.overview import SmallMaps, Tiles, encode_overview, printed_heads
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture
from viz.captions.heads import overview_note
from viz.captions.maps import map_title
from viz.figures.drawing.theme import Colour
from viz.pages.heads.gallery import CANVAS, take_picks
from viz.pages.heads.picked import compare_heads, file_name_of
from viz.pages.heads.picks import forget_picks, layers_of, order_of_picking, pick_heads, settle_picks
from viz.pages.heads.settings import COLOUR, LAYERS
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.span import span_of
from viz.pages.heads.wanted import HeadsSettings
from viz.server.layerwise import attend_layerwise, record_bytes
from viz.server.runtime import shared_host
from viz.text.language import _
from viz.views.heads import KINDS, HeadPlace
from viz.views.hiding import NOTHING
from viz.widgets.canvas import show_canvas
from viz.widgets.frame import Frame
from viz.widgets.keep import file_name, keep_row
from viz.widgets.likely import show_output
from viz.widgets.readable_text import fit_text, keep_readable
from viz.widgets.settings import choose_titled, labels_of, link
from viz.widgets.shared_settings import PICTURE
from viz.widgets.shown import Shown
from viz.widgets.visit import ImageFormat, Visit
from viz.widgets.writing import asked


def show_layerwise(key: str, frame: Frame, line: DeltaGenerator, settings: DeltaGenerator) -> bool:
    """Show overview and picked heads of a text whose whole record would not fit; return False if it would."""
    host = shared_host()
    model = host.model(key)
    if host.runs_all_elsewhere:
        return False
    try:
        text = model.fit(frame.sentence)[0]
        size = record_bytes(model, text)
        if not size or asked(model, text) is not None:
            return False
        places = tuple(HeadPlace(site.layer, head) for site, count in model.heads.items() for head in range(count))
        if link.belong(LAYERS, of=(key, layers_of(places))):
            forget_picks()
        take_picks(places)
        settle_picks(places, [places[0], next(each for each in places if each.layer == places[-1].layer)])
        gallery, below = st.container(), st.container()
        with below:
            picked = pick_heads(places)
        layers = {place.layer for place in picked} or {places[0].layer}
        with st.spinner(_("Pooling every layer …")):
            trace, small = attend_layerwise(host, key, text, [site for site in model.heads if site.layer in layers])
    except models.InputError:  # said where the text is run as any other
        return False
    keep_readable(fit_text(model, frame.sentence, frame.messages))
    wanted = _choose(settings)
    shown = HeadSelection(trace, (host.identify(key, text), *layers), host.workings, wanted.sites, "piece")
    with line:
        show_output(trace, model, ())
    visit = frame.visit(wanted)
    with gallery:
        _say(len(places), len(trace.source), size)
        _overview(visit, shown, small, picked)
    with below:
        compare_heads(visit, span_of(shown), picked)
    return True


def _choose(settings: DeltaGenerator) -> HeadsSettings:
    """Let the reader choose colours, square root first, and the format of pictures."""
    with settings:
        colour = choose_titled(COLOUR, dict(reversed(dict(labels_of(COLOUR)).items())))
        picture = cast("ImageFormat", choose_titled(PICTURE))
    return HeadsSettings(
        sites=KINDS["decoder"][0], unit="piece", colour=cast("Colour", colour), hiding=NOTHING, picture=picture
    )


def _say(heads: int, tokens: int, size: int) -> None:
    st.caption(
        _(
            "{heads:,} heads on {tokens:,} tokens: all maps would take {size} GB. So each layer is pooled as soon "
            "as it is computed. Only the layers of picked heads are kept in full. A shorter text also shows words, "
            "labels, numbers and more figures.",
            heads=heads,
            tokens=tokens,
            size=f"{size / 1e9:.1f}",
        )
    )


def _overview(visit: Visit[HeadsSettings], shown: HeadSelection, small: SmallMaps, picked: Sequence[HeadPlace]) -> None:
    """Show all heads as small pictures."""
    wanted, first = visit.wanted, shown.first
    kept = [place for place in order_of_picking() if place in picked]
    name = file_name(file_name_of(shown, map_title(first.shown.site)))
    tiles, note = Tiles(None, kept), overview_note([first])
    look = Look(wanted.colour, file=f"{name}.{wanted.picture}")
    picture = Picture("overview", encode_overview([first], tiles, look, small=small, note=note))
    with st.container(key="figure-all-heads"):
        show_canvas(picture, key=CANVAS)
    keep_row(
        Shown(
            picture,
            key="all-heads",
            name=name,
            printed=lambda: printed_heads(first, small, tiles, colour=wanted.colour, note=note),
            square=False,
        )
    )
