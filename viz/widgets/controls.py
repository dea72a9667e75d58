"""Controls whose choices stand in the address bar, in words that stay the same in every language of the interface.

Streamlit's own binding writes a choice's label there. Here the address bar is the state: a control shows what
stands in it, and writes to it when it is changed. A value that is not one of the choices is named in a message and
replaced by the default.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import shorten

_UNKNOWN = "unknown-in-link"

LONGEST_NAMED = 60
"""Columns of a discarded value that are named."""

Labels = Mapping[str, str]
"""What each choice is called in the address bar, and what the reader sees."""


def segmented(key: str, labels: Labels, *, title: str, default: str | None = None) -> str:
    """Show all choices side by side, one of them chosen; without `default` the first is."""
    first = next(iter(labels)) if default is None else default
    value = _read_one(key, labels, first)
    _show(key, value)
    st.segmented_control(
        title,
        tuple(labels),
        default=value,  # what the browser shows of a control that it has not met yet, as behind a button
        key=key,
        required=True,
        format_func=lambda each: labels[each],
        on_change=_write_one,
        args=(key, first),
        label_visibility="collapsed",
        wrap=True,
    )
    return value


def select(key: str, labels: Labels, *, title: str, default: str | None = None, compact: bool = True) -> str:
    """Show the chosen one of many choices in a box that opens; without `default` the first is.

    With `compact` the title is for screen readers alone and the box is as wide as its text.
    """
    first = next(iter(labels)) if default is None else default
    value = _read_one(key, labels, first)
    _show(key, value)
    st.selectbox(
        title,
        tuple(labels),
        index=tuple(labels).index(value),
        key=key,
        format_func=lambda each: labels[each],
        on_change=_write_one,
        args=(key, first),
        label_visibility="collapsed" if compact else "visible",
        filter_mode=None,
        width="stretch",
    )
    return value


def slide(key: str, labels: Labels, *, title: str, default: str | None = None) -> str:
    """Show choices in an order on a slider, which arrow keys move too; without `default` the first is chosen.

    Of a single choice there is nothing to move: it is given, and no slider shown.
    """
    first = next(iter(labels)) if default is None else default
    value = _read_one(key, labels, first)
    if len(labels) == 1:
        return value
    _show(key, value)
    st.select_slider(
        title,
        tuple(labels),
        value=value,
        key=key,
        format_func=lambda each: labels[each],
        on_change=_write_one,
        args=(key, first),
    )
    return value


def switch(key: str, *, title: str, default: bool) -> bool:
    """Show a switch; the address bar calls its two sides ``on`` and ``off``."""
    first = "on" if default else "off"
    value = _read_one(key, {"on": "", "off": ""}, first) == "on"
    _show(key, value)
    st.toggle(title, value=value, key=key, on_change=_write_switch, args=(key, first))
    return value


def discard(key: str) -> None:
    """Take the value of `key` out of the address bar and name it among what there is not."""
    _note(key, shorten(st.query_params[key], LONGEST_NAMED))
    del st.query_params[key]


def start_anew(keys: Sequence[str], *, of: object, mark: str) -> None:
    """Let controls start anew when what they belong to has become another; before they are shown.

    Parameters
    ----------
    keys : sequence of str
        Of the controls.
    of : object
        What they belong to, such as a sentence: what a link brings at the first visit is kept.
    mark : str
        Under which the session remembers it.
    """
    before = st.session_state.get(mark, of)
    st.session_state[mark] = of
    if before != of:
        for key in keys:
            if key in st.query_params:
                del st.query_params[key]


def several(
    key: str, labels: Labels, *, title: str, default: Sequence[str], least: int = 0, drops: Sequence[str] = ()
) -> tuple[str, ...]:
    """Show choices of which any number, but at least `least`, are chosen; they are given in the order of `labels`.

    `drops` are keys of other controls that start anew when this one is changed.
    """
    raw = st.query_params.get(key)
    wanted = tuple(default) if raw is None else tuple(raw.split())
    chosen = tuple(each for each in labels if each in wanted)
    unknown = [each for each in wanted if each not in labels]
    if unknown or len(chosen) < least:
        _note(key, " ".join(unknown) or raw or "")
        chosen = chosen if len(chosen) >= max(least, 1) else tuple(default)
        _store(key, " ".join(chosen), " ".join(default))
    _show(key, list(chosen), same=lambda old, new: set(old or ()) == set(new))
    st.pills(
        title,
        tuple(labels),
        selection_mode="multi",
        default=list(chosen),
        key=key,
        format_func=lambda each: labels[each],
        on_change=_write_several,
        args=(key, tuple(labels), tuple(default), chosen if least else None, tuple(drops)),
        label_visibility="collapsed",
        wrap=True,
    )
    return chosen


def unfolded(label: str, key: str) -> DeltaGenerator | None:
    """Show a fold that is closed at first, and return where its content goes; None while it is closed.

    What is in a closed fold is neither computed nor drawn: a table there would take longer than the figure above it.
    """
    fold = st.expander(label, key=key, on_change="rerun")
    return fold if fold.open else None


def discard_unknown(known: Collection[str]) -> None:
    """Take what no control of a page is called out of the address bar, and name it among what there is not.

    Parameters
    ----------
    known : collection of str
        What the page's controls are called, shown now or not; ``*`` stands for anything.
    """
    for key in list(st.query_params):
        if not any(fnmatchcase(key, each) for each in known):
            discard(key)


def show_unknown(place: DeltaGenerator, *, sentence: str) -> None:
    """Name in `place` what a link asked for and what there is not, until a control or the sentence changes."""
    noted = st.session_state.get(_UNKNOWN)
    if not noted:
        return
    if noted.setdefault("", sentence) != sentence:
        del st.session_state[_UNKNOWN]
        return
    names = ", ".join(f"{key}={value}" for key, value in noted.items() if key)
    text = _("The link asks for something that there is not: {names}. The default is shown instead.", names=names)
    place.warning(plain(text), icon=":material/link_off:")


def _read_one(key: str, labels: Labels, default: str | None = None) -> str:
    first = next(iter(labels)) if default is None else default
    value = st.query_params.get(key, first)
    if value in labels:
        return value
    _note(key, value)
    del st.query_params[key]
    return first


def _show(key: str, value: Any, *, same: Any = lambda old, new: old == new) -> None:
    if not same(st.session_state.get(key), value):
        st.session_state[key] = value


def _note(key: str, value: str) -> None:
    st.session_state.setdefault(_UNKNOWN, {})[key] = value


def _store(key: str, value: str, default: str) -> None:
    if value != default:
        st.query_params[key] = value
    elif key in st.query_params:
        del st.query_params[key]


def _write_one(key: str, default: str) -> None:
    st.session_state.pop(_UNKNOWN, None)
    _store(key, st.session_state[key] or default, default)


def _write_switch(key: str, default: str) -> None:
    st.session_state.pop(_UNKNOWN, None)
    _store(key, "on" if st.session_state[key] else "off", default)


def _write_several(
    key: str, order: tuple[str, ...], default: tuple[str, ...], before: tuple[str, ...] | None, drops: tuple[str, ...]
) -> None:
    st.session_state.pop(_UNKNOWN, None)
    for each in drops:
        if each in st.query_params:
            del st.query_params[each]
    chosen = [each for each in order if each in st.session_state[key]]
    if not chosen and before is not None:
        st.session_state[key] = list(before)
        return
    _store(key, " ".join(chosen), " ".join(default))
