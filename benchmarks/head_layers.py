"""Memory and time of heads that are pooled layer by layer: a random, narrow Llama of 32 layers of 32 heads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import transformers

import models
from benchmarks.head_drawing import Drawing, served, write_pages, write_tokenizer
from models.sites import Site
from viz.canvas.overview import encode_overview
from viz.server.heap import give_back_memory
from viz.server.layerwise import attend_layerwise
from viz.server.runtime import Host
from viz.views.heads import views_at

KEY = "hf:random-1024-heads"
LAYERS, HEADS, TOKENS, WIDTH = 32, 32, 1024, 256

T = TypeVar("T")


def write_wide(folder: Path, *, layers: int = LAYERS, heads: int = HEADS, tokens: int = TOKENS) -> Path:
    """Write a Llama with random weights, `WIDTH` numbers a token wide; every byte is a token."""
    place = folder / f"random-{layers * heads}-heads"
    config = transformers.LlamaConfig(
        hidden_size=WIDTH,
        intermediate_size=WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        max_position_embeddings=tokens,
        vocab_size=257,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(place)
    write_tokenizer(place)
    return place


def resident(name: str) -> int:
    """Return a number of bytes that Linux says of this process: ``VmRSS`` now, ``VmHWM`` at most since `peak_above`."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def peak_above(act: Callable[[], T]) -> tuple[T, int]:
    """Return what `act` gives, and how many bytes it took at most above what was resident before; Linux alone."""
    give_back_memory()
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak counts from here
    found = act()
    return found, resident("VmHWM") - before


def pooled_bytes(host: Host, tokens: int, whole: list[Site]) -> bytes:
    """Return what the overview canvas is sent for a text of so many tokens."""
    trace, small = attend_layerwise(host, KEY, "x" * tokens, whole)
    return encode_overview(views_at(trace, "decoder.*.self", "piece")[:1], small=small)


def layer_rows(folder: Path, driver: Any, rounds: int) -> list[dict[str, Any]]:
    """Pool all heads with those of four layers kept whole, and draw what the browser is sent."""
    model = models.load(write_wide(folder))
    host = Host(lambda _key, _progress: model)
    model.attend("x")  # what is loaded once
    started = perf_counter()
    payload, peak = peak_above(lambda: pooled_bytes(host, TOKENS, list(model.heads)[:: LAYERS // 4]))
    seconds = perf_counter() - started
    what = f"{LAYERS * HEADS:,} heads of a random model {WIDTH} wide, {TOKENS:,} tokens"
    rows = [
        {
            "figure": f"{what}: memory above the model's",
            "value": f"{peak / 1e6:,.0f} MB",
            "note": f"four layers whole; text to bytes {seconds:.1f} s",
        }
    ]
    write_pages(folder)
    with served(folder) as address:
        return rows + list(Drawing(folder, address, driver, rounds).canvas_rows(what, payload))
