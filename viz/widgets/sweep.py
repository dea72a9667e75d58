"""A sweep of many runs on a page: a bar shows how far it is, a button stops it, its result is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

import models
from viz.server.limits import sweeping
from viz.text.language import _
from viz.widgets import session

Sweep = Callable[[Callable[[float], None]], Any]
"""Is given what shows the share that is done, which ends the run when nobody waits any more."""


def sweep_once(kept: str, identity: tuple[Any, ...], run: Sweep, *, on_stop: Callable[[], None]) -> Any:
    """Return the result of `run`, kept for this visitor under `kept` until another `identity` is asked for."""
    return session.kept(kept, identity, lambda: _with_bar(identity[0], run, on_stop))


def _with_bar(name: str, run: Sweep, on_stop: Callable[[], None]) -> Any:
    """Return the result of `run`, with a bar and a way to stop it meanwhile."""
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=_("running"))
        st.button(_("Stop"), key=f"stop-{name}", on_click=on_stop)

    def show(share: float) -> None:
        bar.progress(min(share, 1.0))

    try:
        with sweeping(
            lambda: bar.progress(
                0.0, text=_("Other measurements are running. This one starts when one of them finishes.")
            )
        ):
            result = run(show)
    except models.InputError:
        place.empty()
        raise
    place.empty()
    return result
