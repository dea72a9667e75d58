"""What a reader keeps of a page: a table as CSV, a figure for a paper."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import streamlit as st

from viz.text.language import _

if TYPE_CHECKING:
    from viz.figures.drawing.heatmap import PanelFigure
    from viz.figures.publication import Format, Width

LONGEST_NAME = 80  # characters of a file's name
_MIME = {"pdf": "application/pdf", "svg": "image/svg+xml", "png": "image/png"}


def publication_button(figure: Callable[[], PanelFigure], *, key: str, name: str) -> None:
    """Let the reader keep maps as a figure for a paper; nothing is drawn before it is asked for.

    Parameters
    ----------
    figure : callable
        Returns the maps, as a figure function does; called when the file is made.
    key : str
        Names the button on its page.
    name : str
        Of the file, without ending; made fit by `file_name`.
    """
    box = st.popover(
        _("For a paper"), icon=":material/article:", type="tertiary", key=f"paper-{key}", on_change="rerun"
    )
    if not box.open:
        return
    with box:
        form = st.segmented_control(
            _("Format"), list(_MIME), default="pdf", format_func=str.upper, required=True, key=f"paper-format-{key}"
        )
        widths = {"column": _("one column, 85 mm"), "page": _("full width, 178 mm")}
        width = st.segmented_control(
            _("Width"),
            list(widths),
            default="page",
            format_func=lambda each: widths[each],
            required=True,
            key=f"paper-width-{key}",
        )
        titles = st.toggle(_("Titles and notes"), value=True, key=f"paper-titles-{key}")
        square = st.toggle(_("Square cells"), value=False, key=f"paper-square-{key}")

        def made() -> bytes:
            from viz.figures.publication import publication_file  # draws with matplotlib, which few need

            return publication_file(
                figure(), cast("Format", form), width=cast("Width", width), titles=titles, square=square, title=name
            )

        st.download_button(
            _("Download"),
            made,
            file_name=f"{file_name(name)}.{form}",
            mime=_MIME[str(form)],
            on_click="ignore",
            icon=":material/download:",
            key=f"paper-file-{key}",
        )
        st.caption(_("Cells are shapes and words are text: both stay sharp, and can be changed in a drawing program."))


def csv_button(text: str, name: str) -> None:
    """Let the reader keep a table as CSV; `name` is the file's without its ending, as `file_name` gives it.

    Parameters
    ----------
    text : str
        The table as CSV.
    name : str
        Of the file, without its ending, as `file_name` gives it.
    """
    st.download_button(
        _("CSV"),
        text,
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"csv-{name}",
    )


def csv_box(text: str, name: str) -> None:
    """Let the reader keep a table as CSV, or copy it: it stands behind a button as text, with a button to copy it.

    Parameters
    ----------
    text : str
        The table as CSV.
    name : str
        Of the file, without its ending, as `file_name` gives it.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"csv-box-{name}"):
        csv_button(text, name)
        with st.popover(_("Copy as CSV"), icon=":material/content_copy:"):
            st.code(text, language=None)


def file_name(text: str) -> str:
    """Make a file name of `text`: letters and digits of any language, hyphens between, not too long.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> file_name("The cat's milk: bahdanau / luong")
    'The-cat-s-milk-bahdanau-luong'
    >>> file_name("...")
    'figure'
    """
    kept = "".join(each if unicodedata.category(each)[0] in "LMN" else " " for each in text)
    return "-".join(kept.split())[:LONGEST_NAME].strip("-") or "figure"
