"""What a visitor waits for, in a real Chromium. `python -m benchmarks.page`.

Key to painted, pointer on a word to the picture's answer, cold start, bytes of a first visit, and the server's memory.

`--words` gives the lengths of the sentences typed, `--page heads` the Heads instead of the Bench, `--all` the Bench
with every mechanism of English to French that is installed.

Key to painted runs from the last key event to two animation frames after the new picture is in the page. The pause that
a live text box makes before it sends (to wait for the next key) is measured in the browser, stated, and left out.
"""

from __future__ import annotations

import shutil
import statistics
import time
from base64 import b64decode
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from tqdm import tqdm

from benchmarks.measure import App, Json, report
from benchmarks.serving import ROOT, START_LIMIT, free_port, memory_of, serving, wait_for_port
from models.command import check_known, run
from models.registry import catalog, describe

TEXT = (
    "the members of the committee have asked for a report on the state of the union before the end of the year because "
    "many people in all parts of the country want to know what has been done to make sure that there is enough good"
).split()
LAST_WORDS = (
    "peace trade water roads ports taxes wages farms banks space crime drugs steel paper fruit grain sugar fish beef "
    "milk wine coal youth women music sport books media towns lakes"
).split()


REST = 2.5


@dataclass(frozen=True, slots=True)
class Target:
    """A page, and the figure on it whose heatmaps show that all is drawn."""

    name: str
    path: str
    figure: str
    maps: int
    rest: float = REST  # seconds between a picture and the next keys


TARGETS = {
    "bench": Target("Bench", "", "alignment", 3),
    "heads": Target("Heads", "heads", "picked-heads", 2),
    "surgery": Target("Surgery", "surgery", "maps", 1),
}
PAIR = "en-fr"
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]

# Notes when keys go down and when the socket sends, and waits for a text in the picture, on the browser's own clock.
PROBE = """
window.bench = { key: 0, sends: [] };
addEventListener("keydown", ({ isTrusted }) => {
  if (isTrusted) Object.assign(window.bench, { key: performance.now(), sends: [] });
}, true);
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (...data) {
  window.bench.sends.push(performance.now());
  return send.apply(this, data);
};
// How many maps of exact weights a figure shows, and its texts.
window.bench.shown = (figure) => {
  const place = document.querySelector(`.st-key-figure-${figure}`), plot = place?.querySelector(".js-plotly-plot");
  if (plot) return [plot.querySelectorAll(".heatmaplayer .hm").length, [plot.textContent]];
  const within = [...place?.querySelectorAll("*") ?? []];
  const stage = within.map((each) => each.shadowRoot?.querySelector(".stage[data-drawn]")).find(Boolean);
  return stage ? [stage.exact.filter(Boolean).length, [...stage.texts, stage.getRootNode().textContent]] : [0, []];
};
window.bench.painted = (figure, text, maps) => new Promise((resolve) => {
  const look = () => {
    const [count, texts] = window.bench.shown(figure);
    const there = count >= maps && texts.join("").includes(text);
    if (there) requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    else requestAnimationFrame(look);
  };
  look();
});
"""

# From the pointer on a word of the first translation to the second frame after it.
POINTED = """(number) => new Promise((resolve) => {
  const within = [...document.querySelectorAll("*")].map((each) => each.shadowRoot?.querySelector(".alignment"));
  const words = within.find(Boolean).querySelectorAll(".translation .word"), start = performance.now();
  words[number % words.length].dispatchEvent(new PointerEvent("pointermove", { bubbles: true, composed: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
})"""
POINTINGS = 20


def whole_bench() -> Target:
    """Return the Bench with every installed mechanism of the pair; those without attention have no heatmap."""
    entries = [entry for entry in map(describe, catalog()) if entry.pair == PAIR]
    keys = "+".join(entry.mechanism.key for entry in entries)
    maps = sum(entry.mechanism.has_attention for entry in entries)
    name = f"Bench, {len(entries)} mechanisms"
    return Target(name, f"?mechanisms={keys}", TARGETS["bench"].figure, maps)


def launch_chromium(driver: Playwright) -> Browser:
    """Start the machine's own Chromium, headless."""
    return driver.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)


class Line:
    """Bytes that came to a page, headers with them; of a websocket's messages what they hold."""

    def __init__(self) -> None:
        self._addresses: dict[str, str] = {}
        self._bytes: Counter[str] = Counter()

    def listen(self, page: Page) -> None:
        """Count what comes to `page` from now on."""
        devtools = page.context.new_cdp_session(page)
        devtools.send("Network.enable")
        devtools.on("Network.requestWillBeSent", self._asked)
        devtools.on("Network.loadingFinished", self._came)
        devtools.on("Network.webSocketFrameReceived", self._said)

    def _asked(self, event: dict[str, Any]) -> None:
        self._addresses[event["requestId"]] = urlsplit(event["request"]["url"]).path

    def _came(self, event: dict[str, Any]) -> None:
        path = self._addresses[event["requestId"]]
        owner = "Streamlit" if path.startswith("/static/") else "fonts" if path.startswith("/app/static/") else "ours"
        self._bytes[owner] += event["encodedDataLength"]

    def _said(self, event: dict[str, Any]) -> None:
        self._bytes["messages"] += len(b64decode(event["response"]["payloadData"]))

    def row(self) -> dict[str, Any]:
        """Return a row of the table."""
        parts = ", ".join(f"{name} {count / 1000:.0f}" for name, count in self._bytes.most_common())
        figure = "over the line until the first picture"
        return {
            "figure": figure,
            "value": f"{self._bytes.total() / 1000:.0f} KB",
            "note": f"{parts}; nothing kept before",
        }


