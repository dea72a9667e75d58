"""Hundreds of heads in a real Chromium, beside BertViz 1.4.1 in the same run. `python -m benchmarks.heads`.

`draw` measures pages from navigation to painted: the app's canvas with its bytes (also from when they are there), and
BertViz with its libraries served locally, both for MiniLM on one text. `page` types into the running app. `capture`
runs the model with and without observation; `ask` ranks all shipped heads for one pair of words; `patch` puts each
head's output for another sentence in place; `switch` turns the running app from weights to what is moved, and back.
`layers` runs a random and narrow Llama of 32 layers of 32 heads on 1,024
tokens: how much memory pooling layer by layer takes above the model, and how long its bytes take to be drawn. Painted
means two animation frames after all is there: the canvas says that it is drawn; of BertViz every line exists. Memory is
the resident memory of the largest renderer. For 144 heads a model of GPT-2's size with random weights is written to a
temporary folder: how long things take does not depend on the numbers.

BertViz takes `pip install bertviz==1.4.1 ipython` and npm; `--without-bertviz` leaves it out.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path
from typing import Annotated, Any

import psutil
import torch
import transformers
import typer
from playwright.sync_api import Browser, Page, sync_playwright

import models
from benchmarks.head_asking import ask_rows
from benchmarks.head_drawing import LARGE, LIMIT, PAINTED, browser_of, draw, text_of, write_large
from benchmarks.head_layers import layer_rows
from benchmarks.head_patching import patch_rows
from benchmarks.head_switching import switch_rows
from benchmarks.measure import Json, interleaved, ratio, report
from benchmarks.page import LAST_WORDS, TEXT, Target, last_sent, open_page, waits
from benchmarks.serving import ROOT, free_port, serving
from models.command import check_known, run
from models.huggingface.embedded import local_models
from models.huggingface.observed_pass import observed_pass

PARTS = ("draw", "page", "capture", "ask", "patch", "switch", "layers")

STAGE = """[...document.querySelectorAll('.st-key-figure-all-heads *')]
  .map(each => each.shadowRoot?.querySelector('.stage[data-drawn]')).find(each => each)"""
CLICK = """
() => { window.pressed = 0; addEventListener("pointerdown", () => { window.pressed ||= performance.now(); }, true); }
"""


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


def page_rows(typed: int, folder: Path, driver: Any) -> list[dict[str, Any]]:
    """Type into the running app, and click in it."""
    os.environ["ATTENTION_BENCH_MODELS"] = str(write_large(folder))
    rows, port = [], free_port()
    with serving(ROOT / "app.py", port) as server, browser_of(driver) as browser:
        picked = "heads0=0+1"  # none that is clicked below
        target = Target("Heads of MiniLM", f"heads?model=hf:minilm&{picked}", "picked-heads", 2)
        page = open_page(browser, port, target.path)
        page.set_default_timeout(LIMIT)
        page.evaluate(PAINTED, STAGE)
        keys = min(typed, len(LAST_WORDS) - 2)
        rows += [waits(page, target, 30, keys), overview_row(page, 30, keys)]
        rows += click_to_compared(page, typed)
        page.close()
        rows.append(long_row(browser, port, server))
    return rows


def overview_row(page: Page, words: int, rounds: int) -> dict[str, Any]:
    """Type the last letter of a text; from when it is sent until the overview of all heads is painted anew."""
    box, times = page.get_by_role("textbox", name="Type a sentence"), []
    for word in LAST_WORDS[: rounds + 2]:
        box.fill(f"{' '.join(TEXT[: words - 1])} {word[:-1]}")
        box.press("End")
        page.wait_for_timeout(2500)
        before = page.evaluate(f"Number(({STAGE}).dataset.drawn)")
        page.keyboard.type(word[-1])
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


def capture_rows(rounds: int) -> list[dict[str, Any]]:
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
        rounds=rounds,
    )
    rows = []
    for name in list(times)[1:]:
        value = f"{ratio(times[name], times['sdpa']):.3f}"
        rows.append(
            {"figure": f"MiniLM, {inputs['input_ids'].shape[1]} tokens: {name} / sdpa", "value": value, "note": ""}
        )
    return rows


def main(
    parts: Annotated[list[str] | None, typer.Argument(help="What is measured; all if none is named.")] = None,
    *,
    tokens: Annotated[list[int] | None, typer.Option(help="Lengths drawn; 16, 64, 128 and 512.")] = None,
    large_tokens: Annotated[list[int] | None, typer.Option(help="Lengths of 144 heads; 512 and 1024.")] = None,
    rounds: Annotated[int, typer.Option(help="Openings of each of the app's pages; BertViz's once.", min=1)] = 5,
    keys: Annotated[int, typer.Option(help="Keys typed and heads clicked.", min=1)] = 15,
    capture_rounds: Annotated[int, typer.Option(help="Runs of the model that are timed.", min=2)] = 100,
    without_bertviz: Annotated[bool, typer.Option("--without-bertviz", help="Leave BertViz out.")] = False,
    json: Json = False,
) -> None:
    """Measure what is asked for and write a table."""
    check_known(parts or (), PARTS)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        for part in parts or PARTS:
            if part == "capture":
                report("Heads, without a browser", capture_rows(capture_rounds), as_json=json)
            elif part == "ask":
                report("All heads ranked for a pair of words, and by pattern", ask_rows(keys), as_json=json)
            elif part == "patch":
                report("Activation patching of every head", patch_rows(min(keys, 3)), as_json=json)
            elif part == "switch":
                report(
                    "The switch weight / moved, in the running app",
                    switch_rows(min(keys, 5), folder, driver),
                    as_json=json,
                )
            elif part == "layers":
                report("1,024 heads pooled layer by layer", layer_rows(folder, driver, rounds), as_json=json)
            elif part == "draw":
                lengths = tokens or [16, 64, 128, 512], large_tokens or [512, 1024]
                drawn = draw(*lengths, folder, driver, rounds=rounds, without_bertviz=without_bertviz)
                report("Heads, drawn in Chromium", drawn, as_json=json)
            else:
                report("Heads, in the running app", page_rows(keys, folder, driver), as_json=json)


if __name__ == "__main__":
    run(main)
