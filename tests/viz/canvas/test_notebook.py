"""A canvas as one piece of HTML: whole, and drawn by a browser in a page of its own and in the frame of a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.support.browsing import PIXEL
from tests.support.canvas_samples import HOSTILE, SAMPLES
from viz.canvas import overview_html
from viz.figures.drawing.theme import HEAD_COLOURS, weight_colour
from viz.text.tokens import visible
from viz.views.heads import HeadPlace

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":  # which a browser asks for unasked
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """Return the address of a folder with the overview, and with a notebook's page that holds it in a frame."""
    shown = overview_html(SAMPLES["hostile"](), picked=[HeadPlace(1, 2)], colour="linear")
    (tmp_path / "own.html").write_text(shown.html, encoding="utf8")
    page = f"<!DOCTYPE html><body style='background: #111'>{shown._repr_html_()}</body>"
    (tmp_path / "notebook.html").write_text(page, encoding="utf8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["own", "notebook"])
def test_a_browser_draws_every_head_and_names_what_is_pointed_at(
    open_page: Callable[..., Page], served: str, name: str
) -> None:
    page, trace = open_page(f"{served}/{name}.html", width=900, height=900), SAMPLES["hostile"]()
    frame: Frame = page.main_frame if name == "own" else page.frames[1]
    stage = frame.locator(".stage[data-drawn]")
    stage.wait_for()
    count = len(trace.source)
    for layer, head, row, column in ((0, 0, 0, 0), (1, 2, 3, 4), (1, 1, 6, 5)):
        weight = float(trace[f"encoder.{layer}.self"].weights[head, row, column])
        wanted = weight_colour(round((weight**0.5) * 255) ** 2 / 255**2, "linear")
        drawn = stage.evaluate(PIXEL, ["maps", layer * 3 + head, (column + 0.5) / count, (row + 0.5) / count])
        assert [int(wanted[at : at + 2], 16) for at in (1, 3, 5)] == pytest.approx(drawn[:3], abs=2)
    edge = stage.evaluate(PIXEL, ["marks", 5, -0.02, 0.5])
    assert edge[:3] == pytest.approx([int(HEAD_COLOURS[0][at : at + 2], 16) for at in (1, 3, 5)], abs=12)
    stage.focus()
    page.keyboard.press("Shift+ArrowRight")
    assert visible(HOSTILE) in frame.locator(".tip").inner_text()
    assert frame.evaluate("window.harmed") is None
    height = frame.evaluate("document.documentElement.offsetHeight")
    if name == "notebook":
        page.wait_for_function(f"Math.abs(document.querySelector('iframe').clientHeight - {height}) < 3")


def test_the_page_names_no_address_to_fetch_from() -> None:
    html = overview_html(SAMPLES["small"]()).html
    assert "default-src 'none'" in html
    addresses = {part.split('"')[0] for part in html.split("http")[1:]}
    assert addresses <= {"-equiv=", "://www.w3.org/2000/svg"}


def test_what_there_is_not_is_refused() -> None:
    trace = SAMPLES["small"]()
    with pytest.raises(ValueError, match="colour is one of"):
        overview_html(trace, colour="square")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match=r"encoder\.7"):
        overview_html(trace, sites="encoder.7.self")
