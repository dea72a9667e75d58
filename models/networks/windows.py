"""Where local attention reads: a centre, a window around it and a Gaussian, as pure functions.

Symbols: p_t the centre, D half the width of the window, s a position of the source, S its length.

References
----------
Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation, section 3.2.
"""

from __future__ import annotations

import torch
from torch import Tensor

from models.softmax import full_precision


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
