"""What an edit takes, from the choice to the painted consequence, and a sweep of heads. `python -m benchmarks.edits`.

An edit runs from the press on an option (the word that none may read) to two animation frames after the maps before and
after, with the edit's note, and their difference are in the page: the original translation forced, a new one written,
both figures drawn. The sweep switches off every head of MiniLM in turn on 32 tokens, from Python, on one thread.
"""

from __future__ import annotations

import statistics
import time
from typing import Annotated, Any
from urllib.parse import urlencode

import torch
import typer
from playwright.sync_api import Page, sync_playwright
from tqdm import tqdm

import models
from benchmarks.measure import App, Json, report
from benchmarks.page import TEXT, Target, launch_chromium, open_page, painted
from benchmarks.serving import ROOT, START_LIMIT, free_port, serving
from models.command import run
from models.experiments.sweeps import switch_off_each_head

MAPS = Target("Surgery", "surgery", "maps", 2)
DIFFERENCE = Target("Surgery", "surgery", "difference", 1)
PRESSED = """
() => { addEventListener("pointerdown", (event) => {
  if (event.target.closest("[role=option]")) window.bench.key = performance.now();
}, true); }
"""
SWEPT = (TEXT * 2)[:30]  # with the special tokens of MiniLM 32 tokens


def choose(page: Page, label: str, option: str) -> None:
    """Open the box `label` and take `option`."""
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def edit_to_painted(page: Page, words: list[str], mechanism: str, port: int) -> list[float]:
    """Forbid one word after another; return the milliseconds from each press to the painted consequence."""
    page.goto(f"http://127.0.0.1:{port}/surgery?{urlencode({'sentence': ' '.join(words), 'model': mechanism})}")
    painted(page, Target("Surgery", "surgery", "maps", 1), "")
    page.evaluate(PRESSED)
    choose(page, "Edit", "hide a word")
    times = []
    for place, word in list(enumerate(words))[1:]:
        page.wait_for_timeout(2000)  # the picture before is drawn, the server rests
        choose(page, "Word to hide from all rows", f"{place + 1} {word}")
        end = painted(page, MAPS, f"“{word}”")  # the note of the edit names it, the axes have it without marks
        end = max(end, painted(page, DIFFERENCE, ""))
        times.append(end - float(page.evaluate("window.bench.key")))
    return times[1:]


def sweep(rounds: int) -> list[float]:
    """Return the milliseconds of sweeps over the heads of MiniLM."""
    torch.set_num_threads(1)
    model: Any = models.load("hf:minilm")
    trace = model.attend(" ".join(SWEPT))
    if len(trace.source) != len(SWEPT) + 2:
        message = f"the text has {len(trace.source)} tokens"
        raise RuntimeError(message)
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        switch_off_each_head(model.replay(trace))
        times.append(1000 * (time.perf_counter() - start))
    return times[1:]


def row(figure: str, times: list[float]) -> dict[str, Any]:
    """Return a row of the table."""
    low, middle, high = statistics.quantiles(times, n=4)
    return {
        "figure": figure,
        "value": f"{middle:.0f} ms",
        "note": f"median of {len(times)}, quartiles {low:.0f} to {high:.0f}",
    }


def main(
    *,
    words: Annotated[int, typer.Option(help="Words of the sentence that is edited.", min=1, max=len(TEXT))] = 12,
    mechanisms: Annotated[list[str] | None, typer.Option(help="Which are edited; three if none is named.")] = None,
    rounds: Annotated[int, typer.Option(help="Sweeps measured.", min=1)] = 7,
    app: App = ROOT / "app.py",
    json: Json = False,
) -> None:
    """Measure and write a table."""
    rows, text = [], TEXT[:words]
    with sync_playwright() as driver:
        browser = launch_chromium(driver)
        port = free_port()
        with serving(app, port):
            page = open_page(browser, port, MAPS.path)
            page.set_default_timeout(1000 * START_LIMIT)
            for mechanism in tqdm(mechanisms or ("bahdanau", "luong-general", "transformer"), disable=None):
                times = edit_to_painted(page, text, mechanism, port)
                rows.append(row(f"{mechanism}: edit to painted, {len(text)} words", times))
        browser.close()
    rows.append(row("MiniLM, 72 heads, 32 tokens: sweep over all heads", sweep(rounds)))
    report("An edit, in Chromium, and the sweep", rows, as_json=json)


if __name__ == "__main__":
    run(main)
