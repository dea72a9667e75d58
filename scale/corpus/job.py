"""A whole corpus, shard by shard: finished shards lie in the folder and are not computed again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from scale.corpus import files
from scale.corpus.lines import Corpus, Shard
from scale.corpus.statistics import Statistics
from scale.corpus.worker import HeadsOverCorpus

SHARD = 2048
"""Lines of a shard: what is lost at most when a job is ended."""

COMPARED = 200
"""About how many lines of a corpus heads are compared with each other on: that costs more than to run them."""

_PLAN = "plan.json"


@dataclass(frozen=True)
class Job:
    """What is to be done."""

    key: str | Path  # what `models.load` takes
    corpus: Corpus
    folder: Path  # where shards and tables are written
    size: int = SHARD  # lines of a shard

    @property
    def shards_folder(self) -> Path:
        """Where finished shards lie."""
        return self.folder / "shards"

    def file_of(self, shard: Shard) -> Path:
        """Return the file of a shard."""
        return self.shards_folder / f"{shard.number:06d}.npz"

    def stride(self, shards: tuple[Shard, ...]) -> int:
        """Return the distance of the lines on which heads are compared."""
        return max(sum(each.count for each in shards) // COMPARED, 1)

    def prepare(self, model_sha256: str) -> tuple[Shard, ...]:
        """Return the shards, and forget what was computed of another model, corpus or division."""
        shards = self.corpus.shards(self.size)
        plan: dict[str, Any] = {
            "model": str(self.key),
            "model_sha256": model_sha256,
            "corpus_sha256": self.corpus.sha256(),
            "shard": self.size,
            "stride": self.stride(shards),
        }
        written = self.shards_folder / _PLAN
        if not written.is_file() or json.loads(written.read_text(encoding="utf8")) != plan:
            shutil.rmtree(self.shards_folder, ignore_errors=True)
            self.shards_folder.mkdir(parents=True)
            written.write_text(json.dumps(plan, indent=2), encoding="utf8")
        return shards

    def left(self, shards: Iterable[Shard]) -> list[Shard]:
        """Return the shards that are not finished."""
        return [each for each in shards if not self.file_of(each).is_file()]

    def bar(self, shards: tuple[Shard, ...]) -> tqdm[Any]:
        """Return a bar that says how many lines are done."""
        whole, left = (sum(each.count for each in some) for some in (shards, self.left(shards)))
        return tqdm(total=whole, initial=whole - left, unit="sentence", disable=None)

    def finished(self, shards: Iterable[Shard]) -> Iterator[Statistics]:
        """Return what finished shards left, one by one."""
        return (files.read(self.file_of(each)) for each in shards)


def run_here(job: Job, worker: HeadsOverCorpus, shards: tuple[Shard, ...]) -> None:
    """Run the shards that are left in this process, with a bar that says how far it is."""
    with job.bar(shards) as bar:
        for shard in job.left(shards):
            files.write(worker(job.corpus.read(shard), bar.update), job.file_of(shard))
