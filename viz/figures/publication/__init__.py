"""Figures for print: cells as shapes, text as text, one or two columns wide."""

from viz.figures.publication.export import FORMATS, Format, publication_file
from viz.figures.publication.layout import WIDTHS, Width

__all__ = ["FORMATS", "WIDTHS", "Format", "Width", "publication_file"]
