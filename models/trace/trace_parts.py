"""The fields of a record, held against each other when it is made; `AttentionTrace` adds how it is read and saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from models.trace.attention_map import AttentionMap, Quantity
from models.trace.provenance import Provenance
from models.trace.record import Record, TraceError, frozen_array, problem
from models.trace.steps import Prediction, Step
from models.trace.tokens import TokenSequence, hop_tokens
from models.trace.written import Continuation


@dataclass(frozen=True, slots=True, eq=False)
class TraceParts(Record):
    """The fields of an `models.trace.AttentionTrace`, which documents them."""

    source: TokenSequence
    target: TokenSequence
    target_input: TokenSequence
    maps: tuple[AttentionMap, ...]
    steps: tuple[Step, ...]
    source_text: str
    output_text: str
    provenance: Provenance
    predictions: tuple[Prediction, ...] = ()
    vectors: NDArray[np.float32] | None = None
    classes: tuple[tuple[str, float], ...] = ()
    written: Continuation | None = None
    quantity: Quantity = "weights"

    def __post_init__(self) -> None:
        if self.vectors is not None:
            if self.vectors.ndim != 2 or len(self.vectors) != len(self.source):
                message = f"trace: got vectors of shape {self.vectors.shape} for {len(self.source)} tokens"
                raise TraceError(message)
            object.__setattr__(self, "vectors", frozen_array(self.vectors.astype(np.float32, copy=False)))
        if not len(self.target) == len(self.target_input) == len(self.steps):
            message = (
                f"trace: got {len(self.target)} tokens written, {len(self.target_input)} read in and "
                f"{len(self.steps)} steps; expected as many of each"
            )
            raise TraceError(message)
        if self.written is not None:
            self.written.check(len(self.target or self.source))
        if len(set(self.sites)) != len(self.maps):
            message = f"trace: a site stands twice among {', '.join(map(str, self.sites))}; expected each once"
            raise TraceError(message)
        for each in self.maps:
            self._check_axes(each)

    def _check_axes(self, each: AttentionMap) -> None:
        own = self.source if each.site.stack == "encoder" or not self.is_translation else self.target_input
        expected = (own, own) if each.site.kind == "self" else (self.target, self.source)
        if each.site.kind == "hops":
            expected = hop_tokens(len(each.query_tokens)), self.source
        for axis, got, want in zip(("query", "key"), (each.query_tokens, each.key_tokens), expected, strict=True):
            if got != want:
                raise problem(each.site, f"{axis} tokens {got.texts}", want.texts, "Label the axis from the trace.")

    @property
    def is_translation(self) -> bool:
        """Whether a text was written for the one that was read; False for a one-stack model."""
        return len(self.target) > 0

    @property
    def sites(self) -> tuple[Site, ...]:
        """The addresses of the maps, in order."""
        return tuple(each.site for each in self.maps)

    def __iter__(self) -> Iterator[AttentionMap]:
        return map(self._shown, self.maps)

    def _shown(self, each: AttentionMap) -> AttentionMap:
        """Return a map in the quantity of the record; what is moved is computed when it is asked for, and not kept."""
        if self.quantity == "zeroed":
            return each.zeroed()
        return each.moved() if self.quantity == "moved" else each
