"""Controls of settings: each shows and writes its part of the link.

A value that is not one of the choices is named in a message and replaced by the default.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from viz.text.language import _
from viz.widgets.settings import link, unknown
from viz.widgets.settings.boxes import reported, select
from viz.widgets.settings.kinds import Choice, Labels, Several, Switch
from viz.widgets.settings.setting import Found


def choose(
    setting: Choice, labels: Labels | None = None, *, title: str | None = None, default: str | None = None
) -> str:
    """Show one of several choices, and return its code."""
    shown = labels_of(setting, labels)
    default = default or setting.default
    first = next(iter(shown)) if default is None else default
    value = value_of(setting, shown, default=first)
    if setting.shape == "slider" and len(shown) == 1:
        return value
    _show(setting.name, value)
    common: dict[str, Any] = {
        "key": setting.name,
        "on_change": _write_one,
        "args": (setting, first),
    }
    titled, codes = _(setting.title) if title is None else title, tuple(shown)
    if setting.shape == "slider":
        st.select_slider(titled, codes, value=value, format_func=shown.__getitem__, **common)
    elif setting.shape == "box":
        visibility: Any = "visible" if setting.titled else "collapsed"
        common |= {"label_visibility": visibility, "filter_mode": None, "width": "stretch"}
        select(titled, shown, index=codes.index(value), **common)
    else:  # the default is what the browser shows of a control that it has not met yet, as behind a button
        st.segmented_control(
            titled,
            codes,
            default=value,
            format_func=shown.__getitem__,
            required=True,
            label_visibility="collapsed",
            wrap=True,
            **common,
        )
    return value


def choose_titled(setting: Choice, labels: Labels | None = None) -> str:
    """Show a setting under its title, as among others behind a button, and return its code."""
    st.caption(_(setting.title))
    return choose(setting, labels)


def value_of(setting: Choice, labels: Labels | None = None, *, default: str | None = None) -> str:
    """Return the choice that the link names, without a control; one that there is not is named."""
    shown = labels_of(setting, labels)
    default = default or setting.default
    return str(_read(setting, shown, default=next(iter(shown)) if default is None else default))


def choose_several(
    setting: Several, labels: Labels | None = None, *, title: str | None = None, default: Sequence[str]
) -> tuple[str, ...]:
    """Show choices of which any number, but at least so many as declared, are chosen; return them in their order.

    What is declared to start anew with the setting does so when it is changed.
    """
    shown = labels_of(setting, labels)
    whole = chosen_of(setting, shown, default=default)
    choose_part(whole, shown, title=title)
    return whole.chosen


@dataclass(frozen=True, slots=True)
class Choices:
    """All choices of a setting, and which of them the link names."""

    setting: Several
    every: tuple[str, ...]
    default: tuple[str, ...]
    chosen: tuple[str, ...]


def chosen_of(setting: Several, labels: Labels, *, default: Sequence[str]) -> Choices:
    """Return the choices that the link names, without a control; those that there are not are named."""
    return Choices(setting, tuple(labels), tuple(default), _read(setting, tuple(labels), default=default))


def choose_part(whole: Choices, labels: Labels, *, part: str = "", title: str | None = None) -> None:
    """Show some of the choices of a setting, whose others stand elsewhere on the page."""
    setting = whole.setting
    key = f"{setting.name}-{part}" if part else setting.name
    here = [each for each in whole.chosen if each in labels]
    _show(key, here, same=lambda old, new: set(old or ()) == set(new))
    st.pills(
        _(setting.title) if title is None else title,
        tuple(labels),
        selection_mode="multi",
        default=here,
        key=key,
        format_func=lambda each: labels[each],
        on_change=_write_several,
        args=(whole, key, tuple(labels)),
        label_visibility="collapsed",
        wrap=True,
    )


def switch(setting: Switch, *, default: bool) -> bool:
    """Show a switch; the link calls its two sides ``on`` and ``off``."""
    value = bool(_read(setting, default=default))
    _show(setting.name, value)
    st.toggle(_(setting.title), value=value, key=setting.name, on_change=_write_switch, args=(setting, default))
    return value


def labels_of(setting: Choice | Several, labels: Labels | None = None) -> Labels:
    """Return `labels`, or the declared ones in the language in use."""
    if labels is not None:
        return labels
    return {code: _(text) for code, text in (setting.choices or {}).items()}


def _read(setting: Any, *codes: Collection[str], default: Any) -> Any:
    """Return what the link says of a setting; what it says that there is not is named, and goes from the link."""
    found: Found = setting.read(link.text_of(setting), *codes, default)
    if found.unknown is not None:
        unknown.note(setting.name, found.unknown)
        link.store(setting.name, setting.write(found.value, default))
    return found.value


def _show(name: str, value: Any, *, same: Any = lambda old, new: old == new) -> None:
    if not same(st.session_state.get(name), value):
        st.session_state[name] = value


def _write_one(setting: Choice, default: str) -> None:
    unknown.forget()
    link.store(setting.name, setting.write(reported(setting.name) or default, default))
    link.drop_dependents(setting.family or setting.name)


def _write_switch(setting: Switch, default: bool) -> None:
    unknown.forget()
    link.store(setting.name, setting.write(bool(st.session_state[setting.name]), default))


def _write_several(whole: Choices, key: str, here: tuple[str, ...]) -> None:
    setting, before = whole.setting, whole.chosen
    unknown.forget()
    link.drop_dependents(setting.family or setting.name)
    now = {each for each in before if each not in here} | set(st.session_state[key])
    chosen = [each for each in whole.every if each in now]
    if not chosen and setting.least:
        st.session_state[key] = [each for each in before if each in here]
        return
    link.store(setting.name, setting.write(chosen, whole.default))
