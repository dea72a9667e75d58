"""The shards of a corpus on Ray Data: a pool of actors, each with its model; each shard is written when it is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scale.corpus import files
from scale.corpus.job import Job
from scale.corpus.lines import Shard
from scale.corpus.worker import HeadsOverCorpus
from scale.on_ray import start_ray


class ShardWorker:
    """What one actor of the pool does: it loads the model once, and writes the shards that it is given."""

    def __init__(self, job: Job, shards: tuple[Shard, ...]) -> None:
        self.job, self.shards = job, shards
        self.heads = HeadsOverCorpus(job.key, stride=job.stride(shards), threads=1)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Measure the shards whose numbers stand in `batch`, and say how many sentences each had."""
        done = []
        for number in batch["number"].tolist():
            shard, path = self.shards[number], self.job.file_of(self.shards[number])
            if not path.is_file():  # an actor that was killed may have written it before it could say so
                files.write(self.heads(self.job.corpus.read(shard)), path)
            done.append(shard.count)
        return {"lines": done}


def run_on_ray(job: Job, shards: tuple[Shard, ...], address: str, workers: int, told: Callable[[int], object]) -> None:
    """Run the shards that are left on a cluster; a worker that is lost costs the shard that it was at, no more."""
    start_ray(address, workers, {"OMP_WAIT_POLICY": "PASSIVE"})
    import ray.data

    try:
        left = [{"number": each.number} for each in job.left(shards)]
        if left:
            numbers = ray.data.from_items(left, override_num_blocks=len(left))
            done = numbers.map_batches(
                ShardWorker,
                fn_constructor_args=(job, shards),
                batch_size=1,
                compute=ray.data.ActorPoolStrategy(size=workers),
                num_cpus=1,
            )
            for row in done.iter_rows():
                told(int(row["lines"]))
    finally:
        ray.shutdown()
