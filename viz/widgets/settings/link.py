"""Link of a page: reads and writes its settings, across pages and the browser's Back.

Streamlit's own ways carry what they can, as tried with 1.67. A text box is bound with ``bind="query-params"``:
only so is a link written letter by letter without a new entry in the browser's history at each. A control of choices
is not bound: Streamlit writes the label that the reader sees to the address bar, where a link holds the code, which is
the same in every language of the interface; and a bound control that is not shown, as on another part of the page,
takes its parameter out of the link. ``persist_state="session"`` does not keep a page's settings either: the control has
its value again and the link lacks it, so that whoever is sent the link sees something else.

The reader turns to a page in three ways. A link brings settings: they hold. The navigation brings none: the page stands
as it was left, and what travels comes along. Back, Forward and lessons bring a link that holds to the letter.
What a link says of settings that other pages have is kept for them: the next one that the navigation leads to takes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import streamlit as st

from viz.shell.bound_parameter import put_unless_bound
from viz.shell.script_run import is_by_history, link_of_run, page_hash
from viz.widgets.settings import address, unknown
from viz.widgets.settings.kinds import TextSetting
from viz.widgets.settings.setting import Setting

_DECLARED, _PAGE, _TURNED = "settings-declared", "settings-page", "settings-turned"
_LEFT, _TRAVELLING, _OWNERS = "settings-left", "settings-travelling", "settings-owners"
_ENTRY, _BACK, _ELSEWHERE = "settings-of-entry", "settings-by-back", "settings-for-other-pages"


def enter(settings: Sequence[Setting], *, elsewhere: Collection[str] = ()) -> bool:
    """Settle what the link says when a page begins to run; before its controls are shown.

    Return whether the reader has just turned to the page and brings nothing. `elsewhere` are the names by which links
    mean settings of other pages.
    """
    session = st.session_state
    page = page_hash()
    arrived, turned = session.get(_PAGE) != page, session.get(_PAGE, page) != page
    session[_PAGE] = page
    by_history = is_by_history() and address.is_open()
    if by_history and turned:
        # Streamlit has lost what the link says of boxes bound on the page before, and resets them: run once more.
        session[_ENTRY] = link_of_run()
        st.rerun()
    session[_DECLARED] = tuple(settings)
    for name, value in address.take_in(turned=turned).items():
        _put_both(name, value)
    entry: dict[str, str] | None = session.pop(_ENTRY, None)
    if entry is not None:
        _open_entry(entry)
    session[_TURNED], session[_BACK] = turned, by_history or entry is not None
    if session[_BACK]:
        session[_OWNERS] = {}
    travelling = {each.name for each in settings if each.travels and isinstance(each, TextSetting)}
    came_empty = turned and not set(address.said()) - travelling
    kept = _take_kept(settings) if turned else {}
    if came_empty:
        for name, value in (session.get(_LEFT, {}).get(page, {}) | kept).items():
            _put_both(name, value)
    others = {name: value for name, value in address.said().items() if not _is_declared(name)}
    known = {name for name in others if any(fnmatchcase(name, each) for each in elsewhere)}
    if arrived and not session[_BACK]:
        session.setdefault(_ELSEWHERE, {}).update((name, others[name]) for name in known)
    for name in others.keys() - known:
        unknown.discard(name)
    return came_empty and not kept


def _take_kept(settings: Sequence[Setting]) -> dict[str, str]:
    """Return what the link of an earlier page said of `settings`, and keep it no more."""
    kept: dict[str, str] = st.session_state.get(_ELSEWHERE, {})
    return {name: kept.pop(name) for name in list(kept) if any(each.covers(name) for each in settings)}


def _is_declared(name: str) -> bool:
    return any(each.covers(name) for each in _declared())


def leave() -> None:
    """Keep what stands in the link for the next visit to this page; after its controls are shown."""
    travelling = {each.name for each in _declared() if each.travels and isinstance(each, TextSetting)}
    said = address.said().items()
    settings = {name: value for name, value in said if name not in travelling and _is_declared(name)}
    st.session_state.setdefault(_LEFT, {})[st.session_state.get(_PAGE, "")] = settings


def has_turned() -> bool:
    """Return whether this run is the first on this page since the reader turned to it from another one."""
    return bool(st.session_state.get(_TURNED, False))


def came_back() -> bool:
    """Return whether this run is one of the browser's Back or Forward, whose link holds to the letter."""
    return bool(st.session_state.get(_BACK, False))


