"""The shards of a corpus on Ray: the same tables as in one process, and a worker that is killed costs no line.

Skipped where Ray is not installed: it is an extra, `requirements-scale.txt`, which the tests of the project do without.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from models.corpus import files
from models.corpus.job import Job, run_here
from models.corpus.lines import Corpus
from models.corpus.statistics import fold
from models.corpus.worker import HeadsOverCorpus

pytest.importorskip("ray", reason="Ray is an extra: pip install -r requirements-scale.txt")

KEY = "transformer-en-fr"
PATIENCE = 120  # seconds until an actor runs


def kill_one(folder: Path, killed: list[int]) -> None:
    """Kill an actor of the pool once a shard is written."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not killed:
        if any(folder.glob("*.npz")):
            for each in psutil.process_iter(["cmdline"]):
                if any("ShardWorker" in part for part in each.info["cmdline"] or ()):
                    each.kill()
                    killed.append(each.pid)
                    return
        threading.Event().wait(0.05)


def test_the_pool_gives_the_same_and_outlives_a_worker_that_is_killed(tmp_path: Path) -> None:
    from models.corpus.on_ray import run_on_ray

    text = tmp_path / "pairs.tsv"
    pairs = [f"The cat number {number} sleeps.\tLe chat numéro {number} dort.\n" for number in range(96)]
    text.write_text("".join(pairs), encoding="utf8")
    worker = HeadsOverCorpus(KEY, threads=1)
    here = Job(KEY, Corpus(text), tmp_path / "here", 8)
    shards = here.prepare(worker.model.sha256)
    worker.stride = here.stride(shards)
    run_here(here, worker, shards)
    there = Job(KEY, Corpus(text), tmp_path / "there", 8)
    there.prepare(worker.model.sha256)
    killed: list[int] = []
    killer = threading.Thread(target=kill_one, args=(there.shards_folder, killed))
    killer.start()
    told: list[int] = []
    run_on_ray(there, shards, "local", 2, told.append)
    killer.join()
    assert killed
    assert sum(told) == 96
    expected, found = (fold(files.read(each.file_of(shard)) for shard in shards) for each in (here, there))
    assert found.sentences == expected.sentences == 96
    for name, values in expected.sums.items():
        np.testing.assert_allclose(found.sums[name], values, rtol=1e-9, atol=1e-9, err_msg=name)
    assert found.texts == expected.texts
