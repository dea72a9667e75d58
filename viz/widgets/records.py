"""Downloads of a picture's traces: HTML, NPZ, and provenance as JSON."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from models.trace import AttentionTrace
from models.trace.asked import is_askable, write_asked
from models.trace.codec import to_bytes
from viz.server.runtime import shared_host
from viz.text.language import _, mark

if TYPE_CHECKING:
    from viz.canvas.standalone import Picture

MEANINGS: Mapping[str, str] = {
    "html": mark("One interactive file. Double-click to open it; no network needed."),
    "npz": mark(
        "All weights of the run. Open the file with “Open …” on Bench or Heads, or in Python with AttentionTrace.load."
    ),
    "json": mark("Model, texts and edits: enough to repeat the run in Python, with equal results."),
}
"""What each format is good for; still to be translated."""


def forms_of(traces: Collection[AttentionTrace]) -> list[str]:
    """Return the formats in which records can be kept: JSON only of models that can be asked again."""
    askable = bool(traces) and all(map(is_askable, traces))
    return (["npz"] if traces else []) + (["json"] if askable else [])


def choose_trace(traces: Mapping[str, AttentionTrace], *, key: str) -> AttentionTrace:
    """Let the reader choose which record is kept, if there are several."""
    names = list(traces)
    chosen = names[0] if len(names) == 1 else st.selectbox(_("Which run"), names, key=f"paper-run-{key}")
    return traces[chosen if chosen in traces else names[0]]


def page_of(
    title: str, pictures: Callable[[], Sequence[Picture]], traces: Collection[AttentionTrace]
) -> Callable[[], bytes]:
    """Return what makes a page of pictures, with where the records come from below them."""

    def made() -> bytes:
        from viz.canvas.standalone import standalone_html
        from viz.captions.provenance import facts_of

        facts = [fact for trace in traces for fact in facts_of(trace)]
        return standalone_html(title, pictures(), facts).encode()

    return made


def record_of(trace: AttentionTrace, form: str) -> Callable[[], bytes]:
    """Return what makes a record as a file: of a run alone, which can be made again to the last bit."""

    def made() -> bytes:
        alone = shared_host().alone(trace)
        return to_bytes(alone) if form == "npz" else write_asked(alone).encode()

    return made
