"""The attention of transformers models, written out: every quantity goes past the same hooks as in our own networks.

An attention function and its mask function stand under one name in the public registries of transformers. Without
the mask function, causal and sliding-window masks would be lost without a word. A model takes part only if it was
loaded under that name; a call outside of a run computes the same and shows nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface

from models.hooks import current_session, observe
from models.huggingface.linear import matrix_of
from models.huggingface.run import Facts, current_run
from models.messages import Message
from models.networks.attention import weighted_sum
from models.networks.moved import value_gram
from models.sites import VALUE_GRAM, Site
from models.softmax import FullyMaskedRowError, causal_weights, full_precision, masked_softmax
from models.vocabulary import FIRST_POSITION

NAME = "attention_bench"
"""What `attn_implementation` is called for a model that is observed."""

HARMLESS = frozenset(
    (
        *("dropout", "is_causal", "position_ids", "cache_position", "cu_seq_lens_q", "cu_seq_lens_k"),
        *("max_length_q", "max_length_k", "num_items_in_batch", "output_attentions", "output_hidden_states"),
        *("output_router_logits", "return_dict", "use_cache", "deterministic", "target_dtype", "token_type_ids"),
    )
)
"""Arguments of the attention call that change no weights: the mask has what they say, or other kernels need them."""

_MASKS = AttentionMaskInterface()  # type: ignore[no-untyped-call]


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
    sinks: Tensor | None = None,
    indices: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, None]:
    """Return what the heads read, as the attention interface of transformers wants it; no dropout.

    Shapes: `query` [batch, head, query, d_head]; `key` [batch, key head, key, d_head]; `value` [batch, key head, key,
    d_head]; `attention_mask` [batch, head, query, key]; `s_aux` [head]; `sinks` [batch, head, query, 1]; `indices`
    [batch, query, count]; returns [batch, query, head, d_head].
    """
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    run = current_run()
    site = None
    if run is not None:
        facts = Facts.of(query, key, scale, softcap, sliding_window)
        biased, has_sinks = position_bias is not None, s_aux is not None or sinks is not None
        unknown = tuple(name for name, value in others.items() if value is not None and name not in HARMLESS)
        facts = replace(facts, biased=biased, sinks=has_sinks, sparse=indices is not None, unknown=unknown)
        site = run.enter(module, facts)
    groups = query.shape[1] // key.shape[1]
    query = _show(site, "query", query)
    key = _show(site, "key", key.repeat_interleave(groups, dim=1) if groups > 1 else key)
    value = _show(site, "value", value.repeat_interleave(groups, dim=1) if groups > 1 else value)
    mask = attention_mask if indices is None else _only(indices, attention_mask, key)
    outlet = s_aux.reshape(1, -1, 1, 1) if s_aux is not None else sinks
    weights = _weigh(site, query, key, mask, scale, softcap=softcap, added=position_bias, sinks=outlet)
    context = _show(site, "context", weighted_sum(weights, value))  # [batch, head, query, d_head]
    joined = context.transpose(1, 2).contiguous()  # [batch, query, head, d_head]
    if run is not None and site is not None:
        new = value[:, :, -joined.shape[1] :] if site.kind == "self" else value  # of a cache those not shown before
        run.leave(site, joined, new)
    return joined, None


def _weigh(
    site: Site | None,
    query: Tensor,
    key: Tensor,
    given_mask: Tensor | None,
    scale: float,
    *,
    softcap: float | None,
    added: Tensor | None,
    sinks: Tensor | None,
) -> Tensor:
    """Return the weights, [batch, head, query, key], with hooks on scores, mask and weights."""
    run = current_run()
    passing = run is not None and site is not None and _pass_unseen(site)
    mask, bias = _split_mask(given_mask)
    plain = softcap is None and added is None and bias is None and sinks is None
    if run is not None and passing and plain and run.is_long_causal(mask, query):
        return _show(site, "weights", causal_weights(query, key, scale=scale))
    scores = run.scores(query, key).mul_(scale) if run is not None and passing else query @ key.mT * scale
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    if added is not None:
        scores = scores + added
    scores = _show(site, "scores", scores if bias is None else scores + bias)
    seen = _show_mask(site, scores, mask)
    return _show(site, "weights", _softmax(site, scores, seen, sinks, overwrite=passing))


def observed_mask(*args: Any, **kwargs: Any) -> Tensor | None:
    """Return the mask of `sdpa`, [batch, 1, query, key], True where a query may read a key; in full if causal.

    sdpa itself leaves a causal mask out where a flag of its kernel says the same; the attention here has no such flag.
    """
    mask: Tensor | None = _MASKS["sdpa"](*args, **kwargs | {"allow_is_causal_skip": False})
    return mask


def show_output(module: nn.Module, _inputs: Any, output: Tensor) -> Tensor | None:
    """Show what an output projection gave and makes of each value; a forward hook, idle outside of a run.

    Shapes: `output` [batch, query, d_model]; returns [batch, query, d_model].
    """
    run = current_run()
    found, session = None if run is None else run.projected(), current_session()
    if found is None or session is None:
        return None
    site, values = found
    gram = site.at(VALUE_GRAM)
    if session.wants(gram) and (weight := matrix_of(module)) is not None:
        observe(gram, value_gram(values, weight))
    if not session.wants(site.at("output")):
        return None
    return observe(site.at("output"), output[:, None], copy=True)[:, 0]


def show_vectors(_module: nn.Module, _inputs: Any, output: Any) -> None:
    """Keep a network's last hidden states, [batch, token, d_model]; a forward hook, idle outside of a run."""
    run = current_run()
    if run is not None:
        run.vectors = full_precision(output[0].detach()).cpu()


def _show(site: Site | None, quantity: str, values: Tensor) -> Tensor:
    return values if site is None else observe(site.at(quantity), values)


def _split_mask(mask: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """Split a mask into where a query may read and what is added there; None for what it does not say."""
    if mask is None or mask.dtype == torch.bool:
        return mask, None
    allowed = mask > torch.finfo(mask.dtype).min / 2
    bias = mask.masked_fill(~allowed, 0)
    return allowed, bias if bool(bias.any()) else None


def _only(indices: Tensor, mask: Tensor | None, key: Tensor) -> Tensor:
    """Return `mask` narrowed to the keys that `indices`, [batch, query, count], name; below 0 stands for none."""
    chosen = torch.zeros(*indices.shape[:-1], key.shape[2] + 1, dtype=torch.bool, device=key.device)
    places = indices.long()
    chosen = chosen.scatter(-1, places.where(places >= 0, key.shape[2]), value=True)[..., :-1].unsqueeze(1)
    if mask is None or mask.dtype == torch.bool:
        return chosen if mask is None else mask & chosen
    return mask.masked_fill(~chosen, torch.finfo(mask.dtype).min)


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
        column = sinks.expand(*scores.shape[:-1], 1)
        scores = torch.cat((scores, column.to(scores.dtype)), dim=-1)  # [batch, head, query, key + 1]
        if mask is not None:
            open_ = torch.ones((*mask.shape[:-1], 1), dtype=torch.bool, device=mask.device)
            mask = torch.cat((mask, open_), dim=-1)
    try:
        return masked_softmax(scores, mask, overwrite=overwrite)[..., :keys]
    except FullyMaskedRowError as error:
        row = error.row + FIRST_POSITION
        message = Message("{site}: query {row} has no key to attend to; leave at least one", site=site, row=row)
        raise FullyMaskedRowError(message, error.row) from error


AttentionInterface.register(NAME, observed_attention)
AttentionMaskInterface.register(NAME, observed_mask)