def latest(setting: Setting) -> Any:
    """Return the value of a travelling setting that the reader chose last, on any page; None if there is none."""
    return st.session_state.get(_TRAVELLING, {}).get(setting.name)


def take_along(setting: Setting, value: Any) -> Any:
    """Let `value` come along to other pages, and return the one before; None if there was none."""
    travelling = st.session_state.setdefault(_TRAVELLING, {})
    before = travelling.get(setting.name)
    travelling[setting.name] = value
    return before


def _open_entry(entry: Mapping[str, str]) -> None:
    """Let the link of an entry of the browser's history hold, texts that it lacks at their defaults."""
    for each in _declared():
        if isinstance(each, TextSetting) and each.name not in entry:
            st.session_state.pop(each.name, None)
    for name, value in entry.items():
        _put_both(name, value)


def _put_both(name: str, value: str) -> None:
    """Put a value into the link, and of a text box into the box: of one that is bound, it goes on to the link."""
    if any(isinstance(each, TextSetting) and each.name == name for each in _declared()):
        st.session_state[name] = value
    put_unless_bound(address.said(), name, value)


def _declared() -> tuple[Setting, ...]:
    declared: tuple[Setting, ...] = st.session_state.get(_DECLARED, ())
    return declared


def open_at(page: st.Page | None, entry: Mapping[str, str]) -> None:
    """Turn to a page with a link that holds to the letter; but what the reader typed comes along if it lacks that.

    None stands for the page that is about to run.
    """
    texts = [each for each in _declared() if isinstance(each, TextSetting)]
    along = {each.name: text for each in texts if each.travels and (text := text_of(each)) is not None} | dict(entry)
    st.session_state[_ENTRY] = along
    if page is None:
        for name in set(address.said()) - set(along):
            store(name, None)
        return
    boxes = {each.name for each in texts if each.boxed}  # Streamlit lets nobody but the box write these
    st.switch_page(page, query_params={name: text for name, text in along.items() if name not in boxes})


def turn_to(page: st.Page) -> None:
    """Turn to another page, with all that the link says."""
    st.switch_page(page, query_params=all_said())


def all_said() -> dict[str, str]:
    """Return all that the link says, or will say once the page has begun to run."""
    return dict(st.session_state.get(_ENTRY, address.said()))


def text_of(setting: Setting) -> str | None:
    """Return what the link says of a setting, as it stands there; None if it says nothing."""
    return address.said().get(setting.name)


def names_of(setting: Setting) -> tuple[str, ...]:
    """Return the names in the link by which it means `setting`."""
    return tuple(name for name in address.said() if setting.covers(name))


def store(name: str, text: str | None) -> None:
    """Let the link say `text` of a setting; None takes it out."""
    if text is None:
        address.said().pop(name, None)
    elif address.said().get(name) != text:
        address.said()[name] = text


def drop(*settings: Setting) -> None:
    """Take settings out of the link, so that they start anew."""
    for setting in settings:
        for name in names_of(setting):
            del address.said()[name]


def drop_dependents(name: str, *, unless: Collection[str] = ()) -> None:
    """Take what starts anew with `name` out of the link, but for choices that are among `unless`."""
    for each in _declared():
        if name in each.anew_with and text_of(each) not in unless:
            drop(each)


def belong(thing: str, *, of: object, unless: Collection[str] = ()) -> bool:
    """Let settings start anew when what they belong to has become another; before their controls are shown."""
    owners = st.session_state.setdefault(_OWNERS, {})
    before = owners.get(thing, of)
    owners[thing] = of
    if before != of:
        drop_dependents(thing, unless=unless)
    return bool(before != of)