def open_page(browser: Browser, port: int, address: str = "", line: Line | None = None) -> Page:
    """Open `address` of the app in a page with the probe, as soon as the port answers."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(PROBE)
    if line is not None:
        line.listen(page)
    wait_for_port(port)
    page.goto(f"http://127.0.0.1:{port}/{address}")
    return page


def painted(page: Page, target: Target, text: str) -> float:
    """Wait until the heatmaps are painted with `text`; give when, in milliseconds of the page's clock."""
    page.set_default_timeout(1000 * START_LIMIT)
    wanted = [target.figure, text, target.maps]
    return float(page.evaluate("([figure, text, maps]) => window.bench.painted(figure, text, maps)", wanted))


def last_sent(page: Page) -> tuple[float, float]:
    """Return when the last key went down and when what it made was sent, in milliseconds of the page's clock."""
    key, sends = page.evaluate("[window.bench.key, window.bench.sends]")
    return float(key), float(sends[-1])


def key_to_painted(page: Page, target: Target, opening: list[str], word: str) -> dict[str, float]:
    """Type `word` after `opening`; give the milliseconds from its last key to the picture, and the pause in them."""
    box = page.get_by_role("textbox").first
    box.fill(f"{' '.join(opening)} ")
    box.press("End")
    page.wait_for_timeout(1000 * target.rest)  # the picture of the opening is drawn, the server rests
    page.keyboard.type(word, delay=40)
    end = painted(page, target, opening[-1] + word)  # the labels of the last two keys, side by side
    key, sent = last_sent(page)
    return {"whole": end - key, "pause": sent - key, "without": end - sent}


def waits(page: Page, target: Target, words: int, rounds: int) -> dict[str, Any]:
    """Measure key to painted for sentences of `words` words; return a row of the table."""
    opening = TEXT[: words - 1]
    runs = [key_to_painted(page, target, opening, word) for word in tqdm(LAST_WORDS[: rounds + 2], disable=None)][2:]
    middle = {name: round(statistics.median(run[name] for run in runs)) for name in runs[0]}
    low, _, high = statistics.quantiles([run["without"] for run in runs], n=4)
    return {
        "figure": f"{target.name}: key to painted, {words} words, without the pause",
        "value": f"{middle['without']} ms",
        "note": f"median of {len(runs)}, quartiles {low:.0f} to {high:.0f}; with the pause of {middle['pause']} ms "
        f"{middle['whole']} ms",
    }


def pointing(page: Page, target: Target) -> dict[str, Any]:
    """Point at one word of a translation after another; return a row of the table."""
    taken = [float(page.evaluate(POINTED, number)) for number in range(POINTINGS)]
    return {
        "figure": f"{target.name}: pointer on a word to the picture's answer",
        "value": f"{statistics.median(taken):.0f} ms",
        "note": f"median of {len(taken)}, worst {max(taken):.0f}",
    }


def measure(browser: Browser, app: Path, target: Target, *, rounds: int, words: list[int]) -> list[dict[str, Any]]:
    """Start the server, open the page, type; return a row a figure."""
    port = free_port()
    line, start = Line(), time.perf_counter()
    with serving(app, port) as server:
        page = open_page(browser, port, target.path, line)
        opened = time.perf_counter() - start
        painted(page, target, "")
        cold = time.perf_counter() - start
        came = line.row()
        first_memory = memory_of(server)
        rows = [waits(page, target, count, rounds) for count in words]
        rows += [pointing(page, target)] if target.figure == TARGETS["bench"].figure else []
        last_memory = memory_of(server)
    return [
        *rows,
        came,
        {
            "figure": f"{target.name}: cold start to {target.maps} heatmaps painted",
            "value": f"{cold:.1f} s",
            "note": f"the port opened after {opened:.1f} s; the browser was running",
        },
        {
            "figure": "server memory, resident",
            "value": f"{last_memory:.0f} MB",
            "note": f"{first_memory:.0f} MB after the first picture; one visitor",
        },
    ]


def main(
    *,
    page: Annotated[str, typer.Option(help=f"One of {', '.join(TARGETS)}.")] = "bench",
    every: Annotated[bool, typer.Option("--all", help="The Bench with every mechanism of English to French.")] = False,
    words: Annotated[list[int] | None, typer.Option(help=f"Lengths typed, 2 to {len(TEXT) + 1}; 12.")] = None,
    rounds: Annotated[int, typer.Option(help="Keys measured.", min=1, max=len(LAST_WORDS) - 2)] = 25,
    rest: Annotated[float, typer.Option(help="Seconds from a picture to the next keys.", min=0.5)] = REST,
    app: App = ROOT / "app.py",
    json: Json = False,
) -> None:
    """Measure and write a table."""
    check_known([page], ["bench"] if every else TARGETS)
    target = replace(whole_bench() if every else TARGETS[page], rest=rest)
    with sync_playwright() as driver:
        browser = launch_chromium(driver)
        try:
            rows = measure(browser, app, target, rounds=rounds, words=words or [12])
        finally:
            browser.close()
    report("The page, in Chromium", rows, as_json=json)


if __name__ == "__main__":
    run(main)
