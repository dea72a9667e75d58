"""One class that a loop, or a pool of actors, calls with lines: the model is loaded once, lines become statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

import torch

from models.errors import InputError
from models.loading import load
from models.translation.checkpoints import alignment_of
from scale.corpus.counting import Count, CountedModel
from scale.corpus.forward import Read, batches, chunks, runner_of
from scale.corpus.lines import Bad, Line
from scale.corpus.statistics import Statistics, fold

if TYPE_CHECKING:
    from pathlib import Path

    from models.model import Model as Loaded


def _nobody(_lines: int) -> None:
    """Tell nobody how many lines are done."""


class HeadsOverCorpus:
    """Measures what the heads of a model do on many sentences."""

    def __init__(self, key: str | Path, *, stride: int = 1, threads: int | None = None) -> None:
        self.threads = torch.get_num_threads() if threads is None else threads
        self.model: Loaded = load(key)
        self.stride = stride
        self.runner = runner_of(self.model)
        self.about = _about(self.model)

    def __call__(self, lines: Iterable[Line | Bad], told: Callable[[int], object] = _nobody) -> Statistics:
        """Return what the heads do on some lines; a line that cannot be run is counted among the bad ones."""
        given = list(lines)
        bad = Statistics(bad=tuple((each.number, each.reason) for each in given if isinstance(each, Bad)))
        told(len(bad.bad))
        left: SimpleQueue[list[Line]] = SimpleQueue()
        for chunk in chunks(each for each in given if isinstance(each, Line)):
            left.put(chunk)
        with ThreadPoolExecutor(self.threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            working = [pool.submit(self._work, left, told) for _ in range(self.threads)]
            return fold([bad, *(each.result() for each in working)])

    def _work(self, left: SimpleQueue[list[Line]], told: Callable[[int], object]) -> Statistics:
        """Run chunks until none is left: what one thread does, while another's network runs."""
        count = Count(self.about, self.stride)
        bad: list[tuple[int, str]] = []
        while True:
            try:
                chunk = left.get_nowait()
            except Empty:
                return count.statistics() + Statistics(bad=tuple(bad))
            texts, wrong = self.read(chunk)
            bad += wrong
            for batch in batches(texts, alike=self.runner.alike):
                bad += self._run(batch, count)
            told(len(chunk))

    def read(self, lines: Iterable[Line]) -> tuple[list[Read], list[tuple[int, str]]]:
        """Return lines as the model takes them, and those that it does not, with the reason."""
        texts: list[Read] = []
        bad: list[tuple[int, str]] = []
        for line in lines:
            try:
                texts.append(self.runner.read(line))
            except InputError as error:
                bad.append((line.number, str(error)))
        return texts, bad

    def _run(self, batch: list[Read], count: Count) -> list[tuple[int, str]]:
        """Run a batch; if it fails, its texts one by one, and name those that fail."""
        try:
            ran = self.runner.run(batch)
        except (InputError, RuntimeError, IndexError, ValueError) as error:
            if len(batch) == 1:
                return [(batch[0].line.number, f"{type(error).__name__}: {error}".splitlines()[0])]
            return [each for one in batch for each in self._run([one], count)]
        count.add(ran, batch)
        return []


def _about(model: Loaded) -> CountedModel:
    """Return what counting must know of a model."""
    causal = frozenset(site for site in model.heads if (site.stack, site.kind) == ("decoder", "self"))
    if model.kind == "translator":
        from models.translation.translator import Translator

        assert isinstance(model, Translator)
        return CountedModel(model.heads, causal, model.mechanism.rows_sum_to_one, alignment_of(model.card))
    from models.huggingface.model import PretrainedModel

    assert isinstance(model, PretrainedModel)
    layers = model.watched.layers
    return CountedModel(model.heads, layers.causal, layers.rows_sum_to_one)
