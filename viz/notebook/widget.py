"""What all widgets of a notebook have: a page of canvases, the bytes that they show, and what the reader points at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import anywidget
import traitlets

from viz.canvas.bundle import bundled
from viz.canvas.standalone import Picture, standalone_html
from viz.figures.printable import Printed
from viz.notebook.saved import saved_html
from viz.views.heads import HeadPlace

USUAL_ROOM = 960
"""Pixels of a notebook's width, until the browser has said how wide it is."""


class Pointed(NamedTuple):
    """What a reader has last pointed at in a widget."""

    panel: int  # which of several models, from 0
    head: HeadPlace | None  # None in a panel of one map
    row: int | None  # place of the query among the words that are shown, from 0
    column: int | None  # place of the key among the words that are shown, from 0
    query: str  # its text; empty where no query is pointed at
    key: str  # its text; empty where no key is pointed at


class CanvasWidget(anywidget.AnyWidget):
    """A widget that shows canvases of the app and says what its reader does there."""

    _esm = bundled(Path(__file__).with_name("widget.js"))
    _page = traitlets.Unicode().tag(sync=True)
    _title = traitlets.Unicode().tag(sync=True)
    _payloads = traitlets.List(traitlets.Bytes()).tag(sync=True)  # one a canvas; empty where one has nothing to show
    _at = traitlets.Dict().tag(sync=True)
    _room = traitlets.Int(0).tag(sync=True)
    pointed = traitlets.Instance(Pointed, allow_none=True, default_value=None)

    def __init__(self, title: str, canvases: Sequence[str], **traits: Any) -> None:
        page = standalone_html(title, [Picture(each, b"") for each in canvases], ground="around")
        super().__init__(_title=title, _page=page, **traits)
        self._canvases = tuple(canvases)

    def _point(self, at: Mapping[str, Any]) -> Pointed:
        """Return what is at the places that a canvas has told."""
        raise NotImplementedError

    def _printed(self) -> Printed | Any:
        """Return the figure that stands for the widget where no script runs."""
        raise NotImplementedError

    @traitlets.observe("_at")
    def _take_place(self, change: traitlets.Bunch) -> None:
        if change["new"]:
            self.pointed = self._point(change["new"])

    def _ipython_display_(self, **_options: Any) -> None:
        """Show the widget, and under it what a saved notebook shows in its stead."""
        from IPython.core.interactiveshell import InteractiveShell

        publish = InteractiveShell.instance().display_pub.publish
        shown = self._repr_mimebundle_()
        if shown is not None:
            # Without a text beside it: where no widget can be shown, what follows is.
            live = {name: value for name, value in shown[0].items() if name != "text/plain"}
            publish(live, shown[1])
        publish({"text/html": self._saved(), "text/plain": self._title})

    @property
    def data(self) -> str:
        """HTML of what is shown now, for a file or another page: it needs neither Python nor a network."""
        return self._saved().encode("ascii", "xmlcharrefreplace").decode()

    def _saved(self) -> str:
        pairs = zip(self._canvases, self._payloads, strict=True)
        pictures = [Picture(name, payload) for name, payload in pairs if payload]
        return saved_html(self._title, pictures, self._printed())


def text_at(texts: Sequence[str], place: int | None) -> str:
    """Return the text at a place that a browser has told; empty where there is none."""
    return texts[place] if place is not None and 0 <= place < len(texts) else ""
