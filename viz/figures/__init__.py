"""Figures: a trace in, a Plotly figure out. No Streamlit, no torch."""

from viz.figures.alignment import alignment_heatmap
from viz.figures.difference import difference_heatmap

__all__ = ["alignment_heatmap", "difference_heatmap"]
