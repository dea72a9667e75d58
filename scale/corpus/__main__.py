"""What heads do over a corpus, as tables: ``python -m scale.corpus hf:minilm sentences.txt --out FOLDER``."""

from __future__ import annotations

from lzma import LZMAError
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from models.command import CommandError, run
from models.experiments.aligning_heads import AligningHead, gold_pairs, rank_heads
from models.experiments.alignment import read_gold
from models.model import Model
from models.recording import versions
from scale.corpus.job import SHARD, Job, run_here
from scale.corpus.lines import Corpus, Shard
from scale.corpus.statistics import fold
from scale.corpus.tables import write_tables
from scale.corpus.worker import HeadsOverCorpus


def main(
    model: Annotated[str, typer.Argument(help="What models.load takes: hf:minilm, transformer-en-fr, a folder.")],
    text: Annotated[Path, typer.Argument(help=".txt, .tsv (source, tab, translation), either with .xz, or .parquet.")],
    *,
    out: Annotated[Path, typer.Option(help="Folder of the tables; a job that ended goes on there.")],
    shard: Annotated[int, typer.Option(help="Lines that are lost at most if the job ends.", min=1)] = SHARD,
    threads: Annotated[int | None, typer.Option(help="Threads of torch.", min=1)] = None,
    ray: Annotated[str | None, typer.Option(metavar="[ADDRESS]", help="Run on Ray: a cluster, or here.")] = None,
    workers: Annotated[int, typer.Option(help="Actors on Ray, one core each.", min=1)] = 2,
    name: Annotated[str, typer.Option(help="What the card calls the corpus; its file if left out.")] = "",
    credit: Annotated[str, typer.Option(help="Whom the card credits with the corpus.")] = "",
    gold: Annotated[Path | None, typer.Option(help="Pairs aligned by hand, in place of those here.")] = None,
    no_gold: Annotated[bool, typer.Option("--no-gold", help="Leave out which head aligns.")] = False,
) -> None:
    """Compute the tables, and write them."""
    if gold is not None:
        if no_gold:
            message = "--gold and --no-gold exclude each other."
            raise CommandError(message)
        check_gold(gold)
    job = Job(Path(model) if Path(model).is_dir() else model, Corpus(text), out, shard)
    worker = HeadsOverCorpus(job.key, threads=threads)
    if gold is not None and not worker.model.is_translation:
        message = f"--gold: {worker.model.title} writes no translation whose words could be aligned"
        raise GoldError(message)
    shards = job.prepare(worker.model.sha256)
    worker.stride = job.stride(shards)
    if ray is None:
        run_here(job, worker, shards)
    else:
        from scale.corpus.on_ray import run_on_ray

        with job.bar(shards) as bar:
            run_on_ray(job, shards, ray or "local", workers, bar.update)
    found = fold(job.finished(shards))
    aligning = () if no_gold else _aligning(worker.model, gold)
    write_tables(found, worker.about, job.folder, _card(job, worker, shards, name, credit), aligning)
    typer.echo(f"{found.sentences} sentences, {len(found.bad)} lines in error: {job.folder}", err=True)


class GoldError(ValueError):
    """A file of aligned sentences that cannot be used; the message says why."""


def check_gold(path: Path) -> None:
    """Refuse a file of sentence pairs aligned by hand that is not one, before anything is computed."""
    number = 0
    try:
        for number, gold in enumerate(read_gold(path), start=1):
            if any(source >= len(gold.source) or target >= len(gold.target) for source, target in gold.possible):
                message = f"{path}, line {number}: a link names a word that there is not"
                raise GoldError(message)
    except (ValueError, EOFError, LZMAError) as error:
        message = f"{path}, line {number + 1}: {error}. Expected an id, source, target and links as 0-0 1?2, by tabs"
        raise GoldError(message) from error
    if not number:
        message = f"{path} is empty"
        raise GoldError(message)


def _aligning(model: Model, gold: Path | None) -> tuple[AligningHead, ...]:
    if gold is None and not (model.is_translation and model.pair in gold_pairs()):
        return ()
    with tqdm(total=1.0, desc="aligned pairs", disable=None) as bar:
        return rank_heads(model, gold or str(model.pair), on_progress=lambda done: bar.update(done - bar.n))


def _card(job: Job, worker: HeadsOverCorpus, shards: tuple[Shard, ...], name: str, credit: str) -> dict[str, Any]:
    return {
        "model": worker.model.key,
        "title": worker.model.title,
        "sha256": worker.model.sha256,
        "versions": dict(versions("torch", "numpy", "tokenizers", "transformers")),
        "corpus": {"name": name or job.corpus.path.name, "sha256": job.corpus.sha256(), "credit": credit},
        "lines": sum(each.count for each in shards),
        "compared_every": worker.stride,
    }


if __name__ == "__main__":
    run(main)
