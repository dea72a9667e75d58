"""Hundreds of heads in a real Chromium, beside BertViz 1.4.1 in the same run. `python -m benchmarks.heads`.

`draw` measures pages from navigation to painted: the app's canvas with its bytes (also from when they are there), and
BertViz with its libraries served locally, both for MiniLM on one text. `page` types into the running app. `capture`
runs the model with and without observation. Painted means two animation frames after all is there: the canvas says that
it is drawn; of BertViz every line exists. Memory is the resident memory of the largest renderer. For 144 heads a model
of GPT-2's size with random weights is written to a temporary folder: how long things take does not depend on the
numbers.

BertViz takes `pip install bertviz==1.4.1 ipython` and npm; `--without-bertviz` leaves it out.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import statistics
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch
import transformers
from playwright.sync_api import Browser, Page, sync_playwright
from plotly.graph_objects import Figure
from plotly.offline import get_plotlyjs
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE

import models
from benchmarks.bertviz_page import bertviz_html, fetch_libraries
from benchmarks.measure import interleaved, ratio, report
from benchmarks.page import (
    LAST_WORDS,
    ROOT,
    TEXT,
    Target,
    free_port,
    last_sent,
    launch_chromium,
    open_page,
    serving,
    waits,
)
from models.huggingface.embedded import local_models
from models.huggingface.observed_pass import observed_pass
from models.trace import AttentionTrace
from viz.canvas.overview import encode_overview
from viz.figures import HeadPlace, head_comparison
from viz.views.heads import views_at
from viz.widgets.canvas import parts_of

LARGE = "random-144-heads"
LIMIT = 300_000  # milliseconds until a page that draws nothing is given up
PART = ["draw", "page", "capture"]

CANVAS_PAGE = """<!doctype html><meta charset=utf-8><link rel=stylesheet href=maps.css>
<div id=place style="width: 1320px">{html}</div>
<script type=module>
import show from "./overview.js";
const bytes = new Uint8Array(await (await fetch("payload.bin")).arrayBuffer());
window.started = performance.now();
show({{ parentElement: document.querySelector("#place"), data: bytes, setTriggerValue: () => null }});
</script>"""
PLOTLY_PAGE = """<!doctype html><meta charset=utf-8><script src=plotly.js></script><div id=place></div>
<script type=module>
const figure = await (await fetch("figure.json")).json();
window.started = performance.now();
await Plotly.newPlot("place", figure.data, figure.layout, {staticPlot: false});
window.drawn = true;
</script>"""
PAINTED = """
(ready) => new Promise((resolve) => {
  const test = new Function("return " + ready);
  const look = () => test()
    ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
    : setTimeout(look, 5);
  look();
})
"""
STAGE = """[...document.querySelectorAll('.st-key-figure-all-heads *')]
  .map(each => each.shadowRoot?.querySelector('.stage[data-drawn]')).find(each => each)"""
CLICK = """
() => { window.pressed = 0; addEventListener("pointerdown", () => { window.pressed ||= performance.now(); }, true); }
"""


def text_of(tokens: int) -> str:
    """Return a text of about `tokens` words that each are one token of MiniLM."""
    return " ".join((TEXT * (tokens // len(TEXT) + 1))[: tokens - 2])


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve `folder` on a free port while the block runs."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_args: object) -> None:
            """Write no log."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def renderer_megabytes() -> float:
    """Return the resident memory of the largest renderer that this process has started, in MB of a million bytes."""
    renderers = [
        each.memory_info().rss
        for each in psutil.Process().children(recursive=True)
        if "--type=renderer" in " ".join(each.cmdline())
    ]
    return max(renderers, default=0) / 1e6


