"""The equations of attention as pure functions: what the networks call, at every step.

From scores to weights: `models.softmax.masked_softmax`. From there to a context: `weighted_sum`. What Luong's local
attention reads through stands in `models.networks.windows`, what distance adds in `models.networks.distances`.

Symbols, everywhere: h encoder state, s decoder state, e score, a weight, c context.
Axes, everywhere: ``[batch, head, query, key]``; functions here take any leading axes (``...``).
A mask is boolean, True where a query may read a key, and broadcasts against the scores.

References
----------
Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate.
Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation.
Gehring et al. 2017, Convolutional Sequence to Sequence Learning.
Vaswani et al. 2017, Attention Is All You Need.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

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
