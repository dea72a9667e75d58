"""Charts and canvases of an exported lesson's step."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from viz.canvas.comparison import MOVING
from viz.canvas.parts import FOLDER
from viz.canvas.payload import pack
from viz.canvas.standalone import Picture, picture_html
from viz.export_lesson.running import payload_in, unpacked
from viz.lessons.lesson import LessonStep
from viz.pages.heads.settings import HEADS
from viz.pages.steps.settings import READS, STEP, WORD
from viz.shell.headless import bytes_of, chart_of, data_of
from viz.text.language import _

MOST_RUNS = 240
"""Runs of a page for what can be chosen in the pictures of a lesson; what goes beyond stands as the step shows it."""

MOST_HEADS = 4
"""Heads that a page shows at once."""

DRAWN = ("alignment", "overview", "comparison", "walk")
Cells = Sequence[int]


def held(data: bytes, **marks: object) -> str:
    """Return bytes as an element that a script of the page can read."""
    said = "".join(f' data-{name}="{escape(str(value), quote=True)}"' for name, value in marks.items())
    return f'<script type="application/octet-stream"{said}>{base64.b64encode(data).decode("ascii")}</script>'


@dataclass(slots=True)
class Pictures:
    """The pictures of a lesson: what its steps share is held once."""

    canvases: dict[str, None] = field(default_factory=dict)  # the canvases that are used
    has_charts: bool = False
    is_cut: bool = False  # whether there was more to choose than is held
    _stores: dict[str, str] = field(default_factory=dict)
    _runs: int = 0

    @property
    def stores(self) -> str:
        """What is fed to pictures when something is chosen in them, as HTML."""
        return "".join(self._stores.values())

    def mount(self, step: LessonStep, name: str, element: Any) -> str:
        """Return the HTML of a picture of a step."""
        if name == "plotly":
            self.has_charts = True
            figure, config, alt = chart_of(element)
            chart = held(zlib.compress(json.dumps({"figure": figure, "config": config}).encode(), 9))
            return f'<div class="chart" role="img" aria-label="{escape(alt, quote=True)}">{chart}</div>'
        if name == "drawing":
            style = (FOLDER / "drawing.css").read_text(encoding="utf8")
            return f'<style>{style}</style><div class="drawings">{data_of(element)}</div>'
        if name not in DRAWN:
            return ""
        self.canvases[name] = None
        payload = _without_offers(name, bytes_of(element))
        picture = picture_html(Picture(name, payload), waits=True)
        return f'<div class="live" data-of="{self._store(step, name, payload)}">{picture}</div>'

    def _store(self, step: LessonStep, name: str, payload: bytes) -> str:
        """Hold what a picture is fed with when something is chosen in it, and return under which name."""
        if name == "walk":
            link = {key: value for key, value in step.link.items() if key != STEP.name}
            return self._keep(f"walk {sorted(link.items())}", lambda of: self._walks(step.page, link, payload, of))
        if name == "overview" and step.page == "heads":
            link = {key: value for key, value in step.link.items() if not key.startswith(HEADS.name)}
            return self._keep(f"heads {sorted(link.items())}", lambda of: self._heads(step.page, link, payload, of))
        return ""

    def _keep(self, identity: str, make: Any) -> str:
        name = f"store-{list(self._stores).index(identity) if identity in self._stores else len(self._stores)}"
        if identity not in self._stores:
            self._stores[identity] = ""  # its place
            self._stores[identity] = make(name)
        return name

    def _may_run(self) -> bool:
        self._runs += 1
        self.is_cut = self.is_cut or self._runs > MOST_RUNS
        return self._runs <= MOST_RUNS

    def _walks(self, page: str, link: Mapping[str, str], payload: bytes, of: str) -> str:
        """Return the walk through each word, and to each column of it."""
        header, _cells = unpacked(payload)
        rows = [each["row"] for each in header["text"]]
        found: list[str] = []
        for row in sorted(rows, key=lambda each: each != header["row"]):
            first = header["pictures"][0]
            for column in (None, *(first.get("picks") or range(len(first["columns"])))):
                if not self._may_run():
                    return "".join(found)
                wanted = {**link, WORD.name: str(row)} | ({} if column is None else {READS.name: str(column)})
                walked = payload_in(page, wanted, "walk")
                if walked is not None:
                    found.append(held(walked, of=of, at=f"{row} {'' if column is None else column}"))
        return "".join(found)

    def _heads(self, page: str, link: Mapping[str, str], payload: bytes, of: str) -> str:
        """Return every head of an overview with its weights exact, as one payload."""
        places = [tuple(each) for each in unpacked(payload)[0]["heads"]]
        heads: list[tuple[int, ...]] = []
        cells: list[bytes] = []
        for first in range(0, len(places), MOST_HEADS):
            if not self._may_run():
                break
            wanted = {**link, **_picks(places[first : first + MOST_HEADS])}
            shown = payload_in(page, wanted, "comparison")
            if shown is None:
                return ""
            header, weights = unpacked(shown)
            heads += [tuple(each) for each in header["heads"]]
            cells.append(weights)
        return held(pack({"heads": heads}, b"".join(cells)), of=of)


def _picks(places: Iterable[tuple[int, ...]]) -> dict[str, str]:
    """Return picked heads as the link of Heads holds them."""
    found: dict[str, str] = {}
    for layer, head in places:
        name = f"{HEADS.name}{layer}"
        found[name] = f"{found[name]} {head}" if name in found else str(head)
    return found


def _without_offers(name: str, payload: bytes) -> bytes:
    """Return maps without what can be done to their words: only a server can do it."""
    if name not in ("comparison", "alignment"):
        return payload
    header, cells = unpacked(payload)
    if name == "alignment":
        header["ask"] = ""
    elif header.pop("offers", None) is not None:
        header["words"]["keys"] = _(MOVING)
    return pack(header, cells)
