"""What heads do over a corpus, as tables: ``python -m scale.corpus hf:minilm sentences.txt --out FOLDER``."""

from __future__ import annotations

import argparse
import sys
from lzma import LZMAError
from pathlib import Path
from typing import Any

from models.errors import InputError
from models.experiments.aligning_heads import AligningHead, gold_pairs, rank_heads
from models.experiments.alignment import read_gold
from models.recording import versions
from scale.corpus.job import SHARD, Job, run_here
from scale.corpus.lines import Corpus
from scale.corpus.statistics import fold
from scale.corpus.tables import write_tables
from scale.corpus.worker import HeadsOverCorpus


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    given = _parser().parse_args(arguments)
    key: str | Path = Path(given.model) if Path(given.model).is_dir() else given.model
    job = Job(key, Corpus(given.text), given.out, given.shard)
    try:
        if given.gold is not None:
            check_gold(given.gold)
        _run(job, given)
    except (InputError, GoldError, KeyError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


class GoldError(Exception):
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


def _run(job: Job, given: argparse.Namespace) -> None:
    worker = HeadsOverCorpus(job.key, threads=given.threads)
    if given.gold is not None and not worker.model.is_translation:
        message = f"--gold: {worker.model.title} writes no translation whose words could be aligned"
        raise GoldError(message)
    shards = job.prepare(worker.model.sha256)
    worker.stride = job.stride(shards)
    if given.ray is None:
        run_here(job, worker, shards)
    else:
        from scale.corpus.on_ray import run_on_ray

        with job.bar(shards) as bar:
            run_on_ray(job, shards, given.ray, given.workers, bar.update)
    found = fold(job.finished(shards))
    aligning: tuple[AligningHead, ...] = ()
    if given.gold is not None:
        aligning = rank_heads(worker.model, given.gold)
    elif worker.model.is_translation and worker.model.pair in gold_pairs() and not given.no_gold:
        aligning = rank_heads(worker.model, str(worker.model.pair))
    card: dict[str, Any] = {
        "model": worker.model.key,
        "title": worker.model.title,
        "sha256": worker.model.sha256,
        "versions": dict(versions("torch", "numpy", "tokenizers", "transformers")),
        "corpus": {"name": given.name or job.corpus.path.name, "sha256": job.corpus.sha256(), "credit": given.credit},
        "lines": sum(each.count for each in shards),
        "compared_every": worker.stride,
    }
    write_tables(found, worker.about, job.folder, card, aligning)
    sys.stderr.write(f"{found.sentences} sentences, {len(found.bad)} lines in error: {job.folder}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scale.corpus", description=__doc__)
    parser.add_argument("model", help="what models.load takes: hf:minilm, transformer-en-fr, a folder")
    parser.add_argument("text", type=Path, help=".txt, .tsv (source, tab, translation), either with .xz, or .parquet")
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables; a job that ended goes on there")
    parser.add_argument("--shard", type=int, default=SHARD, help="lines that are lost at most if the job ends")
    parser.add_argument("--threads", type=int, help="threads of torch")
    parser.add_argument("--ray", nargs="?", const="local", metavar="ADDRESS", help="run on Ray: a cluster, or here")
    parser.add_argument("--workers", type=int, default=2, help="actors on Ray, one core each")
    parser.add_argument("--name", help="what the card calls the corpus")
    parser.add_argument("--credit", default="", help="whom the card credits with the corpus")
    gold = parser.add_mutually_exclusive_group()
    gold.add_argument("--gold", type=Path, metavar="FILE", help="pairs aligned by hand, in place of those here")
    gold.add_argument("--no-gold", action="store_true", help="leave out which head aligns")
    return parser


if __name__ == "__main__":
    sys.exit(main())
