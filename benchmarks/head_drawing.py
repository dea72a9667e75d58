"""Pages that hold one view of heads, the app's canvas or one of BertViz: from navigation to painted, and memory."""

from __future__ import annotations

import functools
import http.server
import json
import statistics
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch
import transformers
from playwright.sync_api import Browser
from plotly.graph_objects import Figure
from plotly.offline import get_plotlyjs
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tqdm import tqdm

import models
from benchmarks.bertviz_page import bertviz_html, fetch_libraries
from benchmarks.page import TEXT, launch_chromium
from models.trace import AttentionTrace
from viz.canvas.overview import encode_overview
from viz.figures import HeadPlace, head_comparison
from viz.views.heads import views_at
from viz.widgets.canvas import parts_of

LARGE = "random-144-heads"
LIMIT = 300_000  # milliseconds until a page of the app that draws nothing is given up
BERTVIZ_LIMIT = 60_000  # the same of a page of BertViz, which has a line for every weight

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


def opened(browser: Browser, address: str, ready: str, *, since: str, limit: int) -> dict[str, float] | None:
    """Open a page and wait until `ready` holds; milliseconds from `since`, and memory; None if it never does.

    The page looks by itself: a busy one would not take in a question, and a question has no limit of its own.
    """
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(limit)
    page.add_init_script(f"({PAINTED})({json.dumps(ready)}).then((at) => {{ window.paintedAt = at; }});")
    try:
        page.goto(address, wait_until="commit")
        page.wait_for_function("window.paintedAt")
        painted = float(page.evaluate("window.paintedAt"))
        found = {"ms": painted - float(page.evaluate(since)), "MB": renderer_megabytes()}
        page.close()  # one that is busy would not close: its browser is ended
    except Exception as error:
        if "Timeout" not in str(error) and "crashed" not in str(error).lower():
            raise
        return None
    return found


def row(what: str, found: dict[str, float] | None, size: int, limit: int) -> dict[str, Any]:
    """Return a row of the table, and say it on the way: the next one may take a minute."""
    value = f"not drawn within {limit / 1000:.0f} s"
    if found is not None:
        value = f"{found['ms']:,.0f} ms, {found['MB']:,.0f} MB in the renderer"
    tqdm.write(f"{what}: {value}", file=sys.stderr)
    return {"figure": what, "value": value, "note": f"{size / 1e6:.2f} MB sent"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where pages that hold one view are written, served and opened."""

    folder: Path  # what is served
    address: str  # under which it is
    driver: Any
    rounds: int  # openings of each of the app's pages

    def measure(
        self, what: str, page: str, ready: str, *, size: int, rounds: int, since: str = "0", limit: int = LIMIT
    ) -> dict[str, Any]:
        """Return the row of `page`: medians of openings in a browser of its own, so that memory is its own."""
        runs = []
        with browser_of(self.driver) as browser:
            for _round in range(rounds):
                runs.append(opened(browser, f"{self.address}/{page}", ready, since=since, limit=limit))
                if runs[-1] is None:
                    return row(what, None, size, limit)
        found = {name: statistics.median(run[name] for run in runs if run) for name in ("ms", "MB")}
        return row(what, found, size, limit)

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
            yield self.measure(
                f"{what}: BertViz {view}", "bertviz.html", ready, size=len(page.encode()), rounds=1, limit=BERTVIZ_LIMIT
            )

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


def draw(
    lengths: Sequence[int],
    large_lengths: Sequence[int],
    folder: Path,
    driver: Any,
    *,
    rounds: int,
    without_bertviz: bool,
) -> list[dict[str, Any]]:
    """Measure pages that hold one view."""
    model, large = models.load("hf:minilm"), models.load(write_large(folder))
    rows: list[dict[str, Any]] = []
    write_pages(folder)
    if not without_bertviz:
        fetch_libraries(folder)
    with served(folder) as address:
        drawing = Drawing(folder, address, driver, rounds)
        for tokens in tqdm(lengths, disable=None):
            trace = model.attend(model.fit(text_of(tokens))[0])
            what = f"72 heads, {len(trace.source)} tokens"
            payload = encode_overview(views_at(trace, "encoder.*.self", "piece"))
            rows += drawing.canvas_rows(what, payload)
            if not without_bertviz:
                rows += drawing.bertviz_rows(what, trace)
        for tokens in tqdm(large_lengths, disable=None):
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
        write_tokenizer(place)
    return place


def write_tokenizer(place: Path) -> None:
    """Write a tokenizer of which every byte is a token."""
    names = ["<s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(BPE(vocab={name: index for index, name in enumerate(names)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>").save_pretrained(place)
