"""How fast heads are measured over a corpus, beside the bare model. `python -m benchmarks.corpus TEXT`.

The same batches, in turn, in one run: the bare model, its attention eager, run forward on texts that are read already;
and the whole of what `python -m scale.corpus` does with the lines, reading among it. `--ray` times one and two workers
of Ray instead, one thread of torch each (`requirements-scale.txt`): from the first shards that are written to the last.
"""

from __future__ import annotations

import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from tqdm import tqdm
from transformers import AutoModel

from benchmarks.measure import Json, report
from models.command import Threads, run
from models.huggingface.embedded import local_models
from models.keys import MINILM
from scale.corpus.forward import PretrainedRunner, batches, chunks
from scale.corpus.job import COMPARED, Job
from scale.corpus.lines import Corpus, Line
from scale.corpus.statistics import fold
from scale.corpus.worker import HeadsOverCorpus

PART = 2000
SHARD = 96


def bare_seconds(network: Any, heads: HeadsOverCorpus, lines: list[Line]) -> float:
    """Return how long the bare model takes for the batches of `lines`, eager, its weights given out."""
    runner = heads.runner
    assert isinstance(runner, PretrainedRunner)
    read = [heads.read(chunk)[0] for chunk in chunks(lines)]
    given = [runner.inputs(batch) for texts in read for batch in batches(texts, alike=runner.alike)]
    start = time.perf_counter()
    with torch.inference_mode():
        for inputs in given:
            network(**inputs, output_attentions=True)
    return time.perf_counter() - start


def rows(path: Path, count: int) -> list[dict[str, Any]]:
    """Return the figures: sentences a second of both, and their ratio."""
    corpus = Corpus(path)
    lines = [each for shard in corpus.shards(count)[:1] for each in corpus.read(shard) if isinstance(each, Line)]
    heads = HeadsOverCorpus(MINILM, threads=torch.get_num_threads(), stride=max(len(lines) // COMPARED, 1))
    network = AutoModel.from_pretrained(local_models()[MINILM].folder, attn_implementation="eager").eval()
    heads(islice(lines, PART))
    bare = whole = 0.0
    parts = []
    for start in tqdm(range(0, len(lines), PART), disable=None):
        chunk = lines[start : start + PART]
        bare += bare_seconds(network, heads, chunk)
        began = time.perf_counter()
        parts.append(heads(chunk))
        whole += time.perf_counter() - began
    found = fold(parts)
    note = f"{found.sentences} sentences, {torch.get_num_threads()} threads"
    return [
        {"figure": "bare model, eager", "value": f"{len(lines) / bare:.0f} a second", "note": f"{bare:.1f} s, {note}"},
        {"figure": "heads over a corpus", "value": f"{len(lines) / whole:.0f} a second", "note": f"{whole:.1f} s"},
        {"figure": "ratio", "value": f"{bare / whole:.2f}", "note": "at least 0.80 is asked for"},
    ]


def ray_rows(path: Path, count: int) -> list[dict[str, Any]]:
    """Return the figures: sentences a second of one worker and of two, and their ratio."""
    from scale.corpus.on_ray import run_on_ray

    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        with path.open(encoding="utf8") as lines:
            text.write_text("".join(islice(lines, count)), encoding="utf8")
        for workers in (2, 1):
            job = Job(MINILM, Corpus(text), Path(folder) / str(workers), SHARD)
            run_on_ray(job, job.prepare(""), "local", workers, lambda _lines: None)
            ends = sorted(each.stat().st_mtime for each in job.shards_folder.glob("*.npz"))
            rates[workers] = (len(ends) - workers) * SHARD / (ends[-1] - ends[workers - 1])
    return [
        {"figure": "one worker", "value": f"{rates[1]:.0f} a second", "note": f"{count} sentences"},
        {"figure": "two workers", "value": f"{rates[2]:.0f} a second", "note": f"{rates[2] / rates[1]:.2f} times"},
    ]


def main(
    text: Annotated[Path, typer.Argument(help="A line of text, or a pair, in each line.", exists=True)],
    *,
    sentences: Annotated[int, typer.Option(help="Lines that are read.", min=1)] = 10_000,
    threads: Threads = 2,
    ray: Annotated[bool, typer.Option("--ray", help="One and two workers of Ray.")] = False,
    json: Json = False,
) -> None:
    """Measure and write a table."""
    torch.set_num_threads(threads)
    report("Heads over a corpus", (ray_rows if ray else rows)(text, sentences), as_json=json)


if __name__ == "__main__":
    run(main)