def opened(browser: Browser, address: str, ready: str, *, since: str = "0") -> dict[str, float] | None:
    """Open a page and wait until `ready` holds; milliseconds from `since`, and memory; None if it never does."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(LIMIT)
    try:
        page.goto(address, wait_until="commit")
        painted = float(page.evaluate(PAINTED, ready))
        return {"ms": painted - float(page.evaluate(since)), "MB": renderer_megabytes()}
    except Exception as error:
        if "Timeout" not in str(error) and "crashed" not in str(error).lower():
            raise
        return None
    finally:
        page.close()


def middle(browser: Browser, address: str, ready: str, *, rounds: int, since: str = "0") -> dict[str, float] | None:
    """Return the medians of several openings."""
    runs = [opened(browser, address, ready, since=since) for _ in range(rounds)]
    if any(run is None for run in runs):
        return None
    return {name: statistics.median(run[name] for run in runs if run) for name in ("ms", "MB")}


def row(what: str, found: dict[str, float] | None, size: int) -> dict[str, Any]:
    """Return a row of the table."""
    value = "nothing drawn" if found is None else f"{found['ms']:,.0f} ms, {found['MB']:,.0f} MB in the renderer"
    return {"figure": what, "value": value, "note": f"{size / 1e6:.2f} MB sent"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where pages that hold one view are written, served and opened.

    Parameters
    ----------
    folder : Path
        What is served.
    address : str
        Under which it is.
    driver : playwright.sync_api.Playwright
    rounds : int
        Openings of each of the app's pages.
    """

    folder: Path
    address: str
    driver: Any
    rounds: int

    def measure(self, what: str, page: str, ready: str, *, size: int, rounds: int, since: str = "0") -> dict[str, Any]:
        """Return the row of `page`, opened in a browser of its own so that memory is its own."""
        with browser_of(self.driver) as browser:
            found = middle(browser, f"{self.address}/{page}", ready, rounds=rounds, since=since)
        return row(what, found, size)

    def canvas_rows(self, what: str, payload: bytes) -> Iterator[dict[str, Any]]:
        """Return the rows of the app's canvas with `payload`: from navigation, and from when the bytes are there."""
        (self.folder / "payload.bin").write_bytes(payload)
        drawn = "document.querySelector('.stage[data-drawn]')"
        for since, name in (("0", "this app"), ("window.started", "this app, from bytes to painted")):
            yield self.measure(
                f"{what}: {name}", "canvas.html", drawn, size=len(payload), rounds=self.rounds, since=since
            )

    def bertviz_rows(self, what: str, trace: AttentionTrace) -> Iterator[dict[str, Any]]:
        """Return the rows of two views of BertViz, opened once each."""
        weights, count = [torch.tensor(each.weights)[None] for each in trace], len(trace.source)
        for view, lines in (("model_view", 72 * count**2), ("head_view", 12 * count**2)):
            page = bertviz_html(view, weights, trace.source.texts)
            (self.folder / "bertviz.html").write_text(page, encoding="utf8")
            ready = f"document.getElementsByTagName('line').length >= {lines}"
            yield self.measure(f"{what}: BertViz {view}", "bertviz.html", ready, size=len(page.encode()), rounds=1)

    def plotly_row(self, what: str, figure: Figure) -> dict[str, Any]:
        """Return the row of a figure, from when Plotly is there."""
        text = figure.to_json()
        (self.folder / "figure.json").write_text(text, encoding="utf8")
        return self.measure(
            what,
            "plotly.html",
            "window.drawn",
            size=len(text.encode()),
            rounds=self.rounds,
            since="window.started",
        )


def write_pages(folder: Path) -> None:
    """Write the pages that hold one view of the app's, and what they load."""
    html, style, script = parts_of("overview")
    (folder / "maps.css").write_text(style, encoding="utf8")
    (folder / "overview.js").write_text(script, encoding="utf8")
    (folder / "canvas.html").write_text(CANVAS_PAGE.format(html=html), encoding="utf8")
    (folder / "plotly.html").write_text(PLOTLY_PAGE, encoding="utf8")
    (folder / "plotly.js").write_text(get_plotlyjs(), encoding="utf8")


