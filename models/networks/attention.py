"""The equations of attention as pure functions, with masks.

Symbols, everywhere: h encoder state, s decoder state, e score, a weight, c context.
Axes, everywhere: ``[batch, head, query, key]``; functions here take any leading axes (``...``).
A mask is boolean, True where a query may read a key, and broadcasts against the scores.

References
----------
Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate.
Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation.
Vaswani et al. 2017, Attention Is All You Need.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from models.softmax import full_precision


def additive_features(query: Tensor, key: Tensor, query_weight: Tensor, key_weight: Tensor) -> Tensor:
    """Return tanh(W s + U h), the hidden layer of the additive score, for each pair of query and key.

    Parameters
    ----------
    query : Tensor, [..., query, d_query]
        Decoder states s.
    key : Tensor, [..., key, d_key]
        Encoder states h.
    query_weight : Tensor, [d_attention, d_query]
        W of Bahdanau et al. 2015, appendix A.1.2.
    key_weight : Tensor, [d_attention, d_key]
        U of the same.

    Returns
    -------
    Tensor, [..., query, key, d_attention]
    """
    projected_query = query @ query_weight.mT  # [..., query, d_attention]
    projected_key = key @ key_weight.mT  # [..., key, d_attention]
    return additive_features_of_projections(projected_query, projected_key)


def additive_features_of_projections(projected_query: Tensor, projected_key: Tensor) -> Tensor:
    """Return tanh(a + b) for each pair of a row of W s and a row of U h: [..., query, key, d_attention]."""
    return torch.tanh(projected_query.unsqueeze(-2) + projected_key.unsqueeze(-3))


def additive_scores(
    query: Tensor, key: Tensor, query_weight: Tensor, key_weight: Tensor, score_vector: Tensor
) -> Tensor:
    """Return e_ij = v' tanh(W s_(i-1) + U h_j), Bahdanau et al. 2015, appendix A.1.2.

    Parameters
    ----------
    query, key, query_weight, key_weight
        See `additive_features`.
    score_vector : Tensor, [d_attention]
        v of the paper.

    Returns
    -------
    Tensor, [..., query, key]
    """
    return additive_features(query, key, query_weight, key_weight) @ score_vector


def additive_scores_joined(query: Tensor, key: Tensor, weight: Tensor, score_vector: Tensor) -> Tensor:
    """Return the additive score in its other written form, v' tanh(W [h; s]), with one W on both.

    Equal to `additive_scores` with ``W = [U W]``: its first d_key columns act on h, the others on s.

    Parameters
    ----------
    query : Tensor, [..., query, d_query]
    key : Tensor, [..., key, d_key]
    weight : Tensor, [d_attention, d_key + d_query]
    score_vector : Tensor, [d_attention]

    Returns
    -------
    Tensor, [..., query, key]
    """
    pair = (*query.shape[:-1], key.shape[-2])
    states = key.unsqueeze(-3).expand(*pair, key.shape[-1])  # [..., query, key, d_key]
    readers = query.unsqueeze(-2).expand(*pair, query.shape[-1])  # [..., query, key, d_query]
    return torch.tanh(torch.cat((states, readers), dim=-1) @ weight.mT) @ score_vector


def dot_scores(query: Tensor, key: Tensor) -> Tensor:
    """Return e_ts = s_t' h_s, Luong et al. 2015, section 3.1, dot: [..., query, key]."""
    return query @ key.mT


def general_scores(query: Tensor, key: Tensor, weight: Tensor) -> Tensor:
    """Return e_ts = s_t' W_a h_s, Luong et al. 2015, section 3.1, general.

    Parameters
    ----------
    query : Tensor, [..., query, d_query]
    key : Tensor, [..., key, d_key]
    weight : Tensor, [d_query, d_key]

    Returns
    -------
    Tensor, [..., query, key]
    """
    return query @ weight @ key.mT


