"""The shards of a corpus on Ray: the same statistics as in one process.

Skipped where Ray is not installed: it is an extra, `requirements-scale.txt`, which the tests of the project do without.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.corpus import files
from models.corpus.job import Job, run_here
from models.corpus.lines import Corpus
from models.corpus.statistics import fold
from models.corpus.worker import HeadsOverCorpus

pytest.importorskip("ray", reason="Ray is an extra: pip install -r requirements-scale.txt")

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray warns of its own settings

KEY = "transformer-en-fr"


def test_the_pool_gives_the_same_as_one_process(tmp_path: Path) -> None:
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
    told: list[int] = []
    run_on_ray(there, shards, "local", 2, told.append)
    assert sum(told) == 96
    expected, found = (fold(files.read(each.file_of(shard)) for shard in shards) for each in (here, there))
    assert found.sentences == expected.sentences == 96
    for name, values in expected.sums.items():
        np.testing.assert_allclose(found.sums[name], values, rtol=1e-9, atol=1e-9, err_msg=name)
    assert found.texts == expected.texts
