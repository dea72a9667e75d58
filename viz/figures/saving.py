"""Saving of a figure for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from viz.figures.printable import Printed, is_printable

if TYPE_CHECKING:
    from viz.figures.publication import Width


def save(
    figure: go.Figure | Printed,
    path: str | Path,
    *,
    width: Width = "page",
    titles: bool = True,
    square: bool = False,
) -> None:
    r"""Save a figure for a paper: as SVG, PDF, PNG, or as LaTeX for ``\input``.

    Cells are shapes, words are text, several maps have letters, and the file names model, sentence and quantity.
    LaTeX is PGF of rectangles and words in the paper's own sans-serif; comments at its top say what it needs.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        One that a function of `viz.figures` returned: maps, lines or charts.
    path : str or Path
        The ending is the format: ``.svg``, ``.pdf``, ``.png`` or ``.tex``.
    width : {"page", "column"}, optional
        178 or 85 mm.
    titles : bool, optional
        Whether titles and notes are in the picture; without them they are for the caption.
    square : bool, optional
        Whether the cells of maps are square.

    Raises
    ------
    TypeError
        If it is no figure.
    ValueError
        If the ending or the width is not one that there is, or the figure is one that is not drawn for print: a table.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import plotly.graph_objects as go
    >>> path = Path(mkdtemp()) / "line.tex"
    >>> save(go.Figure(go.Scatter(x=[0, 1], y=[0, 1], mode="lines")), path, width="column")
    >>> r"\usepackage{tikz}" in path.read_text(encoding="utf8")
    True
    """
    from viz.figures.publication import FORMATS, WIDTHS, publication_file  # draws with matplotlib, which few need

    form = next((each for each in FORMATS if Path(path).suffix.lower() == f".{each}"), None)
    if form is None:
        message = f"the file's name ends in .{', .'.join(FORMATS)}; got {str(path)!r}"
        raise ValueError(message)
    if width not in WIDTHS:
        message = f"width is one of {', '.join(map(repr, WIDTHS))}; got {width!r}"
        raise ValueError(message)
    if not isinstance(figure, go.Figure | Printed):
        message = f"save takes a figure of viz.figures; got {type(figure).__name__}"
        raise TypeError(message)
    if isinstance(figure, go.Figure) and not is_printable(figure):
        message = "save draws maps, lines and charts of viz.figures; others are saved by their write_html"
        raise ValueError(message)
    Path(path).write_bytes(publication_file(figure, form, width=width, titles=titles, square=square))
