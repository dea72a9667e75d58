"""The attention of transformers models, written out: every quantity goes past the same hooks as in our own networks.

An attention function and its mask function stand under one name in the public registries of transformers. Without
the mask function, causal and sliding-window masks would be lost without a word. A model takes part only if it was
loaded under that name; a call outside of a run computes the same and shows nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface

from models.hooks import CaptureError, current_session, observe
from models.messages import CountMessage, Message
from models.sites import Site
from models.softmax import FullyMaskedRowError, causal_mask, causal_weights, masked_softmax

NAME = "attention_bench"
"""What `attn_implementation` is called for a model that is observed."""

LONG = 256
"""Queries from which causal attention is worked out in blocks, which leave out what lies ahead."""

_MASKS = AttentionMaskInterface()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Facts:
    """What one call of the attention function was given, beside the states.

    Parameters
    ----------
    queries, keys : int
        Tokens that read and that are read.
    heads, key_heads : int
        Query heads, and the key-value heads that they share.
    d_head : int
    scale : float
        What q k' is multiplied by.
    softcap : float or None
        c of c tanh(score / c), Gemma 2.
    window : int or None
        How many tokens a sliding window spans.
    biased, sinks : bool
        Whether a position bias is added to the scores, and whether an outlet without a key takes part in the softmax.
    """

    queries: int
    keys: int
    heads: int
    key_heads: int
    d_head: int
    scale: float
    softcap: float | None
    window: int | None
    biased: bool
    sinks: bool


class Run:
    """One pass through a network: tells each attention module its site, and checks that every layer has fired.

    Parameters
    ----------
    places : mapping of module to tuple of Site
        The sites of each attention module, in the order of its firings: several where one module serves many layers.
    """

    def __init__(self, places: Mapping[nn.Module, tuple[Site, ...]]) -> None:
        self.vectors: Tensor | None = None
        """The final vectors of the tokens read, [batch, token, d_model]."""
        self._places = places
        self._fired: Counter[nn.Module] = Counter()
        self._current: Site | None = None
        self._spare: Tensor | None = None
        self._causal: tuple[Tensor, bool] | None = None

    def enter(self, module: nn.Module, facts: Facts) -> Site:
        """Return the site at which `module` fires now."""
        sites = self._places.get(module)
        if sites is None:
            message = CountMessage(
                "{layer} with {count} head fired, which it did not when it was loaded",
                "{layer} with {count} heads fired, which it did not when it was loaded",
                facts.heads,
                layer=type(module).__name__,
            )
            raise CaptureError(message)
        site = sites[self._fired[module] % len(sites)]
        self._fired[module] += 1
        return site

    def leave(self, site: Site, context: Tensor) -> None:
        """Take note of what the heads of `site` have read, [batch, query, head, d_head]."""
        self._current = site

    def projected(self) -> Site | None:
        """Return the site whose heads were read last; once, and None if there is none."""
        site, self._current = self._current, None
        return site

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        """Return q k', [batch, head, query, key], in memory that the next layer's scores are written into."""
        shape = (*query.shape[:-1], key.shape[-2])
        if self._spare is None or self._spare.shape != shape:
            self._spare = query.new_empty(shape)
        return torch.matmul(query, key.mT, out=self._spare)

    def is_long_causal(self, mask: Tensor | None, query: Tensor) -> bool:
        """Return whether `mask` lets each of many queries, [batch, head, query, d_head], read the keys up to itself."""
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


_RUN: ContextVar[Run | None] = ContextVar("pretrained_run", default=None)


def current_run() -> Run | None:
    """Return the run open in this context, if there is one."""
    return _RUN.get()


@contextmanager
def running(run: Run) -> Iterator[Run]:
    """Let the modules of this context report to `run` while the block runs."""
    token = _RUN.set(run)
    try:
        yield run
    finally:
        _RUN.reset(token)


def observed_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    scaling: float | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    position_bias: Tensor | None = None,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Return what the heads read, as the attention interface of transformers wants it; no dropout.

    Parameters
    ----------
    module : nn.Module
        The attention layer that calls.
    query : Tensor, [batch, head, query, d_head]
    key, value : Tensor, [batch, key head, key, d_head]
        Shared by equal groups of query heads; repeated here, once a query head.
    attention_mask : Tensor that broadcasts to [batch, head, query, key], or None
        bool, True where a query may read a key; or what is added to the scores, the lowest number where it may not.
    scaling : float, optional
        1 / sqrt(d_head) if left out.
    softcap : float, optional
    s_aux : Tensor, [head], optional
        One logit a head that takes part in the softmax and stands for no key.
    position_bias : Tensor that broadcasts to the scores, optional
    sliding_window : int, optional
        Only reported: the mask holds it.

    Returns
    -------
    context : Tensor, [batch, query, head, d_head]
    None
        The weights go to the open session instead.
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    run = _RUN.get()
    site = None
    if run is not None:
        facts = Facts(
            queries=query.shape[2],
            keys=key.shape[2],
            heads=query.shape[1],
            key_heads=key.shape[1],
            d_head=query.shape[-1],
            scale=scale,
            softcap=softcap,
            window=sliding_window,
            biased=position_bias is not None,
            sinks=s_aux is not None,
        )
        site = run.enter(module, facts)
    groups = query.shape[1] // key.shape[1]
    query = _show(site, "query", query)
    key = _show(site, "key", key.repeat_interleave(groups, dim=1) if groups > 1 else key)
    value = _show(site, "value", value.repeat_interleave(groups, dim=1) if groups > 1 else value)
    passing = run is not None and site is not None and _pass_unseen(site)
    mask, bias = _split_mask(attention_mask)
    added = softcap is not None or position_bias is not None or bias is not None or s_aux is not None
    if run is not None and passing and not added and run.is_long_causal(mask, query):
        weights = causal_weights(query, key, scale=scale)
    else:
        scores = run.scores(query, key).mul_(scale) if run is not None and passing else query @ key.mT * scale
        if softcap is not None:
            scores = torch.tanh(scores / softcap) * softcap
        if position_bias is not None:
            scores = scores + position_bias
        scores = _show(site, "scores", scores if bias is None else scores + bias)
        seen = _show_mask(site, scores, mask)
        weights = _softmax(site, scores, seen, s_aux, overwrite=passing)
    weights = _show(site, "weights", weights)
    context = _show(site, "context", weights.to(value.dtype) @ value)  # [batch, head, query, d_head]
    joined = context.transpose(1, 2).contiguous()  # [batch, query, head, d_head]
    if run is not None and site is not None:
        run.leave(site, joined)
    return joined, None


def observed_mask(*args: Any, **kwargs: Any) -> Tensor | None:
    """Return the mask of `sdpa`, [batch, 1, query, key], True where a query may read a key; in full if causal.

    sdpa itself leaves a causal mask out where a flag of its kernel says the same; the attention here has no such flag.
    """
    mask: Tensor | None = _MASKS["sdpa"](*args, **kwargs | {"allow_is_causal_skip": False})
    return mask


def show_output(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor | None:
    """Show what an output projection gave, [batch, query, d_model]; a forward hook, idle outside of a run."""
    run = _RUN.get()
    site = None if run is None else run.projected()
    session = current_session()
    if site is None or session is None or not session.wants(site.at("output")):
        return None
    return observe(site.at("output"), output[:, None], copy=True)[:, 0]


def show_vectors(_module: nn.Module, _inputs: Any, output: Any) -> None:
    """Keep a network's last hidden states, [batch, token, d_model]; a forward hook, idle outside of a run."""
    run = _RUN.get()
    if run is not None:
        run.vectors = output[0].detach()


