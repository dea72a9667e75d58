"""Widgets for notebooks: the app's own canvases, which tell Python what their reader does.

They need the extra ``notebook``.
"""

try:
    from viz.notebook.heads import HeadsWidget, head_view, model_view
    from viz.notebook.panels import AlignmentWidget, BenchWidget, alignment, bench
    from viz.notebook.widget import Pointed
except ModuleNotFoundError as error:
    if error.name not in ("anywidget", "traitlets"):
        raise
    how = 'pip install "anywidget>=0.11,<0.12" "traitlets>=5.16,<6"'
    message = f"Widgets need {error.name}, which is not installed: {how}"
    raise ModuleNotFoundError(message, name=error.name) from error

__all__ = ["AlignmentWidget", "BenchWidget", "HeadsWidget", "Pointed", "alignment", "bench", "head_view", "model_view"]
