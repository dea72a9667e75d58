"""The equations of attention as pure functions: what the networks call, at every step.

From scores to weights: `models.softmax.masked_softmax`. From there to a context: `weighted_sum`.

Symbols, everywhere: h encoder state, s decoder state, e score, a weight, c context.
Axes, everywhere: ``[batch, head, query, key]``; functions here take any leading axes (``...``).
A mask is boolean, True where a query may read a key, and broadcasts against the scores.

References
----------
Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate.
Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation.
Gehring et al. 2017, Convolutional Sequence to Sequence Learning.
Vaswani et al. 2017, Attention Is All You Need.
Shaw, Uszkoreit and Vaswani 2018, Self-Attention with Relative Position Representations.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from models.softmax import full_precision

Show = Callable[[Tensor], Tensor]
"""Shows a quantity to whoever looks, and returns what to go on with: the same, or what an edit made of it."""


def unshown(values: Tensor) -> Tensor:
    """Return `values`: what stands in the place of a hook where nobody looks.

    Parameters
    ----------
    values : Tensor
    """
    return values


def additive_scores(
    projected_query: Tensor, projected_key: Tensor, score_vector: Tensor, *, show: Show = unshown
) -> Tensor:
    """Return e_ij = v' tanh(W s_(i-1) + U h_j), Bahdanau et al. 2015, appendix A.1.2.

    Parameters
    ----------
    projected_query : Tensor, [..., query, d_attention]
        W s_(i-1), of each decoder state that reads.
    projected_key : Tensor, [..., key, d_attention]
        U h_j, of each encoder state; the same at every step, so that it is worked out once.
    score_vector : Tensor, [d_attention]
        v of the paper.
    show : callable, optional
        The hook on the hidden layer tanh(W s + U h), [..., query, key, d_attention].

    Returns
    -------
    Tensor, [..., query, key]

    Examples
    --------
    >>> additive_scores(torch.zeros(1, 2), torch.zeros(3, 2), torch.ones(2)).tolist()
    [[0.0, 0.0, 0.0]]
    """
    features = show(torch.tanh(projected_query.unsqueeze(-2) + projected_key.unsqueeze(-3)))
    return features @ score_vector.to(features.dtype)


def dot_scores(query: Tensor, key: Tensor) -> Tensor:
    """Return e_ts = s_t' h_s, Luong et al. 2015, section 3.1, dot.

    Parameters
    ----------
    query : Tensor, [..., query, d]
        s_t.
    key : Tensor, [..., key, d]
        h_s.

    Returns
    -------
    Tensor, [..., query, key]
    """
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


def concat_scores(
    projected_query: Tensor, projected_key: Tensor, score_vector: Tensor, *, show: Show = unshown
) -> Tensor:
    """Return e_ts = v_a' tanh(W_a [s_t; h_s]), Luong et al. 2015, section 3.1, concat.

    W_a [s_t; h_s] is the sum of two products: that of the left columns of W_a with s_t and that of the right ones with
    h_s. So the formula is Bahdanau's; what differs is the data flow around it.

    Parameters
    ----------
    projected_query : Tensor, [..., query, d_attention]
        The left columns of W_a on s_t.
    projected_key : Tensor, [..., key, d_attention]
        The right columns of W_a on h_s.
    score_vector : Tensor, [d_attention]
        v_a.
    show : callable, optional
        The hook on the hidden layer tanh(W_a [s_t; h_s]), [..., query, key, d_attention].

    Returns
    -------
    Tensor, [..., query, key]
    """
    return additive_scores(projected_query, projected_key, score_vector, show=show)


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


def monotonic_positions(steps: Tensor, lengths: Tensor) -> Tensor:
    """Return p_t = t, Luong et al. 2015, section 3.2, local-m; here min(t, S - 1), so that no window is empty.

    Parameters
    ----------
    steps : Tensor, [query]
        t, from 0.
    lengths : Tensor that broadcasts to [..., query]
        S.

    Returns
    -------
    Tensor, [..., query]
    """
    return torch.minimum(steps, lengths - 1)


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
    """Return q k' / sqrt(d_head), Vaswani et al. 2017, equation 1.

    Parameters
    ----------
    query : Tensor, [..., query, d_head]
    key : Tensor, [..., key, d_head]

    Returns
    -------
    Tensor, [..., query, key]
    """
    return query @ key.mT / math.sqrt(query.shape[-1])


def weighted_sum(weights: Tensor, values: Tensor) -> Tensor:
    """Return c_i = sum_j a_ij h_j, Bahdanau et al. 2015, equation 5; a Transformer has values v_j in the place of h_j.

    Parameters
    ----------
    weights : Tensor, [..., query, key]
        a, never in half precision.
    values : Tensor, [..., key, d]
        h, or v.

    Returns
    -------
    Tensor, [..., query, d]
        Of the precision of `values`.
    """
    return weights.to(values.dtype) @ values


def variance_kept(context: Tensor, lengths: Tensor) -> Tensor:
    """Return m sqrt(1 / m) c_i, Gehring et al. 2017, section 3.5: a mean of m vectors varies less than each of them.

    Parameters
    ----------
    context : Tensor, [..., query, d]
    lengths : Tensor that broadcasts to `context`
        m, the tokens of the source.

    Returns
    -------
    Tensor, [..., query, d]
    """
    return context * lengths.sqrt()


def clipped_distances(queries: int, keys: int, reach: int, first_query: int = 0) -> Tensor:
    """Return clip(j - i, -k, k) + k, the row of a table by distance, Shaw et al. 2018, section 3.2.

    Parameters
    ----------
    queries, keys : int
    reach : int
        k of the paper: what lies further away counts as k tokens away.
    first_query : int, optional
        Absolute position of the first query; that of the first key is 0.

    Returns
    -------
    int64 Tensor, [query, key]
        From 0, the farthest on the left, to 2 k, the farthest on the right.

    Examples
    --------
    >>> clipped_distances(2, 4, 1).tolist()
    [[1, 2, 2, 2], [0, 1, 2, 2]]
    """
    here = torch.arange(first_query, first_query + queries)[:, None]
    return (torch.arange(keys) - here).clamp(-reach, reach) + reach


def _all_by(values: Tensor, matrix: Tensor) -> Tensor:
    """Return x M for every x of [..., d], always as one product: torch else chooses by whether gradients are wanted."""
    return (values.reshape(-1, values.shape[-1]) @ matrix).view(*values.shape[:-1], -1)


def distance_scores(query: Tensor, vectors: Tensor, distances: Tensor) -> Tensor:
    """Return q_i a^K_ij / sqrt(d_head), what distance adds to a score, Shaw et al. 2018, section 3.3, equation 5.

    Each query is multiplied with the vector of each distance once; what each key gets is looked up.

    Parameters
    ----------
    query : Tensor, [batch, head, query, d_head]
    vectors : Tensor, [distance, d_head]
        a^K, by `clipped_distances`.
    distances : int64 Tensor, [query, key]

    Returns
    -------
    Tensor, [batch, head, query, key]
    """
    by_distance = _all_by(query, vectors.mT) / math.sqrt(query.shape[-1])  # [batch, head, query, distance]
    return by_distance.gather(-1, distances.expand(*by_distance.shape[:-2], *distances.shape))


def distance_context(weights: Tensor, vectors: Tensor, distances: Tensor) -> Tensor:
    """Return sum_j a_ij a^V_ij, what distance adds to a context, Shaw et al. 2018, section 3.1, equation 3.

    The weights of the keys at one distance are summed first.

    Parameters
    ----------
    weights : Tensor, [batch, head, query, key]
    vectors : Tensor, [distance, d_head]
        a^V, by `clipped_distances`.
    distances : int64 Tensor, [query, key]

    Returns
    -------
    Tensor, [batch, head, query, d_head]
        Of the precision of `vectors`.
    """
    by_distance = weights.new_zeros((*weights.shape[:-1], len(vectors)))
    by_distance = by_distance.scatter_add(-1, distances.expand(weights.shape), weights)
    return _all_by(by_distance.to(vectors.dtype), vectors)


def split_heads(values: Tensor, heads: int) -> Tensor:
    """Return the part of each token's vector that each head reads.

    Parameters
    ----------
    values : Tensor, [batch, token, d_model]
    heads : int

    Returns
    -------
    Tensor, [batch, head, token, d_head]
        d_head = d_model / heads.
    """
    batch, token, d_model = values.shape
    return values.view(batch, token, heads, d_model // heads).transpose(1, 2)


def merge_heads(values: Tensor) -> Tensor:
    """Return the heads' vectors of each token side by side: the inverse of `split_heads`.

    Parameters
    ----------
    values : Tensor, [batch, head, token, d_head]

    Returns
    -------
    Tensor, [batch, token, head * d_head]
    """
    batch, heads, token, d_head = values.shape
    return values.transpose(1, 2).reshape(batch, token, heads * d_head)
