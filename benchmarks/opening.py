"""What a hall costs whoever first asks for it: ``python -m benchmarks.opening KEY ...``.

Each model is opened in a process of its own in which another of its kind has run already, so that torch and the
tokenizers are there: seconds to the first answer, resident memory that this adds, and the median of a text of twelve
words. Of our translators that write from a draft (`models.translation.drafting`) also that of a key, while the second
half of the text is typed: step by step and from drafts, in turn. ``--paths`` measures path length instead, as Why
computes it, of translators whose encoder hands over a state for each word: the longest text that is taken, and how far
the process grows for it. One thread.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from json import dumps, loads
from typing import TYPE_CHECKING, Annotated, Any

import typer
from tqdm import tqdm

from benchmarks.measure import Json, Keys, ratio, report
from benchmarks.serving import ROOT
from models.command import CommandError, run

if TYPE_CHECKING:
    from models.model import Model

KEYS = (
    "lstmn-deep-en-fr",
    "convs2s-en-fr",
    "transformer-relative-en-fr",
    "hf:gpt-en",
    "hf:bert-en",
    "hf:self-attentive-en",
    "hf:key-value-predict-en",
    "hf:lstmn-en",
)
BEFORE = ("luong-dot-en-fr", "hf:minilm")
"""Opened before the clock starts: one of our networks, and one of transformers."""

TWELVE_WORDS = "The small doctor reads the old letter near the tall house today."
CHINESE = "那位小医生今天在高房子旁边读了一封旧信。"
TYPED = 6
"""How often it is typed."""
ROUNDS = 41
PATH_ROUNDS = 9
PATH_KEYS = ("bahdanau-en-fr", "convs2s-en-fr", "transformer-en-fr", "transformer-relative-en-fr")


def measure(key: str) -> dict[str, Any]:
    """Open `key` in this process, and return its row."""
    import psutil
    import torch

    import models

    torch.set_num_threads(1)
    for each in BEFORE:
        models.load(each).attend(TWELVE_WORDS)
    process = psutil.Process()
    before, begun = process.memory_info().rss, time.perf_counter()
    model = models.load(key)
    model.attend(TWELVE_WORDS)
    opened, added = time.perf_counter() - begun, process.memory_info().rss - before
    text = CHINESE if getattr(model, "pair", "en-fr").startswith("zh") else TWELVE_WORDS
    times = []
    for _round in range(ROUNDS):
        begun = time.perf_counter()
        model.attend(text)
        times.append(1000 * (time.perf_counter() - begun))
    return {
        "model": key,
        "to the first answer, s": round(opened, 2),
        "memory, MB": round(added / 1e6),
        "12 words, ms": round(statistics.median(times), 1),
        **measure_typing(model, text),
    }


def measure_typing(model: Model, text: str) -> dict[str, Any]:
    """Type the second half of `text`, and return what a key takes step by step and from drafts."""
    from models.translation.batching import BatchItem
    from models.translation.drafting import Drafts, can_draft

    names = ("a key in steps, ms", "a key from a draft, ms", "ratio", "drafted")
    if not can_draft(model):
        return dict.fromkeys(names, "")
    steps, drafted, used = [], [], 0
    for _round in range(TYPED):
        drafts = Drafts()
        drafts.attend(model, BatchItem(text[: len(text) // 2 - 1]))
        for end in range(len(text) // 2, len(text) + 1):
            begun = time.perf_counter()
            model.attend(text[:end])
            between = time.perf_counter()
            trace = drafts.attend(model, BatchItem(text[:end]))
            steps.append(1000 * (between - begun))
            drafted.append(1000 * (time.perf_counter() - between))
            used += trace.provenance.drafted
    medians = [round(statistics.median(each), 1) for each in (steps, drafted)]
    return dict(zip(names, (*medians, ratio(drafted, steps), f"{used} of {len(steps)}"), strict=True))


def measure_paths(key: str) -> dict[str, Any]:
    """Compute path lengths of `key` in this process for a text of as many tokens as may be, and return its row."""
    import resource

    import torch

    import models
    from models.experiments.path_lengths import MOST
    from models.experiments.paths import paths_of
    from models.translation.translator import Translator

    torch.set_num_threads(1)
    model, words = models.load(key), TWELVE_WORDS.split() * MOST
    if not isinstance(model, Translator):
        message = f"{key} translates nothing: path length is that of an encoder with a state for each word"
        raise TypeError(message)
    while len(model.tokenizer.source(" ".join(words))) > MOST:
        words.pop()
    text = " ".join(words)
    model.attend(text)
    paths_of(model, TWELVE_WORDS)
    before, times = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, []
    for _round in range(PATH_ROUNDS):
        begun = time.perf_counter()
        tokens = len(paths_of(model, text).steps)
        times.append(time.perf_counter() - begun)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # kilobytes on Linux
    return {
        "model": key,
        "tokens": tokens,
        "path length, s": round(statistics.median(times), 2),
        "the longest, s": round(max(times), 2),
        "memory at most, MB": round(grown * 1024 / 1e6),
    }


def main(
    keys: Keys = None,
    *,
    paths: Annotated[bool, typer.Option("--paths", help="Path length of a text as long as may be.")] = False,
    here: Annotated[bool, typer.Option("--here", help="One model, in this process, as JSON.")] = False,
    json: Json = False,
) -> None:
    """Measure each in a process of its own, and write a table."""
    if here:
        if not keys:
            message = "--here takes one model."
            raise CommandError(message)
        typer.echo(dumps((measure_paths if paths else measure)(keys[0])))
        return
    rows = []
    what = ["--paths"] * paths
    for key in tqdm(keys or (PATH_KEYS if paths else KEYS), disable=None):
        command = [sys.executable, "-m", "benchmarks.opening", "--here", *what, key]
        rows.append(loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout))
    report("Path length" if paths else "Opening a hall", rows, as_json=json)


if __name__ == "__main__":
    run(main)
