"""Text boxes bound to the link and kept from page to page."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from viz.shell.bound_parameter import say_bound
from viz.widgets.settings import address, link
from viz.widgets.settings.kinds import TextSetting

_KEPT = "settings-typed"


def text_box(
    setting: TextSetting,
    label: str,
    *,
    default: str = "",
    placeholder: str | None = None,
    labelled: Literal["visible", "collapsed"] = "visible",
) -> str:
    """Show a box to type in, and return what stands in it.

    Every page that has a travelling text calls this with the same setting, bound to the link: that is what keeps it
    when the page changes. What the page before the last showed is put into the box and the link here: Streamlit keeps
    the values of bound boxes that stood through two runs, and forgets that of a link whose reader turns straight on.
    """
    kept = st.session_state.setdefault(_KEPT, {})
    came_along = setting.travels and link.has_turned() and not link.came_back() and link.text_of(setting) is None
    if came_along and setting.name in kept:
        text, begun_with = kept[setting.name]
        text = default if text == begun_with else text  # nothing was typed: each page begins with its own
        put_text(setting, text)
        link.store(setting.name, setting.write(text, default))
    typed = st.text_input(
        label,
        default,
        key=setting.name,
        bind="query-params" if address.is_open() else None,
        live="200ms",
        autocomplete="off",
        placeholder=placeholder,
        label_visibility=labelled,
    )
    text = typed or ""
    is_new = kept.get(setting.name, (text,))[0] != text
    kept[setting.name] = text, default
    if not address.is_open():
        link.store(setting.name, setting.write(text, default))
    elif is_new and not link.has_turned():
        say_bound(setting.name, setting.write(text, default))
    return text


def put_text(setting: TextSetting, text: str) -> None:
    """Put `text` into the box of `setting`; before the box is shown."""
    st.session_state[setting.name] = text


def typed_text(setting: TextSetting, default: str) -> str:
    """Return what stands in the box of `setting`, shown in this run or not; `default` if it was never shown."""
    return str(st.session_state.get(setting.name, default))
