"""Pictures drawn in the browser: the JavaScript, and the Python that feeds it. A notebook asks `overview_html`."""

from viz.canvas.notebook import CanvasPage, overview_html

__all__ = ["CanvasPage", "overview_html"]
