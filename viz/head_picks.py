"""Which heads the reader picked: at most four, and which two of them make a difference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from viz.controls import select, several
from viz.figures.head_maps import HeadPlace
from viz.language import _
from viz.style import plain
from viz.views import View

MOST_HEADS = 4
_ORDER = "heads-in-order-of-picking"
_MADE_ROOM = "heads-that-made-room"


def pick_heads(views: Sequence[View]) -> tuple[HeadPlace, ...]:
    """Show the heads of each layer to pick from, and give those that are picked, at most four.

    Parameters
    ----------
    views : sequence of View
        One a layer.

    Returns
    -------
    tuple of HeadPlace
        By layer and head. The address bar calls the heads of layer 0 ``heads0``.
    """
    layers = {view.shown.site.layer: len(view.shown.head_names) for view in views}
    defaults = {layer: ("0",) if layer in (min(layers), max(layers)) else () for layer in layers}
    _name_layers_that_are_not(layers)
    _make_room(layers, defaults)
    st.subheader(_("Picked heads"), anchor=False)
    st.caption(_("Pick up to four; a fifth takes the place of the one picked first. The overview frames them."))
    picked = []
    with st.container(horizontal=True, gap="medium"):
        for layer, heads in layers.items():
            with st.container(width="content", gap="xxsmall"):
                st.markdown(_("layer {layer}, head", layer=layer))
                labels = {str(head): str(head) for head in range(heads)}
                title = _("Heads of layer {layer}", layer=layer)
                chosen = several(f"heads{layer}", labels, title=title, default=defaults[layer], drops=("plus", "minus"))
            picked += [HeadPlace(layer, int(head)) for head in chosen]
    if gone := st.session_state.get(_MADE_ROOM):
        st.caption(_("Four heads at most: {heads} made room.", heads="; ".join(place.title for place in gone)))
    return tuple(picked)


def _make_room(layers: Mapping[int, int], defaults: Mapping[int, Sequence[str]]) -> None:
    """Let only four heads stand in the address bar: those picked first go, of a link's the last."""
    params = st.query_params
    wanted = {
        layer: params[f"heads{layer}"].split() if f"heads{layer}" in params else defaults[layer] for layer in layers
    }
    now = [
        HeadPlace(layer, head) for layer, heads in layers.items() for head in range(heads) if str(head) in wanted[layer]
    ]
    before = st.session_state.get(_ORDER)
    order = [place for place in before or () if place in now]
    order += [place for place in now if place not in order]
    gone = order[MOST_HEADS:] if before is None else order[:-MOST_HEADS]
    kept = [place for place in order if place not in gone]
    for layer in {place.layer for place in gone}:
        params[f"heads{layer}"] = " ".join(str(place.head) for place in sorted(kept) if place.layer == layer)
    if gone or set(kept) != set(before or ()):
        st.session_state[_MADE_ROOM] = gone
    st.session_state[_ORDER] = kept


def _name_layers_that_are_not(layers: Mapping[int, int]) -> None:
    """Take what a link picks in layers that there are not out of the address bar, and say so."""
    for key in tuple(st.query_params):
        found = re.fullmatch(r"heads(\d+)", key)
        if found and key not in {f"heads{layer}" for layer in layers}:
            text = _("The link picks heads of a layer that there is not: {name}", name=f"{key}={st.query_params[key]}")
            st.toast(plain(text), icon=":material/link_off:", duration="long")
            del st.query_params[key]


def pick_pair(picked: Sequence[HeadPlace]) -> tuple[HeadPlace, HeadPlace] | None:
    """Let the reader choose of which two picked heads the difference is shown.

    Parameters
    ----------
    picked : sequence of HeadPlace

    Returns
    -------
    tuple of HeadPlace or None
        The first less the second; None if there are not two.
    """
    if len(picked) < 2:
        return None
    places = {f"{place.layer}.{place.head}": place for place in picked}
    labels, codes = {code: place.title for code, place in places.items()}, list(places)
    left, right = st.columns(2)
    with left:
        first = select("plus", labels, title=_("The weights of"), compact=False)
    with right:
        second = select("minus", labels, title=_("less those of"), default=codes[1], compact=False)
    return places[first], places[second]
