"""What a saved notebook shows of a widget without a kernel: its canvases, or where no script may run its figure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

from viz.canvas.notebook import CanvasPage
from viz.canvas.standalone import Picture, standalone_html
from viz.figures.printable import Printed
from viz.figures.publication.export import publication_file

DOTS = 100
"""Of the picture, an inch."""

# JupyterLab puts outputs one after the other. Below a widget that lives its saved picture is hidden; above a saved
# picture the line with which JupyterLab says that there is no such widget. A notebook that is not trusted keeps neither
# style nor frame: it shows the figure.
_STYLE = """
.attention-bench-saved > img { display: none }
.jp-OutputArea-child:has(.attention-bench-live) ~ .jp-OutputArea-child:has(.attention-bench-saved) { display: none }
.jp-OutputArea-child:has(> .jp-OutputArea-output.lm-Panel):not(:has(> .lm-Panel > *)):has(~ * .attention-bench-saved) {
  display: none }
"""


def saved_html(title: str, pictures: Sequence[Picture], printed: Printed | Any) -> str:
    """Return markup that shows `pictures`, and the figure `printed` where neither frames nor styles are kept."""
    page = CanvasPage(title, standalone_html(title, pictures, ground="around"))
    image = ""
    if printed is not None:
        file = b64encode(publication_file(printed, "png", dots=DOTS)).decode("ascii")
        image = f'<img alt="{escape(title)}" src="data:image/png;base64,{file}">'
    return f'<div class="attention-bench-saved"><style>{_STYLE}</style>{page._repr_html_()}{image}</div>'
