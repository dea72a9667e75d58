"""What a first view of a long text costs the server: CPU seconds, all its processes together.

`python -m benchmarks.long_text [WORDS]` starts the app for each page, opens a short sentence first, so that models are
loaded and warm, then 250 words that the server has not met, and waits until the page rests.
"""

from __future__ import annotations

from time import monotonic
from typing import Annotated

import psutil
import typer
from playwright.sync_api import Page, sync_playwright
from tqdm import tqdm

from benchmarks.measure import report
from benchmarks.serving import ROOT, free_port, serving, wait_for_port
from models.command import run

CHROMIUM = "/usr/bin/chromium"

PAGES = {"bench": ".alignment .plot", "why": ".drawings svg"}
BOXES = {"bench": "sentence", "why": "long"}
WORDS = 250
PIECES = (
    "The old man who lives near the river reads a long letter",
    "his sister brings him bread and a bottle of milk",
)
PATIENCE = 240_000  # milliseconds
RESTS = 3  # looks in a row that find the page at rest


def long_text(words: int) -> str:
    """Return a text of so many words, a mark after every eleventh."""
    said = " ".join(PIECES).split()
    return " ".join(said[at % len(said)] + ("," if at % 11 == 10 else "") for at in range(words))


def cpu_seconds(server: psutil.Process) -> float:
    """Return the CPU seconds that the server and the processes that it started have taken."""
    found = [server, *server.children(recursive=True)]
    return sum(sum(each.cpu_times()[:2]) for each in found)


def rest(page: Page) -> None:
    """Wait until the page has been at rest for a while."""
    seen = 0
    while seen < RESTS:
        page.wait_for_timeout(500)
        seen = seen + 1 if page.locator('[data-test-script-state="notRunning"]').count() else 0


def measure(name: str, words: int) -> tuple[float, float]:
    """Return the CPU seconds and the seconds that a first view takes."""
    with serving(ROOT / "app.py", port := free_port()) as server, sync_playwright() as playwright:
        wait_for_port(port)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1410, "height": 1400})
        page.set_default_timeout(PATIENCE)
        page.goto(f"http://localhost:{port}/{name}")
        page.locator(PAGES[name]).first.wait_for()
        rest(page)
        before, began = cpu_seconds(server), monotonic()
        page.locator(f".st-key-{BOXES[name]} input").fill(long_text(words))
        rest(page)
        taken = cpu_seconds(server) - before, monotonic() - began
        browser.close()
    return taken


def main(words: Annotated[int, typer.Argument(help="Words of the text.", min=1)] = WORDS) -> None:
    """Report both pages."""
    rows = []
    for name in tqdm(PAGES, disable=None):
        processor, waited = measure(name, words)
        rows.append({"page": name, "CPU seconds": f"{processor:.1f}", "seconds until it rests": f"{waited:.0f}"})
    report(f"First view of a text of {words} words", rows, as_json=False)


if __name__ == "__main__":
    run(main)
