"""Interactive pictures drawn in the browser: JavaScript, and the Python that packs its data. See `overview_html`.

`standalone_html` makes one HTML file of pictures.
"""

from viz.canvas.notebook import CanvasPage, overview_html
from viz.canvas.standalone import Picture, standalone_html

__all__ = ["CanvasPage", "Picture", "overview_html", "standalone_html"]
