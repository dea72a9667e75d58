"""Cores and memory of the server: threads per computation, garbage collection."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import models
from models.captioning.entry import first_text, is_captioner
from viz.server.hub import hub_settings

if TYPE_CHECKING:
    from models.huggingface.hub import Progress
    from models.model import Model

WORTH_EVERY_CORE = 400
"""Characters of a text that is worth every core of the server."""

_EVERY_CORE = Lock()


def report_to_nobody(_done: int, _total: int) -> None:
    """Take how far a download is, and do nothing with it."""


@contextmanager
def cores_for(text: str) -> Iterator[None]:
    """Let torch use every core while the block runs, for a long text and for one visitor at a time; else one core.

    A text of a thousand tokens takes seconds on one core. Short texts of many visitors go side by side, a core each.
    """
    if len(text) < WORTH_EVERY_CORE or not _EVERY_CORE.acquire(blocking=False):
        yield
        return
    import torch

    usual = torch.get_num_threads()
    torch.set_num_threads(os.cpu_count() or 1)
    try:
        yield
    finally:
        torch.set_num_threads(usual)
        _EVERY_CORE.release()


def load_for_serving(key: str, progress: Progress = report_to_nobody, *, at_rest: bool = False) -> Model:
    """Load the model of `key` for a server of many threads: one torch thread, first run done, collector at rest.

    Streamlit collects garbage after every rerun; what is frozen it need not look through.
    """
    import torch

    torch.set_num_threads(1)
    model: Model
    if models.is_pretrained(key):
        model = models.load_pretrained(key, progress, hub_settings(), tried=True)
    elif is_captioner(key):
        model = models.load(key)
    else:
        model = models.load_translator(key, at_rest=at_rest)
        if at_rest:
            return model  # small, and many are loaded at once: who does that collects garbage once
    model.attend(first_text(key))
    collect_garbage()
    return model


def collect_garbage(*, anew: bool = False) -> None:
    """Collect garbage and freeze what is left; `anew` looks through what was frozen before too, and frees it."""
    if anew:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
