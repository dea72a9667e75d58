"""Which heads the reader picked: at most four, and which two of them make a difference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st

from viz.figures.drawing.heads import HeadPlace
from viz.text.language import _
from viz.widgets.controls import discard, select, several

MOST_HEADS = 4
MOST_PILLS = 32
"""Heads that are shown as buttons; of more a box to type in lets the reader choose."""

_ORDER = "heads-in-order-of-picking"
_MADE_ROOM = "heads-that-made-room"
_BOX = "heads-box"
_PARAMETER = re.compile(r"heads(\d+)")

Layers = Mapping[int, int]
"""For each layer how many heads it has."""


def layers_of(places: Sequence[HeadPlace]) -> dict[int, int]:
    """Count the heads of each layer.

    Examples
    --------
    >>> layers_of([HeadPlace(0, 0), HeadPlace(0, 1), HeadPlace(3, 0)])
    {0: 2, 3: 1}
    """
    counts: dict[int, int] = {}
    for place in places:
        counts[place.layer] = counts.get(place.layer, 0) + 1
    return counts


def put_picks(picked: Sequence[HeadPlace], places: Sequence[HeadPlace]) -> None:
    """Let `picked`, the one picked first in front, stand in the address bar; before `pick_heads` shows them.

    Heads that are not among `places` are left out, and of more than four the first.
    """
    kept = [place for place in picked if place in set(places)][-MOST_HEADS:]
    layers = layers_of(places)
    for layer, default in _defaults(layers).items():
        heads = tuple(str(place.head) for place in sorted(kept) if place.layer == layer)
        if heads != default:
            st.query_params[f"heads{layer}"] = " ".join(heads)
        elif f"heads{layer}" in st.query_params:
            del st.query_params[f"heads{layer}"]
    for each in ("plus", "minus"):
        if each in st.query_params:
            del st.query_params[each]
    st.session_state[_ORDER] = kept


def forget_picks() -> None:
    """Let the picks start anew, since the heads are those of another model."""
    for key in [each for each in st.query_params if _PARAMETER.fullmatch(each)]:
        del st.query_params[key]
    st.session_state.pop(_ORDER, None)
    st.session_state.pop(_MADE_ROOM, None)


def pick_heads(places: Sequence[HeadPlace]) -> tuple[HeadPlace, ...]:
    """Show the heads to pick from, and return those that are picked, at most four.

    Parameters
    ----------
    places : sequence of HeadPlace
        All heads, by layer and head.

    Returns
    -------
    tuple of HeadPlace
        By layer and head. The address bar calls the heads of layer 0 ``heads0``.
    """
    layers = layers_of(places)
    _name_layers_that_are_not(layers)
    _make_room(layers)
    st.subheader(_("Picked heads"), anchor=False)
    st.caption(_("Pick up to four, here or above; a fifth takes the place of the one picked first."))
    picked = _pills(layers) if len(places) <= MOST_PILLS else _box(places)
    if gone := st.session_state.get(_MADE_ROOM):
        st.caption(_("Four heads at most: {heads} made room.", heads="; ".join(place.title for place in gone)))
    return picked


def order_of_picking() -> tuple[HeadPlace, ...]:
    """Return the picked heads as of the last `pick_heads`, the one picked first in front."""
    return tuple(st.session_state.get(_ORDER, ()))


def _pills(layers: Layers) -> tuple[HeadPlace, ...]:
    picked: list[HeadPlace] = []
    with st.container(horizontal=True, gap="medium"):
        for layer, default in _defaults(layers).items():
            with st.container(width="content", gap="xxsmall"):
                st.markdown(_("layer {layer}, head", layer=layer))
                labels = {str(head): str(head) for head in range(layers[layer])}
                title = _("Heads of layer {layer}", layer=layer)
                chosen = several(f"heads{layer}", labels, title=title, default=default, drops=("plus", "minus"))
            picked += [HeadPlace(layer, int(head)) for head in chosen]
    return tuple(picked)


def _box(places: Sequence[HeadPlace]) -> tuple[HeadPlace, ...]:
    """Show one box for all heads: typing "5, head 3" finds one."""
    chosen = list(order_of_picking())
    if st.session_state.get(_BOX) != chosen:
        st.session_state[_BOX] = chosen
    st.multiselect(
        _("Picked heads"),
        list(places),
        default=chosen,
        key=_BOX,
        format_func=lambda place: place.title,
        on_change=_take_box,
        args=(tuple(places),),
        placeholder=_("Type a layer or a head"),
        label_visibility="collapsed",
    )
    return tuple(sorted(chosen))


def _take_box(places: tuple[HeadPlace, ...]) -> None:
    chosen = [HeadPlace(*place) for place in st.session_state[_BOX]]
    before = [place for place in order_of_picking() if place in chosen]
    order = before + [place for place in chosen if place not in before]
    gone = order[:-MOST_HEADS]
    put_picks(order, places)
    st.session_state[_MADE_ROOM] = gone


def _defaults(layers: Layers) -> dict[int, tuple[str, ...]]:
    """Return per layer the heads that are picked if the address bar says nothing: the first of the outer layers."""
    return {layer: ("0",) if layer in (min(layers), max(layers)) else () for layer in layers}


def _make_room(layers: Layers) -> None:
    """Let only four heads stand in the address bar: those picked first go, of a link's the last."""
    params, defaults = st.query_params, _defaults(layers)
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


def _name_layers_that_are_not(layers: Layers) -> None:
    """Take what a link picks in layers that there are not out of the address bar, and name it."""
    for key in tuple(st.query_params):
        found = _PARAMETER.fullmatch(key)
        if found and key not in {f"heads{layer}" for layer in layers}:
            discard(key)


def pick_pair(picked: Sequence[HeadPlace]) -> tuple[HeadPlace, HeadPlace] | None:
    """Let the reader choose of which two picked heads the difference is shown.

    Parameters
    ----------
    picked : sequence of HeadPlace

    Returns
    -------
    tuple of HeadPlace or None
        The first less the second, which is another one unless the reader chose the same twice; None if there are
        not two.
    """
    if len(picked) < 2:
        return None
    places = {f"{place.layer}.{place.head}": place for place in picked}
    labels = {code: place.title for code, place in places.items()}
    left, right = st.columns(2)
    with left:
        first = select("plus", labels, title=_("The weights of"), compact=False)
    other = next(code for code in places if code != first)
    with right:
        second = select("minus", labels, title=_("less those of"), default=other, compact=False)
    return places[first], places[second]
