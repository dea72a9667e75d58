"""How long the switch between weights and what is moved takes in the running app, from the click to painted."""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page

from benchmarks.head_drawing import LARGE, LIMIT, PAINTED, browser_of, write_large
from benchmarks.page import open_page
from benchmarks.serving import ROOT, free_port, serving

TOKENS = 512
PRESSED = """
() => { addEventListener("pointerdown", () => { window.pressed = performance.now(); }, true); }
"""
OVERVIEW = """[...document.querySelectorAll('.st-key-figure-all-heads *')]
  .map(each => each.shadowRoot?.querySelector('.overview')).find(each => each)"""
SHOWS = """(() => { const all = %s;
  return all?.querySelector('.stage[data-drawn]') && all.querySelector('.meaning').textContent.startsWith('%s');
})()"""
LEGENDS = ("attention weight", "moved")


def switch_rows(rounds: int, folder: Path, driver: Any) -> list[dict[str, Any]]:
    """Turn the switch of 144 heads on several texts of 512 tokens: the first time of each, and the times after."""
    os.environ["ATTENTION_BENCH_MODELS"] = str(write_large(folder))
    port, first, after = free_port(), [], []
    with serving(ROOT / "app.py", port), browser_of(driver) as browser:
        for number in range(rounds + 1):  # the first text warms the server
            page = open_page(browser, port, f"heads?model=hf:{LARGE}&sentence={chr(97 + number) * (TOKENS - 1)}")
            page.set_default_timeout(LIMIT)
            page.evaluate(PAINTED, SHOWS % (OVERVIEW, LEGENDS[0]))
            page.evaluate(PRESSED)
            times = [turned(page, place) for place in (1, 0, 1, 0, 1)]
            first += times[:1] if number else []
            after += times[1:] if number else []
            page.close()
    load = f"the machine's load {os.getloadavg()[0]:.1f} on {psutil.cpu_count()} cores"
    return [
        {
            "figure": f"click on the switch to the overview painted, 144 heads, {TOKENS} tokens, {what}",
            "value": f"{statistics.median(times):.0f} ms",
            "note": f"median of {len(times)}, worst {max(times):.0f}; {load}",
        }
        for what, times in (("the first time", first), ("the times after", after))
    ]


def turned(page: Page, place: int) -> float:
    """Press one side of the switch; the milliseconds until the overview shows it.

    The page looks from before the press: asked only after it, it would answer when it has taken in the server's reply.
    """
    page.wait_for_timeout(2500)  # the server rests
    page.evaluate(f"(ready) => {{ window.turned = ({PAINTED})(ready); }}", SHOWS % (OVERVIEW, LEGENDS[place]))
    page.locator(".st-key-quantity button").nth(place).click()
    return float(page.evaluate("window.turned")) - float(page.evaluate("window.pressed"))
