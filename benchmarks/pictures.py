"""The pictures of the README, from the running app and its models: `python -m benchmarks.pictures`.

Writes ``docs/bench.png``, ``docs/heads.png`` and ``docs/surgery.png`` (the pages, at their default sentence),
``docs/family.png`` (the Bench with every mechanism), ``docs/chinese.png`` (the Bench from Chinese), ``docs/why.png``
(BLEU by source length) and ``docs/reversal.png`` (Bahdanau's map of the sentence about the European Economic Area, as
`viz.figures` draws it).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.page import ROOT, free_port, launch_chromium, open_page, serving
from models import catalog, load
from models.translation.examples import EXAMPLES
from viz.figures import alignment_heatmap

DOCS = ROOT / "docs"
REVERSAL = "The agreement on the European Economic Area was signed in August 1992."
SURGERY = "surgery?model=bahdanau&edits=mask_key(decoder.0.cross,5)"  # the word Economic
KEYS = [key.removesuffix("-en-fr") for key in catalog() if key.endswith("-en-fr")]
FAMILY = f"?sentence=The+old+man+gave+two+apples+to+the+children.&mechanisms={'+'.join(KEYS)}"
CHINESE = f"?languages=zh-en&sentence={EXAMPLES['zh-en']['measure word']}"
MAP = ".heatmaplayer .hm, .comparison .stage[data-drawn]"
PAGES = {
    "bench": ("", 1400, 1420, MAP),
    "heads": ("heads?map=cross", 1400, 1500, MAP),
    "surgery": (SURGERY, 1400, 1250, MAP),
    "family": (FAMILY, 1400, 3240, MAP),
    "chinese": (CHINESE, 1400, 1020, MAP),
    "why": ("why", 1400, 980, ".grow td"),
}
"""For each picture: the address of the page, width and height, and what is there when it is drawn."""


def picture_of_page(browser: Browser, name: str, port: int) -> None:
    """Photograph one page of the app that serves `port`."""
    address, width, height, ready = PAGES[name]
    page = open_page(browser, port, address)
    page.set_viewport_size({"width": width, "height": height})
    page.locator(ready).first.wait_for(timeout=120_000)
    page.mouse.move(0, 0)
    page.wait_for_timeout(2000)  # the layout follows the new width
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


def main() -> None:
    """Make all pictures."""
    DOCS.mkdir(exist_ok=True)
    port = free_port()
    with sync_playwright() as playwright, serving(ROOT / "app.py", port):
        browser = launch_chromium(playwright)
        picture_of_reversal(browser)
        for name in PAGES:
            picture_of_page(browser, name, port)
        browser.close()


if __name__ == "__main__":
    main()
