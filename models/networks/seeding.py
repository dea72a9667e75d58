"""Networks are built one at a time: the random numbers that fill them belong to the whole process.

So does what transformers turns off while it loads a network, such as the sharing of embeddings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_BUILDING = RLock()


@contextmanager
def building() -> Iterator[None]:
    """Let no other thread build a network while the block runs."""
    with _BUILDING:
        yield


class Unfilled(TorchFunctionMode):
    """While it is on, `torch.nn.init` fills no new parameter with random numbers: its weights follow.

    Memory that nothing was written to is not taken yet, so what is built is as small as on torch's meta device, where a
    product imports torch's compiler: two seconds and 800 modules.
    """

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call what torch calls, unless it is one of `torch.nn.init`."""
        kwargs = kwargs or {}
        if getattr(function, "__module__", None) == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return function(*args, **kwargs)


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
