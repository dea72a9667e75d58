"""Runs of many threads at once: each gives what it gives alone, bit for bit, whatever the others read and edit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import Any, NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

import models
from benchmarks.fuzz.running import Fuzz
from models.edits import Edit, mask_key, scale_scores, zero_head
from models.trace import AttentionTrace

THREADS = 8
KEYS = ("transformer-en-fr", "bahdanau-en-fr", "luong-general-en-fr", "luong-local-p-en-fr", "transformer-zh-en")
TEXTS = ("The cat sleeps.", "I ate an apple yesterday.", "the the the", "我爱吃苹果。", "<s> 🔥 ?")
EDITS: tuple[tuple[Edit, ...], ...] = (
    (),
    (zero_head("decoder.0.cross", 0),),
    (mask_key("decoder.*.cross", 1),),
    (scale_scores("decoder.0.cross", 3.0), mask_key("decoder.*.cross", 0)),
)


class Job(NamedTuple):
    """One run: which model reads what, and under which edits."""

    key: str
    text: str
    edits: tuple[Edit, ...]
    sites: tuple[str, ...]


_JOBS = st.builds(
    Job,
    st.sampled_from(KEYS),
    st.sampled_from(TEXTS),
    st.sampled_from(EDITS),
    st.sampled_from((("*.weights",), ("*.weights", "*.scores"))),
)
FUZZ = Fuzz(st.lists(_JOBS, min_size=THREADS, max_size=THREADS), 10)


@cache
def _model(key: str) -> Any:
    torch.set_num_threads(1)
    return models.load(key)


def _attend(job: Job) -> AttentionTrace | str:
    try:
        trace: AttentionTrace = _model(job.key).attend(job.text, edits=job.edits, sites=job.sites)
    except models.InputError as error:
        return str(error)
    return trace


@cache
def _alone(job: Job) -> AttentionTrace | str:
    return _attend(job)


def check(jobs: list[Job]) -> None:
    """Raise AssertionError if a run among others differs from the same run alone."""
    expected = [_alone(job) for job in jobs]
    together = Barrier(len(jobs))

    def run(job: Job) -> AttentionTrace | str:
        together.wait(60)
        return _attend(job)

    with ThreadPoolExecutor(len(jobs)) as pool:
        found = list(pool.map(run, jobs))
    for job, mine, its in zip(jobs, expected, found, strict=True):
        if isinstance(mine, str) or isinstance(its, str):
            assert mine == its, job
            continue
        assert (mine.output_text, mine.provenance) == (its.output_text, its.provenance), job
        for left, right in zip(mine, its, strict=True):
            assert left.companions.keys() == right.companions.keys()
            np.testing.assert_array_equal(left.weights, right.weights, err_msg=str(job))
            for name in left.companions:
                np.testing.assert_array_equal(left.companions[name], right.companions[name], err_msg=str(job))
