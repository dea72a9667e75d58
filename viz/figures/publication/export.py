"""A figure as a file for print: SVG, PDF or PNG."""

from __future__ import annotations

import warnings
from io import BytesIO
from threading import Lock
from typing import Any, Literal, get_args

import matplotlib as mpl

from viz.figures.drawing.heatmap import PanelFigure
from viz.figures.publication.layout import Width
from viz.figures.publication.maps import draw_maps

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = get_args(Format)
DOTS = 400  # of a PNG, an inch
_MARGIN = 0.04  # inches around what is drawn
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "attention-bench",  # the same figure is the same file
    "pdf.fonttype": 42,
}
_settings = Lock()  # of matplotlib there is one set for all threads


def publication_file(
    shown: PanelFigure,
    form: Format,
    *,
    width: Width = "page",
    titles: bool = True,
    square: bool = False,
    title: str = "",
) -> bytes:
    """Return maps as a file for print: every cell a shape, every word text.

    Parameters
    ----------
    shown : PanelFigure
        What a figure function of maps returns, such as `viz.figures.alignment_heatmap`.
    form : {"svg", "pdf", "png"}
        A PNG has 400 dots an inch.
    width : {"column", "page"}, optional
        85 or 178 mm.
    titles : bool, optional
        Whether titles and notes are in the picture; a paper has them in its caption. Axes and colours are named always.
    square : bool, optional
        Whether a cell is as high as it is wide.
    title : str, optional
        Of the document, in its metadata.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If `form` is not one that there is.
    """
    if form not in FORMATS:
        message = f"form is one of {', '.join(FORMATS)}; got {form!r}"
        raise ValueError(message)
    file = BytesIO()
    metadata = {"Title": title} | ({"Date": None} if form == "svg" else {"CreationDate": None} if form == "pdf" else {})
    with _settings, mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # an emoji: a box in PDF and PNG, text in SVG
        figure = draw_maps(shown, width, titles=titles, square=square)
        figure.savefig(file, format=form, dpi=DOTS, bbox_inches="tight", pad_inches=_MARGIN, metadata=metadata)
    return file.getvalue()
