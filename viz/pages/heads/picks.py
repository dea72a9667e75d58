"""Picked heads: at most four, and which two are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from viz.canvas.payload import MOST_PICKED
from viz.pages.heads.settings import HEADS, MINUS, PLUS
from viz.text.language import SEMICOLON, _, listed
from viz.views.heads import HeadPlace
from viz.widgets import session
from viz.widgets.settings import choose, choose_several, link, unknown

MOST_PILLS = 32
"""Heads that are shown as buttons; of more a box to type in lets the reader choose."""

_PICKS, _BOX = "heads-picks", "heads-box"

Layers = Mapping[int, int]
"""For each layer how many heads it has."""


def layers_of(places: Sequence[HeadPlace]) -> dict[int, int]:
    """Count the heads of each layer."""
    counts: dict[int, int] = {}
    for place in places:
        counts[place.layer] = counts.get(place.layer, 0) + 1
    return counts


@dataclass(frozen=True, slots=True)
class Picks:
    """What the link does not say of the picked heads."""

    order: tuple[HeadPlace, ...] | None = None  # the one picked first in front; None before any was shown
    made_room: tuple[HeadPlace, ...] = ()  # those that a fifth took the place of
    # the clearest heads of the sentence, if the link picks none and they were shown
    offered: tuple[HeadPlace, ...] = ()


def read_picks(
    texts: Mapping[int, str | None], layers: Layers, offered: Sequence[HeadPlace] = ()
) -> tuple[HeadPlace, ...]:
    """Return the heads that a link picks."""
    if all(texts.get(layer) is None for layer in layers):
        return tuple(sorted(offered))
    found = []
    for layer in layers:
        codes = tuple(str(head) for head in range(layers[layer]))
        chosen = HEADS.of_layer(layer).read(texts.get(layer), codes, ())
        found += [HeadPlace(layer, int(head)) for head in chosen.value]
    return tuple(found)


def write_picks(picked: Sequence[HeadPlace], layers: Layers) -> dict[int, str | None]:
    """Return what a link says of each layer for the heads `picked`; if there are none, so of the first layer."""
    texts = {
        layer: HEADS.of_layer(layer).write([str(each.head) for each in sorted(picked) if each.layer == layer], ())
        for layer in layers
    }
    return texts if picked else {**texts, min(layers): ""}


def settle_picks(places: Sequence[HeadPlace], clearest: Sequence[HeadPlace]) -> None:
    """Let the clearest heads of the sentence be picked as long as the reader picks none; before anything shows picks.

    The first head that is picked joins those that were offered, and the last one that is taken out leaves none.
    """
    layers, before = layers_of(places), _picks()
    texts = _texts(layers)
    named = any(text is not None for text in texts.values())
    if named and before.offered:
        kept = [place for place in before.offered if texts.get(place.layer) is None and place in set(places)]
        _store(write_picks([*read_picks(texts, layers), *kept], layers))
    elif not named and before.order and not before.offered:
        _store(write_picks((), layers))
        named = True
    _keep(offered=() if named else tuple(clearest)[:MOST_PICKED])


def _texts(layers: Layers) -> dict[int, str | None]:
    return {layer: link.text_of(HEADS.of_layer(layer)) for layer in layers}


def put_picks(picked: Sequence[HeadPlace], places: Sequence[HeadPlace]) -> None:
    """Let `picked`, the one picked first in front, stand in the link; before `pick_heads` shows them.

    Heads that are not among `places` are left out, and of more than four the first.
    """
    kept = tuple(place for place in picked if place in set(places))[-MOST_PICKED:]
    _store(write_picks(kept, layers_of(places)))
    link.drop(PLUS, MINUS)
    _keep(order=kept, offered=())


def forget_picks() -> None:
    """Let the picks start anew, since the heads are those of another model."""
    session.forget(_PICKS)


def _picks() -> Picks:
    picks: Picks = session.recall(_PICKS, Picks())
    return picks


def _keep(**changes: tuple[HeadPlace, ...]) -> None:
    session.keep(_PICKS, replace(_picks(), **changes))


def _store(texts: Mapping[int, str | None]) -> None:
    for layer, text in texts.items():
        link.store(HEADS.of_layer(layer).name, text)


def pick_heads(places: Sequence[HeadPlace]) -> tuple[HeadPlace, ...]:
    """Show the heads to pick from, and return those that are picked, at most four."""
    layers = layers_of(places)
    _name_layers_that_are_not(layers)
    _make_room(layers)
    st.header(_("Picked heads"), anchor=False)
    if _picks().offered:
        st.caption(_("The clearest heads of this sentence, one per label. Pick others here or on the overview."))
    else:
        st.caption(_("Pick up to four, here or on the overview. A fifth replaces the first one picked."))
    picked = _pills(layers) if len(places) <= MOST_PILLS else _box(places)
    if gone := _picks().made_room:
        st.caption(
            _("Four heads at most. Replaced: {heads}.", heads=listed((place.title for place in gone), SEMICOLON))
        )
    return picked


def order_of_picking() -> tuple[HeadPlace, ...]:
    """Return the picked heads as of the last `pick_heads`, the one picked first in front."""
    return _picks().order or ()


def _pills(layers: Layers) -> tuple[HeadPlace, ...]:
    picked: list[HeadPlace] = []
    with st.container(horizontal=True, gap="medium"):
        for layer in layers:
            default = tuple(str(place.head) for place in sorted(_picks().offered) if place.layer == layer)
            with st.container(width="content", gap="xxsmall"):
                st.markdown(_("layer {layer}, head", layer=layer))
                labels = {str(head): str(head) for head in range(layers[layer])}
                title = _("Heads of layer {layer}", layer=layer)
                chosen = choose_several(HEADS.of_layer(layer), labels, title=title, default=default)
            picked += [HeadPlace(layer, int(head)) for head in chosen]
    return tuple(picked)


def _box(places: Sequence[HeadPlace]) -> tuple[HeadPlace, ...]:
    """Show one box for all heads: typing "5, head 3" finds one."""
    chosen = list(order_of_picking())
    if session.reported(_BOX) != chosen:
        session.put_control(_BOX, chosen)
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
    chosen = [HeadPlace(*place) for place in session.reported(_BOX)]
    before = [place for place in order_of_picking() if place in chosen]
    order = before + [place for place in chosen if place not in before]
    put_picks(order, places)
    _keep(made_room=tuple(order[:-MOST_PICKED]))


def _make_room(layers: Layers) -> None:
    """Let only four heads stand in the link: those picked first go, of a link's the last."""
    offered, before = _picks().offered, _picks().order
    now = read_picks(_texts(layers), layers, offered)
    order = tuple(place for place in before or () if place in now)
    order += tuple(place for place in now if place not in order)
    gone = order[MOST_PICKED:] if before is None else order[:-MOST_PICKED]
    kept = tuple(place for place in order if place not in gone)
    for layer in {place.layer for place in gone}:
        heads = " ".join(str(place.head) for place in sorted(kept) if place.layer == layer)
        link.store(HEADS.of_layer(layer).name, heads)
    if gone or set(kept) != set(before or ()):
        _keep(made_room=gone)
    _keep(order=kept)


def _name_layers_that_are_not(layers: Layers) -> None:
    """Take what a link picks in layers that there are not out of it, and name it."""
    there = {HEADS.of_layer(layer).name for layer in layers}
    for name in link.names_of(HEADS):
        if name not in there:
            unknown.discard(name)


def pick_pair(picked: Sequence[HeadPlace]) -> tuple[HeadPlace, HeadPlace] | None:
    """Let the reader choose of which two picked heads the difference is shown."""
    if len(picked) < 2:
        return None
    places = {place.code: place for place in picked}
    labels = {code: place.title for code, place in places.items()}
    left, right = st.columns(2)
    with left:
        first = choose(PLUS, labels)
    other = next(code for code in places if code != first)
    with right:
        second = choose(MINUS, labels, default=other)
    return places[first], places[second]