def draw(options: argparse.Namespace, folder: Path, driver: Any) -> list[dict[str, Any]]:
    """Measure pages that hold one view."""
    model, large = models.load("hf:minilm"), models.load(write_large(folder))
    rows: list[dict[str, Any]] = []
    write_pages(folder)
    if not options.without_bertviz:
        fetch_libraries(folder)
    with served(folder) as address:
        drawing = Drawing(folder, address, driver, options.rounds)
        for tokens in options.tokens:
            trace = model.attend(model.fit(text_of(tokens))[0])
            what = f"72 heads, {len(trace.source)} tokens"
            payload = encode_overview(views_at(trace, "encoder.*.self", "piece"))
            rows += drawing.canvas_rows(what, payload)
            if not options.without_bertviz:
                rows += drawing.bertviz_rows(what, trace)
        for tokens in options.large_tokens:
            trace = large.attend("x" * tokens)
            payload = encode_overview(views_at(trace, "decoder.*.self", "piece"))
            rows += drawing.canvas_rows(f"144 heads, {tokens} tokens", payload)
        figure = head_comparison(trace, heads=[HeadPlace(5, 5)], sites="decoder.*.self", unit="piece")
        rows.append(drawing.plotly_row(f"one head, {tokens} tokens, exact (without loading Plotly)", figure))
    return rows


@contextmanager
def browser_of(driver: Any) -> Iterator[Browser]:
    """Return a browser that is started for this alone."""
    browser = launch_chromium(driver)
    try:
        yield browser
    finally:
        browser.close()


