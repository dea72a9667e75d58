"""Worksheet pins: pictures kept for this visit, each with a link that restores it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from models.trace import Provenance
from viz.lessons.sheet import Pin
from viz.server import used
from viz.text.language import _
from viz.widgets import session
from viz.widgets.settings import link

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from viz.figures.printable import Printed

MOST_PINS = 20
_PINS = "pins"


def pin_button(figure: Callable[[], go.Figure | Printed], *, key: str, name: str) -> None:
    """Let the reader pin a picture; it is drawn when it is pinned."""
    full = len(pins()) >= MOST_PINS
    st.button(
        _("Pin"),
        icon=":material/keep:",
        type="tertiary",
        key=f"pin-{key}",
        help=_("The worksheet is full") if full else _("Put this picture on the worksheet (on the page Lessons)"),
        disabled=full,
        on_click=_pin,
        args=(figure, name, used.noted()),
    )


def pins() -> dict[int, Pin]:
    """Return what is pinned, by number."""
    found: dict[int, Pin] = session.recall(_PINS, {})
    return found


def unpin(number: int) -> None:
    """Take a picture off the sheet."""
    session.keep(_PINS, {each: pin for each, pin in pins().items() if each != number})


def _pin(figure: Callable[[], go.Figure | Printed], name: str, provenances: tuple[Provenance, ...]) -> None:
    from viz.figures.publication import publication_file  # draws with matplotlib, which few need

    picture = publication_file(figure(), "svg", width="page", titles=True, square=False, title=name)
    settings = link.all_said()
    pin = Pin(
        name, picture, f"{st.context.url}?{urlencode(settings)}", settings, tuple(told(each) for each in provenances)
    )
    session.keep(_PINS, pins() | {max(pins(), default=0) + 1: pin})
    st.toast(_("Pinned: the worksheet is on the page Lessons."), icon=":material/keep:")


def told(provenance: Provenance) -> str:
    """Return where a run comes from, in one line."""
    versions = ", ".join(f"{library} {version}" for library, version in provenance.versions)
    edits = "; ".join(each.to_text() for each in provenance.edits)
    run = _("batched") if provenance.batched else _("drafted") if provenance.drafted else ""
    parts = (provenance.checkpoint, f"SHA-256 {provenance.sha256}", provenance.decoding, run, edits, versions)
    return " · ".join(filter(None, parts))
