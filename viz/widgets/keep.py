"""Save menu of a picture: print formats, HTML, trace, CSV."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar, cast

import streamlit as st

from viz.text.language import _, mark
from viz.widgets import records
from viz.widgets.pins import pin_button
from viz.widgets.shown import Shown

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from viz.figures.printable import Printed
    from viz.figures.publication import Format, Width

T = TypeVar("T")
LONGEST_NAME = 80  # characters of a file's name
LONGEST_TEXT = 40  # and of the sentence in the name of a record
_MIME = {
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "png": "image/png",
    "tex": "application/x-tex",
    "html": "text/html",
    "npz": "application/octet-stream",
    "json": "application/json",
}
_PRINTED = ("pdf", "svg", "png", "tex")


def keep_row(shown: Shown) -> None:
    """Let the reader keep a picture, its record and its numbers; nothing is made before it is asked for."""
    printed = shown.on_paper
    if printed is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"keep-{shown.key}"):
        box = st.popover(
            _("Save as …"), icon=":material/download:", type="tertiary", key=f"paper-{shown.key}", on_change="rerun"
        )
        if box.open:
            with box:
                _save_as(shown, printed)
        pin_button(in_this_language(printed), key=shown.key, name=shown.name)
        if shown.csv is not None:
            csv_button(shown.csv, file_name(shown.name), label=_("Numbers as CSV"))


def _save_as(shown: Shown, printed: Callable[[], go.Figure | Printed]) -> None:
    """Let the reader choose a format, and save: what a format is good for stands below."""
    key, name, pictures, traces = shown.key, shown.name, shown.on_page, shown.traces
    forms = [*_PRINTED, *(["html"] if pictures else []), *records.forms_of(traces.values())]
    form = str(
        st.segmented_control(
            _("Format"), forms, default="pdf", format_func=str.upper, required=True, key=f"paper-format-{key}"
        )
    )
    if form in _PRINTED:
        made = _printing(shown, printed, form)
    elif form == "html" and pictures is not None:
        made = records.page_of(name, pictures, traces.values())
    else:
        trace = records.choose_trace(traces, key=key)
        made = records.record_of(trace, form)
        name = f"{trace.source_text[:LONGEST_TEXT]} {trace.provenance.checkpoint or trace.provenance.title}"
    st.download_button(
        _("Download"),
        in_this_language(made),
        file_name=f"{file_name(name)}.{form}",
        mime=_MIME[form],
        on_click="ignore",
        icon=":material/download:",
        key=f"paper-file-{key}",
    )
    meaning = _LATEX if form == "tex" else records.MEANINGS.get(form, _SHARP)
    st.caption(_(meaning))


_SHARP = mark("Cells are shapes and words are text. Both stay sharp and can be edited in a drawing program.")
_LATEX = mark("For a paper: load the package tikz, then \\input this file. Words take the paper's sans-serif font.")


def _printing(shown: Shown, printed: Callable[[], go.Figure | Printed], form: str) -> Callable[[], bytes]:
    """Let the reader choose how a figure for a paper looks, and return what draws it."""
    widths = {"column": _("one column, 85 mm"), "page": _("full width, 178 mm")}
    width = st.segmented_control(
        _("Width"),
        list(widths),
        default="page",
        format_func=lambda each: widths[each],
        required=True,
        key=f"paper-width-{shown.key}",
    )
    with st.container(horizontal=True, gap="medium"):
        titles = st.toggle(_("Titles and notes"), value=True, key=f"paper-titles-{shown.key}")
        squares = shown.square and st.toggle(_("Square cells"), value=False, key=f"paper-square-{shown.key}")

    def made() -> bytes:  # called outside this run
        from viz.figures.publication import publication_file  # draws with matplotlib, which few need

        return publication_file(
            printed(), cast("Format", form), width=cast("Width", width), titles=titles, square=squares, title=shown.name
        )

    return made


def in_this_language(make: Callable[[], T]) -> Callable[[], T]:
    """Return `make` as it would answer now: it is called when somebody keeps the file, outside a run of the page."""
    context = copy_context()
    return lambda: context.copy().run(make)


def csv_button(text: str | Callable[[], str], name: str, *, label: str = "") -> None:
    """Let the reader keep a table as CSV; `name` is the file's without its ending, as `file_name` gives it."""
    st.download_button(
        label or _("CSV"),
        text if isinstance(text, str) else in_this_language(text),
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary" if label else "secondary",
        key=f"csv-{label}-{name}",
    )


def csv_box(text: str, name: str) -> None:
    """Let the reader keep a table as CSV, or copy it: it stands behind a button as text, with a button to copy it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"csv-box-{name}"):
        csv_button(text, name)
        with st.popover(_("Copy as CSV"), icon=":material/content_copy:"):
            st.code(text, language=None, wrap_lines=True)


def file_name(text: str) -> str:
    """Make a file name of `text`: letters and digits of any language, hyphens between, not too long."""
    kept = "".join(each if unicodedata.category(each)[0] in "LMN" else " " for each in text)
    return "-".join(kept.split())[:LONGEST_NAME].strip("-") or "figure"
