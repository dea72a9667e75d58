"""Export of a figure as SVG, PDF, PNG or LaTeX."""

from __future__ import annotations

import logging
import warnings
from io import BytesIO
from threading import Lock
from typing import Any, Literal, get_args

import matplotlib as mpl
import plotly.graph_objects as go
from matplotlib.figure import Figure

from viz.figures.drawing.heatmap import PanelFigure
from viz.figures.printable import Printed, PrintedHeads, PrintedLinks, PrintedStrips, PrintedWalk
from viz.figures.publication.about import Said, about
from viz.figures.publication.charts import draw_chart
from viz.figures.publication.heads import draw_heads
from viz.figures.publication.latex import latex_of
from viz.figures.publication.layout import Width
from viz.figures.publication.links import draw_links
from viz.figures.publication.maps import draw_maps
from viz.figures.publication.strips import draw_strips
from viz.figures.publication.svg_fonts import with_fonts
from viz.figures.publication.walks import draw_walk

Format = Literal["svg", "pdf", "png", "tex"]
FORMATS: tuple[Format, ...] = get_args(Format)
DOTS = 16 * 25.4  # of a PNG, an inch: 16 a millimetre
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "attention-bench",  # the same figure is the same file
    "pdf.fonttype": 42,
}
# The app's Chinese font has one weight, which matplotlib says at each bold text.
logging.getLogger("matplotlib.font_manager").addFilter(lambda record: "Noto Sans SC" not in record.getMessage())
_settings = Lock()  # of matplotlib there is one set for all threads


def publication_file(
    shown: go.Figure | Printed,
    form: Format,
    *,
    width: Width = "page",
    titles: bool = True,
    square: bool = False,
    title: str = "",
    dots: float = DOTS,
) -> bytes:
    """Return a picture as a file for print: every cell and line a shape, every word text."""
    if form not in FORMATS:
        message = f"form is one of {', '.join(FORMATS)}; got {form!r}"
        raise ValueError(message)
    said = {"Title": title} | about(shown) if title else about(shown)
    file = BytesIO()
    with _settings, mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # an emoji: a box in PDF and PNG, text in SVG
        figure = _drawn(shown, width, titles=titles, square=square)
        if form == "tex":
            return latex_of(figure, _told(said)).encode()
        figure.savefig(file, format=form, dpi=dots, metadata=_metadata(said, form))
    return with_fonts(file.getvalue(), figure) if form == "svg" else file.getvalue()


def _told(said: Said) -> str:
    return "\n".join(f"{name}: {text}" for name, text in said.items())


def _metadata(said: Said, form: Format) -> dict[str, str | None]:
    """Return what a file says of itself, under the names that its format has; no date, so that it is the same again."""
    if form == "png":
        return {**said, "Description": _told(said)}
    date = "Date" if form == "svg" else "CreationDate"
    told = "Description" if form == "svg" else "Subject"
    named = {"Title": said.get("Title", said.get("Model")), "Keywords": said.get("Quantity")}
    return {**named, told: _told(said), date: None}


def _drawn(shown: go.Figure | Printed, width: Width, *, titles: bool, square: bool) -> Figure:
    if isinstance(shown, PrintedWalk):
        return draw_walk(shown, width, titles=titles)
    if isinstance(shown, PrintedHeads):
        return draw_heads(shown, width, titles=titles)
    if isinstance(shown, PrintedLinks):
        return draw_links(shown, width, titles=titles)
    if isinstance(shown, PrintedStrips):
        return draw_strips(shown, width, titles=titles)
    if isinstance(shown, PanelFigure):
        return draw_maps(shown, width, titles=titles, square=square)
    return draw_chart(shown, width, titles=titles)