def concat_scores(query: Tensor, key: Tensor, weight: Tensor, score_vector: Tensor) -> Tensor:
    """Return e_ts = v_a' tanh(W_a [s_t; h_s]), Luong et al. 2015, section 3.1, concat.

    The formula is Bahdanau's with s before h; what differs is the data flow around it.

    Parameters
    ----------
    query : Tensor, [..., query, d_query]
    key : Tensor, [..., key, d_key]
    weight : Tensor, [d_attention, d_query + d_key]
    score_vector : Tensor, [d_attention]

    Returns
    -------
    Tensor, [..., query, key]
    """
    query_weight, key_weight = weight[:, : query.shape[-1]], weight[:, query.shape[-1] :]
    return additive_scores(query, key, query_weight, key_weight, score_vector)


def location_scores(by_position: Tensor, source: int) -> Tensor:
    """Return e_t = W_a s_t, one score a source position, Luong et al. 2015, section 3.1, equation 8 (location).

    Parameters
    ----------
    by_position : Tensor, [..., query, max_source]
        W_a s_t.
    source : int
        S: the first S scores are used.

    Returns
    -------
    Tensor, [..., query, source]
        0 at positions that W_a has no row for: a mask must hide them.
    """
    scores = by_position[..., :source]
    return torch.nn.functional.pad(scores, (0, source - scores.shape[-1]))


def predicted_positions(projected_query: Tensor, vector: Tensor, lengths: Tensor) -> Tensor:
    """Return p_t = S sigmoid(v_p' tanh(W_p s_t)), Luong et al. 2015, section 3.2, equation 9.

    Parameters
    ----------
    projected_query : Tensor, [..., query, d_position]
        W_p s_t.
    vector : Tensor, [d_position]
        v_p.
    lengths : Tensor that broadcasts to [..., query]
        S.

    Returns
    -------
    Tensor, [..., query]
        From 0 to S, never in half precision.
    """
    share = torch.tanh(projected_query) @ vector.to(projected_query.dtype)
    return lengths * torch.sigmoid(full_precision(share))


def in_window(centre: Tensor, width: Tensor, source: int) -> Tensor:
    """Return |s - p_t| <= D for the positions s = 0 ... source - 1, Luong et al. 2015, section 3.2.

    Parameters
    ----------
    centre, width : Tensor, [..., query, 1]
        p_t and D.
    source : int

    Returns
    -------
    bool Tensor, [..., query, source]
    """
    return (torch.arange(source, device=centre.device) - centre).abs() <= width


def gaussian(centre: Tensor, width: Tensor, source: int) -> Tensor:
    """Return exp(-(s - p_t)^2 / (2 sigma^2)), sigma = D / 2, Luong et al. 2015, section 3.2, equation 10.

    With D = 0, a window of one position, it is that of a very small D: 1 at the centre.

    Parameters
    ----------
    centre, width : Tensor, [..., query, 1]
        p_t and D.
    source : int

    Returns
    -------
    Tensor, [..., query, source]
    """
    sigma = (width / 2).clamp(min=1e-3)
    distance = torch.arange(source, device=centre.device) - centre
    return torch.exp(-(distance**2) / (2 * sigma**2))


def scaled_dot_scores(query: Tensor, key: Tensor) -> Tensor:
    """Return q k' / sqrt(d_head), Vaswani et al. 2017, equation 1: [..., query, key]."""
    return query @ key.mT / math.sqrt(query.shape[-1])


def split_heads(values: Tensor, heads: int) -> Tensor:
    """Turn [batch, token, d_model] into [batch, head, token, d_head], d_head = d_model / heads."""
    batch, token, d_model = values.shape
    return values.view(batch, token, heads, d_model // heads).transpose(1, 2)


def merge_heads(values: Tensor) -> Tensor:
    """Turn [batch, head, token, d_head] back into [batch, token, head * d_head]."""
    batch, heads, token, d_head = values.shape
    return values.transpose(1, 2).reshape(batch, token, heads * d_head)
