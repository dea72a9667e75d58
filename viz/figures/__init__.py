"""Figures: a trace in, a Plotly figure out. No Streamlit, no torch."""

from viz.figures.alignment import alignment_heatmap
from viz.figures.difference import difference_heatmap, difference_multiples
from viz.figures.head_comparison import head_combination, head_comparison, head_difference
from viz.figures.head_maps import HeadPlace
from viz.figures.head_overview import head_overview
from viz.figures.head_similarity import head_similarity, similarity_heatmap
from viz.figures.lines import Focus, head_lines
from viz.figures.matched_difference import matched_difference
from viz.figures.rollout import rollout_heatmap

__all__ = [
    "Focus",
    "HeadPlace",
    "alignment_heatmap",
    "difference_heatmap",
    "difference_multiples",
    "head_combination",
    "head_comparison",
    "head_difference",
    "head_lines",
    "head_overview",
    "head_similarity",
    "matched_difference",
    "rollout_heatmap",
    "similarity_heatmap",
]