def _show(site: Site | None, quantity: str, values: Tensor) -> Tensor:
    return values if site is None else observe(site.at(quantity), values)


def _split_mask(mask: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """Split a mask into where a query may read and what is added there; None for what it does not say."""
    if mask is None or mask.dtype == torch.bool:
        return mask, None
    allowed = mask > torch.finfo(mask.dtype).min / 2
    bias = mask.masked_fill(~allowed, 0)
    return allowed, bias if bool(bias.any()) else None


def _show_mask(site: Site | None, scores: Tensor, mask: Tensor | None) -> Tensor | None:
    session = current_session()
    if site is None or session is None or not session.wants(site.at("mask")):
        return mask
    full = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape).clone()
    return observe(site.at("mask"), full)


def _pass_unseen(site: Site) -> bool:
    """Return whether nobody keeps or edits scores or mask of `site`, nor asks for gradients: memory can be reused."""
    session = current_session()
    watched = session is not None and any(session.wants(site.at(quantity)) for quantity in ("scores", "mask"))
    return torch.is_inference_mode_enabled() and not watched


def _softmax(
    site: Site | None, scores: Tensor, mask: Tensor | None, sinks: Tensor | None, *, overwrite: bool
) -> Tensor:
    """Return the weights, [batch, head, query, key]: with sinks, what is left beside the share that they take."""
    keys = scores.shape[-1]
    if sinks is not None:
        column = sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
        scores = torch.cat((scores, column.to(scores.dtype)), dim=-1)  # [batch, head, query, key + 1]
        if mask is not None:
            open_ = torch.ones((*mask.shape[:-1], 1), dtype=torch.bool, device=mask.device)
            mask = torch.cat((mask, open_), dim=-1)
    try:
        return masked_softmax(scores, mask, overwrite=overwrite)[..., :keys]
    except FullyMaskedRowError as error:
        message = Message("{site}: query {row} may read no key; leave it at least one", site=site, row=error.row)
        raise FullyMaskedRowError(message, error.row) from error


AttentionInterface.register(NAME, observed_attention)
AttentionMaskInterface.register(NAME, observed_mask)
