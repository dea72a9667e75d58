"""The shards of a corpus on Ray: the same statistics as in one process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest

from models.loading import load
from scale.corpus import files
from scale.corpus.job import Job, run_here
from scale.corpus.lines import Corpus
from scale.corpus.statistics import Statistics, fold
from scale.corpus.worker import HeadsOverCorpus

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of its own settings

KEY = "transformer-en-fr"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "pairs.tsv"
    pairs = [f"The cat number {number} sleeps.\tLe chat numéro {number} dort.\n" for number in range(96)]
    path.write_text("".join(pairs), encoding="utf8")
    return path


@pytest.fixture(scope="module")
def expected(text: Path) -> Statistics:
    worker = HeadsOverCorpus(KEY, threads=1)
    job = Job(KEY, Corpus(text), text.parent / "here", 8)
    shards = job.prepare(worker.model.sha256)
    worker.stride = job.stride(shards)
    run_here(job, worker, shards)
    return fold(files.read(job.file_of(shard)) for shard in shards)


def run(text: Path, folder: Path, told: Callable[[Job, int], object]) -> Statistics:
    """Run the corpus on Ray, two workers, in shards of eight lines; `told` is called with the lines of each."""
    from scale.corpus.on_ray import run_on_ray

    job = Job(KEY, Corpus(text), folder, 8)
    shards = job.prepare(load(KEY).sha256)
    run_on_ray(job, shards, "local", 2, lambda lines: told(job, lines))
    return fold(files.read(job.file_of(shard)) for shard in shards)


def same(found: Statistics, expected: Statistics) -> None:
    assert found.sentences == expected.sentences == 96
    for name, values in expected.sums.items():
        np.testing.assert_allclose(found.sums[name], values, rtol=1e-9, atol=1e-9, err_msg=name)
    assert found.texts == expected.texts


def test_the_pool_gives_the_same_as_one_process_and_a_worker_that_is_killed_loses_a_shard_at_most(
    text: Path, expected: Statistics, tmp_path: Path
) -> None:
    """What was finished is not computed again; the shard that it was at is, by another."""
    finished: dict[Path, int] = {}
    killed: list[int] = []
    told: list[int] = []

    def kill_one(job: Job, lines: int) -> None:
        told.append(lines)
        if not killed:
            finished.update({path: path.stat().st_mtime_ns for path in job.shards_folder.glob("*.npz")})
            ours = psutil.Process().children(recursive=True)
            actors = [each for each in ours if any("ShardWorker" in part for part in each.cmdline())]
            killed.append(actors[0].pid)
            os.kill(actors[0].pid, signal.SIGKILL)

    same(run(text, tmp_path, kill_one), expected)
    assert sum(told) == 96
    assert 0 < len(finished) < 12
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert not psutil.pid_exists(killed[0])
