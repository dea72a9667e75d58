"""The record of a picture: what is shown, said and saved of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

from models.trace import AttentionTrace
from viz.canvas.standalone import Picture
from viz.figures.printable import Printed, is_printable

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture and everything that goes with it; what is a function is called when a file is asked for."""

    picture: go.Figure | Picture | None = None  # None: the page draws it by itself
    _: KW_ONLY
    key: str  # of its container and its controls
    name: str  # what its files are called, as text
    says: str = ""  # the sentence below it
    alt: str | None = None  # for those who do not see it; None: the sentence
    selects: bool = False  # whether a click on a point runs the page again
    lasso: bool = False  # whether points can be chosen by a line drawn around them too
    csv: Callable[[], str] | None = None
    printed: Callable[[], go.Figure | Printed] | None = None  # None: as it is shown
    square: bool = True  # whether its cells can be made square in print
    page: Callable[[], Sequence[Picture]] | None = None  # the saved page; None: the canvas as it is shown
    traces: Mapping[str, AttentionTrace] = field(default_factory=dict)

    @property
    def on_paper(self) -> Callable[[], go.Figure | Printed] | None:
        """What is printed; None if it cannot be."""
        figure = self.picture
        if self.printed or figure is None or isinstance(figure, Picture) or not is_printable(figure):
            return self.printed
        return lambda: figure

    @property
    def on_page(self) -> Callable[[], Sequence[Picture]] | None:
        """What a saved page holds; None if there is none."""
        canvas = self.picture
        return (lambda: [canvas]) if self.page is None and isinstance(canvas, Picture) else self.page