def write_large(folder: Path) -> Path:
    """Write a model of 12 layers of 12 heads, of GPT-2's size, with random weights; every byte is a token."""
    place = folder / LARGE
    if not place.is_dir():
        config = transformers.GPT2Config(bos_token_id=0, eos_token_id=0, pad_token_id=0)
        transformers.GPT2LMHeadModel(config).save_pretrained(place)
        names = ["<s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
        tokenizer = Tokenizer(BPE(vocab={name: index for index, name in enumerate(names)}, merges=[]))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.decoder = decoders.ByteLevel()
        transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>").save_pretrained(place)
    return place


def peak_megabytes(server: psutil.Process) -> float:
    """Return the most resident memory that the server ever had, in MB; Linux alone says that."""
    lines = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii").splitlines()
    (found,) = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(found) * 1024 / 1e6


def click_to_compared(page: Page, rounds: int) -> list[dict[str, Any]]:
    """Click heads of the overview in turn; until one more, or one other, stands among those compared: the rows.

    Also until its weights are exact: before that it is drawn as its small map has it.
    """
    page.evaluate(CLICK)
    drawn: dict[str, list[float]] = {"": [], ", its weights exact": []}
    for number in range(rounds):
        head = 13 + number
        name = f"layer {head // 12}, head {head % 12}"
        stage = page.locator(".overview .stage")
        stage.scroll_into_view_if_needed()
        box = stage.evaluate("(stage, head) => stage.boxes[head]", head)
        stage.click(position={"x": box["left"] + box["width"] / 2, "y": box["top"] + box["height"] / 2})
        shown = f"window.bench.shown('picked-heads')[1].some(text => text.endsWith('{name}'))"
        exact = f"window.bench.shown('picked-heads')[1].includes('{name}')"
        for what, ready in zip(drawn, (shown, exact), strict=True):
            drawn[what].append(float(page.evaluate(PAINTED, ready)) - float(page.evaluate("window.pressed")))
        page.evaluate("window.pressed = 0")
        page.wait_for_timeout(1500)
    return [
        {
            "figure": f"click to the compared heads, 72 heads, 32 tokens{what}",
            "value": f"{statistics.median(times):.0f} ms",
            "note": f"median of {len(times)}",
        }
        for what, times in drawn.items()
    ]


def page_rows(options: argparse.Namespace, folder: Path, driver: Any) -> list[dict[str, Any]]:
    """Type into the running app, and click in it."""
    os.environ["ATTENTION_BENCH_MODELS"] = str(write_large(folder))
    rows, port = [], free_port()
    with serving(ROOT / "app.py", port) as server, browser_of(driver) as browser:
        target = Target("Heads of MiniLM", "heads?model=hf:minilm", "picked-heads", 2)
        page = open_page(browser, port, target.path)
        page.set_default_timeout(LIMIT)
        page.evaluate(PAINTED, STAGE)
        keys = min(options.keys, len(LAST_WORDS) - 2)
        rows += [waits(page, target, 30, keys), overview_row(page, 30, keys)]
        rows += click_to_compared(page, options.keys)
        page.close()
        rows.append(long_row(browser, port, server))
    return rows


def overview_row(page: Page, words: int, rounds: int) -> dict[str, Any]:
    """Type the last word of a text; from when it is sent until the overview of all heads is painted anew."""
    box, times = page.get_by_role("textbox", name="Type a sentence"), []
    for word in LAST_WORDS[: rounds + 2]:
        box.fill(f"{' '.join(TEXT[: words - 1])} ")
        box.press("End")
        page.wait_for_timeout(2500)
        before = page.evaluate(f"Number(({STAGE}).dataset.drawn)")
        page.keyboard.type(word, delay=40)
        done = float(page.evaluate(PAINTED, f"Number(({STAGE}).dataset.drawn) > {before}"))
        times.append(done - last_sent(page)[1])
    low, middle_, high = statistics.quantiles(times[2:], n=4)
    return {
        "figure": f"key to the overview painted, 72 heads, {words} words, without the pause",
        "value": f"{middle_:.0f} ms",
        "note": f"median of {rounds}, quartiles {low:.0f} to {high:.0f}",
    }


def long_row(browser: Browser, port: int, server: psutil.Process) -> dict[str, Any]:
    """Type the last of 1,024 tokens into the app with the model of 144 heads."""
    page = open_page(browser, port, f"heads?model=hf:{LARGE}&sentence=first")
    page.set_default_timeout(LIMIT)
    page.evaluate(PAINTED, STAGE)
    box = page.get_by_role("textbox", name="Type a sentence")
    box.fill("x" * 1000)
    page.wait_for_timeout(15_000)
    before = page.evaluate(f"Number(({STAGE}).dataset.drawn)")
    box.press("End")
    page.keyboard.type("y")
    done = float(page.evaluate(PAINTED, f"Number(({STAGE}).dataset.drawn) > {before}"))
    _, begun = last_sent(page)
    page.wait_for_timeout(5_000)
    peak = peak_megabytes(server)
    page.close()
    return {
        "figure": "144 heads, 1,001 tokens: key to overview, without the pause",
        "value": f"{done - begun:,.0f} ms",
        "note": f"most memory that the server ever had: {peak:,.0f} MB",
    }


def capture_rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Run MiniLM on 128 tokens: as transformers runs it; observed; and from the text to the finished record."""
    model: Any = models.load("hf:minilm")
    text = model.fit(text_of(128))[0]
    plain = transformers.AutoModel.from_pretrained(
        local_models()["hf:minilm"].folder, attn_implementation="sdpa"
    ).eval()
    reading = model.tokenizer.read(text)
    inputs, given = reading.inputs, model.reader.inputs(reading)

    def unobserved() -> Any:
        with torch.inference_mode():
            return plain(**inputs)

    times = interleaved(
        {
            "sdpa": unobserved,
            "sdpa again": unobserved,
            "attend": lambda: model.attend(text),
            "observed pass": lambda: observed_pass(
                model.network, model._layers, given, patterns=("*.weights",), whole=False
            ),
        },
        rounds=options.capture_rounds,
    )
    rows = []
    for name in list(times)[1:]:
        value = f"{ratio(times[name], times['sdpa']):.3f}"
        rows.append(
            {"figure": f"MiniLM, {inputs['input_ids'].shape[1]} tokens: {name} / sdpa", "value": value, "note": ""}
        )
    return rows


def main() -> None:
    """Measure what is asked for and write a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PART, []], help="all if none is named")
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 64, 128, 512])
    parser.add_argument("--large-tokens", type=int, nargs="+", default=[512, 1024])
    parser.add_argument("--rounds", type=int, default=5, help="openings of each of the app's pages; BertViz's once")
    parser.add_argument("--keys", type=int, default=15, help="keys typed and heads clicked")
    parser.add_argument("--capture-rounds", type=int, default=100)
    parser.add_argument("--without-bertviz", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    parts = options.parts or PART
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        if "capture" in parts:
            report("Heads, without a browser", capture_rows(options), as_json=options.json)
        if "draw" in parts:
            report("Heads, drawn in Chromium", draw(options, folder, driver), as_json=options.json)
        if "page" in parts:
            report("Heads, in the running app", page_rows(options, folder, driver), as_json=options.json)


if __name__ == "__main__":
    main()
