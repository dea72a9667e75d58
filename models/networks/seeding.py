"""Networks are built one at a time: the random numbers that fill them belong to the whole process.

So does what transformers turns off while it loads a network, such as the sharing of embeddings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import torch

_BUILDING = RLock()


@contextmanager
def building() -> Iterator[None]:
    """Let no other thread build a network while the block runs."""
    with _BUILDING:
        yield


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw torch's random numbers from `seed` while the block runs alone; what is drawn after it is as without it.

    Parameters
    ----------
    seed : int
    """
    with building(), torch.random.fork_rng(devices=()):
        torch.default_generator.manual_seed(seed)
        yield
