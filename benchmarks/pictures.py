"""Make the pictures of README and docs from the running app: `python -m benchmarks.pictures`, all or those named.

At a release alone (docs/adding.md). ``docs/reversal.png`` is drawn by `viz.figures`; all others are pages.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from playwright.sync_api import Browser, sync_playwright
from tqdm import tqdm

from benchmarks.page import launch_chromium, open_page
from benchmarks.serving import ROOT, free_port, serving
from models import catalog, load
from models.command import check_known, run
from models.translation.examples import EXAMPLES
from viz.figures import alignment_heatmap

DOCS = ROOT / "docs"
REVERSAL = "The agreement on the European Economic Area was signed in August 1992."
SURGERY = "surgery?model=bahdanau&edits=mask_key(decoder.0.cross,1)"  # the word agreement
KEYS = [key.removesuffix("-en-fr") for key in catalog() if key.endswith("-en-fr")]
FAMILY = f"?sentence=The+old+man+gave+two+apples+to+the+children.&mechanisms={'+'.join(KEYS)}"
CHINESE = f"?languages=zh-en&sentence={EXAMPLES['zh-en']['measure word']}"
TRAINING = "training?sentence=I+have+never+seen+such+a+beautiful+house.&point=13"
MAP = ".heatmaplayer .hm, .stage[data-drawn]"
PAGES = {
    "bench": ("", 1280, 740, MAP),
    "heads": ("heads?map=cross", 1400, 1000, MAP),
    "surgery": (SURGERY, 1400, 1100, MAP),
    "family": (FAMILY, 1400, 2060, MAP),
    "chinese": (CHINESE, 1280, 620, MAP),
    "why": ("why", 1400, 900, ".drawings svg"),
    "steps": ("steps", 1366, 720, ".boards svg"),
    "training": (TRAINING, 1280, 640, MAP),
}
"""For each picture: the address of the page, width and height, and what is there when it is drawn."""

POINTED = {"bench": "Espace", "chinese": "苹"}
"""The word that the pointer is on."""


def picture_of_page(browser: Browser, name: str, port: int) -> None:
    """Photograph one page of the app that serves `port`."""
    address, width, height, ready = PAGES[name]
    page = open_page(browser, port, address)
    page.set_viewport_size({"width": width, "height": height})
    page.locator(ready).first.wait_for(timeout=120_000)
    page.mouse.move(0, 0)
    page.wait_for_timeout(2000)  # the layout follows the new width
    page.get_by_test_id("stStatusWidget").wait_for(state="detached", timeout=120_000)
    page.wait_for_function("() => !document.querySelector('[data-stale=true]')")  # pale until the run has ended
    if name in POINTED:
        page.locator(".alignment .word").filter(has_text=POINTED[name]).first.hover()
    page.screenshot(path=DOCS / f"{name}.png")
    page.close()


def picture_of_reversal(browser: Browser) -> None:
    """Draw Bahdanau's map of the sentence about the Area in a page of its own."""
    figure = alignment_heatmap(load("bahdanau-en-fr").attend(REVERSAL), width=760)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.html"
        figure.write_html(path, include_plotlyjs=True, config={"staticPlot": True})
        page = browser.new_page(viewport={"width": 800, "height": round(figure.layout.height) + 20})
        page.goto(path.as_uri())
        page.wait_for_selector(".heatmaplayer .hm")
        page.locator(".js-plotly-plot .svg-container").screenshot(path=DOCS / "reversal.png")
        page.close()


def main(names: Annotated[list[str] | None, typer.Argument(help="Pictures; all if none is named.")] = None) -> None:
    """Make the pictures that are named, or all."""
    known = [*PAGES, "reversal"]
    check_known(names or (), known)
    DOCS.mkdir(exist_ok=True)
    port = free_port()
    with sync_playwright() as playwright, serving(ROOT / "app.py", port):
        browser = launch_chromium(playwright)
        for name in tqdm(names or known, disable=None):
            picture_of_reversal(browser) if name == "reversal" else picture_of_page(browser, name, port)
        browser.close()


if __name__ == "__main__":
    run(main)
