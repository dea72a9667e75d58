"""Figures: a trace in, a Plotly figure out. No Streamlit, no torch."""

from viz.figures.alignment import alignment_heatmap
from viz.figures.comparison import head_combination, head_comparison, head_difference
from viz.figures.difference import difference_heatmap, difference_multiples
from viz.figures.lines import head_lines
from viz.figures.matched_difference import matched_difference
from viz.figures.profiles import head_profiles
from viz.figures.rollout import rollout_heatmap
from viz.figures.saving import save
from viz.figures.sentence_difference import sentence_difference
from viz.figures.similarity import similarity_heatmap
from viz.figures.text_reading import TextReading, text_reading
from viz.measures.similarity import head_similarity
from viz.views.heads import HeadPlace
from viz.views.hiding import Hiding, hide_specials

__all__ = [
    "HeadPlace",
    "Hiding",
    "TextReading",
    "alignment_heatmap",
    "difference_heatmap",
    "difference_multiples",
    "head_combination",
    "head_comparison",
    "head_difference",
    "head_lines",
    "head_profiles",
    "head_similarity",
    "hide_specials",
    "matched_difference",
    "rollout_heatmap",
    "save",
    "sentence_difference",
    "similarity_heatmap",
    "text_reading",
]
