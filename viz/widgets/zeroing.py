"""Value zeroing of layers, run on demand: which are known, and their values, which all visitors share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.mechanisms import mechanisms
from models.sites import Site
from models.trace import AttentionTrace
from viz.server.runtime import Host

ZEROED = "zeroed"
"""What links call it."""


def is_zeroable(trace: AttentionTrace, kind: str) -> bool:
    """Return whether `models.experiments.value_zeroing` knows attention of this kind: of Transformers alone."""
    mechanism = mechanisms().get(trace.provenance.mechanism)
    return kind == "self" or (kind == "cross" and mechanism is not None and mechanism.is_multi_head)


def zero_layers(
    host: Host, layers: Sequence[tuple[Hashable, AttentionTrace, Site]], tell: Callable[[float], None]
) -> list[NDArray[np.float32]]:
    """Return the values of layers, each of a run that its identity tells from all others.

    `tell` is given the share that is done, and ends the runs when nobody waits any more.
    """

    def tell_of(done: int) -> Callable[[float], None]:
        return lambda share: tell((done + share) / len(layers))

    return [_values(host, *layer, tell_of(done)) for done, layer in enumerate(layers)]


def _values(
    host: Host, identity: Hashable, trace: AttentionTrace, site: Site, tell: Callable[[float], None]
) -> NDArray[np.float32]:
    from models.experiments.value_zeroing import value_zeroing

    model: Any = host.model(trace.provenance.checkpoint)
    found: NDArray[np.float32] = host.workings.get(
        (identity, ZEROED, str(site)), lambda: value_zeroing(model, trace, site, on_progress=tell)
    )
    return found
