"""A figure of the app drawn anew for print: cells are shapes, text is text, in the width of a column or of a page."""

from viz.figures.publication.export import FORMATS, Format, publication_file
from viz.figures.publication.layout import WIDTHS, Width

__all__ = ["FORMATS", "WIDTHS", "Format", "Width", "publication_file"]
