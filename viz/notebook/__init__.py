"""Widgets for notebooks: the app's own canvases, which tell Python what their reader does.

It takes the extra ``notebook`` (anywidget).
"""

from viz.notebook.heads import HeadsWidget, head_view, model_view
from viz.notebook.panels import AlignmentWidget, BenchWidget, alignment, bench
from viz.notebook.widget import Pointed

__all__ = ["AlignmentWidget", "BenchWidget", "HeadsWidget", "Pointed", "alignment", "bench", "head_view", "model_view"]
