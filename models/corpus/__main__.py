"""What heads do over a corpus, as tables: ``python -m models.corpus hf:minilm sentences.txt --out FOLDER``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from models.corpus.job import SHARD, Job, run_here
from models.corpus.lines import Corpus
from models.corpus.statistics import fold
from models.corpus.tables import write_tables
from models.corpus.worker import HeadsOverCorpus
from models.errors import InputError
from models.experiments.aligning_heads import AligningHead, gold_pairs, rank_heads
from models.recording import versions


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status.

    Parameters
    ----------
    arguments : list of str, optional
        Those of the command line if left out.
    """
    given = _parser().parse_args(arguments)
    key: str | Path = Path(given.model) if Path(given.model).is_dir() else given.model
    job = Job(key, Corpus(given.text), given.out, given.shard)
    try:
        _run(job, given)
    except (InputError, KeyError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _run(job: Job, given: argparse.Namespace) -> None:
    worker = HeadsOverCorpus(job.key, threads=given.threads)
    shards = job.prepare(worker.model.sha256)
    worker.stride = job.stride(shards)
    if given.ray is None:
        run_here(job, worker, shards)
    else:
        from models.corpus.on_ray import run_on_ray

        with job.bar(shards) as bar:
            run_on_ray(job, shards, given.ray, given.workers, bar.update)
    found = fold(job.finished(shards))
    aligning: tuple[AligningHead, ...] = ()
    if worker.model.is_translation and worker.model.pair in gold_pairs() and not given.no_gold:
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
    parser = argparse.ArgumentParser(prog="python -m models.corpus", description=__doc__)
    parser.add_argument("model", help="what models.load takes: hf:minilm, transformer-en-fr, a folder")
    parser.add_argument("text", type=Path, help=".txt, .tsv (source, tab, translation), either with .xz, or .parquet")
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables; a job that ended goes on there")
    parser.add_argument("--shard", type=int, default=SHARD, help="lines that are lost at most if the job ends")
    parser.add_argument("--threads", type=int, help="threads of torch")
    parser.add_argument("--ray", nargs="?", const="local", metavar="ADDRESS", help="run on Ray: a cluster, or here")
    parser.add_argument("--workers", type=int, default=2, help="actors on Ray, one core each")
    parser.add_argument("--name", help="what the card calls the corpus")
    parser.add_argument("--credit", default="", help="whom the card credits with the corpus")
    parser.add_argument("--no-gold", action="store_true", help="leave out which head aligns")
    return parser


if __name__ == "__main__":
    sys.exit(main())
