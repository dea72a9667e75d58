"""One pass through a transformers network: which layer fires, where it stands, and what it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from models.errors import CaptureError, InputError
from models.messages import CountMessage, Message
from models.sites import Site
from models.softmax import causal_mask
from models.waiting import go_on

LONG = 256
"""Queries from which causal attention is worked out in blocks, which leave out what lies ahead."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What one call of the attention function was given, beside the states."""

    queries: int  # tokens that read and that are read
    keys: int  # tokens that read and that are read
    heads: int  # query heads, and the key-value heads that they share
    key_heads: int  # query heads, and the key-value heads that they share
    d_head: int
    scale: float  # what q k' is multiplied by
    softcap: float | None  # c of c tanh(score / c), Gemma 2
    window: int | None  # how many tokens a sliding window spans
    # whether a position bias is added to the scores, whether an outlet without a key takes part in the softmax, and
    # whether the network chooses the keys that a query may read
    biased: bool = False
    # whether a position bias is added to the scores, whether an outlet without a key takes part in the softmax, and
    # whether the network chooses the keys that a query may read
    sinks: bool = False
    # whether a position bias is added to the scores, whether an outlet without a key takes part in the softmax, and
    # whether the network chooses the keys that a query may read
    sparse: bool = False
    unknown: tuple[str, ...] = ()  # arguments of the call that are not known here

    @classmethod
    def of(cls, query: Tensor, key: Tensor, scale: float, softcap: float | None, window: int | None) -> Facts:
        """Return the facts of a call with these states.

        Shapes: `query` [batch, head, query, d_head]; `key` [batch, key head, key, d_head].
        """
        _, heads, queries, d_head = query.shape
        return cls(queries, key.shape[2], heads, key.shape[1], d_head, scale, softcap, window)


class PretrainedRun:
    """One pass through a network: tells each attention module its site, and checks that every layer has fired."""

    def __init__(self, places: Mapping[nn.Module, tuple[Site, ...]], tried: frozenset[str] = frozenset()) -> None:
        self.vectors: Tensor | None = None
        """The final vectors of the tokens read, [batch, token, d_model]."""
        self._places, self._tried = places, tried
        self._fired: Counter[nn.Module] = Counter()
        self._current: tuple[Site, Tensor] | None = None
        self._spare: Tensor | None = None
        self._causal: tuple[Tensor, bool] | None = None

    def enter(self, module: nn.Module, facts: Facts) -> Site:
        """Return the site at which `module` fires now."""
        go_on()
        sites = self._places.get(module)
        if sites is None:
            message = CountMessage(
                "{layer} with {count} head fired, which it did not when it was loaded",
                "{layer} with {count} heads fired, which it did not when it was loaded",
                facts.heads,
                layer=type(module).__name__,
            )
            raise CaptureError(message)
        if untried := set(facts.unknown) - self._tried:
            reason = Message(
                "This text cannot be shown: the model's attention uses {names} here, which it did not when it "
                "was opened.",
                names=", ".join(sorted(untried)),
            )
            raise InputError(reason)
        site = sites[self._fired[module] % len(sites)]
        self._fired[module] += 1
        return site

    def leave(self, site: Site, context: Tensor, values: Tensor) -> None:
        """Take note of what the heads of `site` have read, and of what.

        Shapes: `context` [batch, query, head, d_head]; `values` [batch, head, key, d_head].
        """
        self._current = site, values

    def projected(self) -> tuple[Site, Tensor] | None:
        """Return the site whose heads were read last, and its values; once, and None if there is none."""
        found, self._current = self._current, None
        return found

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """Return q k', [batch, head, query, key], in memory that the next layer's scores are written into.

        Shapes: `query` [batch, head, query, d_head]; `key` [batch, head, key, d_head].
        """
        shape = (*query.shape[:-1], key.shape[-2])
        if self._spare is None or self._spare.shape != shape:
            self._spare = query.new_empty(shape)
        return torch.matmul(query, key.mT, out=self._spare)

    def is_long_causal(self, mask: Tensor | None, query: Tensor) -> bool:
        """Return whether `mask` lets each of many queries, [batch, head, query, d_head], read the keys up to itself.

        Shapes: `mask` [1, 1, query, key]; `query` [batch, head, query, d_head].
        """
        count = query.shape[-2]
        if count < LONG or mask is None or mask.shape != (1, 1, count, count) or query.dtype != torch.float32:
            return False
        if self._causal is None or self._causal[0] is not mask:
            self._causal = mask, torch.equal(mask[0, 0], causal_mask(count, device=mask.device))
        return self._causal[1]

    def check(self) -> None:
        """Raise CaptureError if a layer has not fired, or not as often as it should."""
        for module, sites in self._places.items():
            if self._fired[module] != len(sites):
                names = ", ".join(map(str, sites))
                message = CountMessage(
                    "{names}: fired {count} time; expected {expected}. Load the model again.",
                    "{names}: fired {count} times; expected {expected}. Load the model again.",
                    self._fired[module],
                    names=names,
                    expected=len(sites),
                )
                raise CaptureError(message)


_RUN: ContextVar[PretrainedRun | None] = ContextVar("pretrained_run", default=None)


def current_run() -> PretrainedRun | None:
    """Return the run open in this context, if there is one."""
    return _RUN.get()


@contextmanager
def running(run: PretrainedRun) -> Iterator[PretrainedRun]:
    """Let the modules of this context report to `run` while the block runs."""
    token = _RUN.set(run)
    try:
        yield run
    finally:
        _RUN.reset(token)
