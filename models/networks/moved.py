"""How long the values are that attention adds up, after the matrix that their sum passes through first.

What key j moves into a query's vector by head h is a_ij f(x_j), f(x) = (x W^V + b^V) W^O, Kobayashi et al. 2020,
section 2: its length is a_ij |f(x_j)|, and that of all heads together |sum_h a_ij f_h(x_j)|, section 3. Both follow
from the weights and the Gram matrix of the vectors f_h(x_j) of each key, which is small.

References
----------
Kobayashi, Kuribayashi, Yokoi and Inui 2020, Attention is Not Only a Weight: Analyzing Transformers with Vector Norms.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from models.hooks import HookPoint
from models.hooks.session import OPEN
from models.sites import VALUE_GRAM, Site
from models.softmax import full_precision

KEYS_AT_ONCE = 64


def value_gram(values: Tensor, weight: Tensor | None = None) -> Tensor:
    """Return f_g(x_j)' f_h(x_j) of every two heads, Kobayashi et al. 2020, section 2.

    Parameters
    ----------
    values : Tensor, [batch, head, key, d_value]
        v, before W_O.
    weight : Tensor, [d_model, head * d_value], optional
        W_O as `torch.nn.Linear` has it; the identity if left out.

    Returns
    -------
    Tensor, [batch, head, key, head]
        Never in half precision.

    Examples
    --------
    >>> value_gram(torch.tensor([[[[3.0, 4.0]]]])).item()
    25.0
    """
    heads, keys, d_value = values.shape[1:]
    blocks = None
    if weight is not None:
        blocks = full_precision(weight).reshape(-1, heads, d_value).permute(1, 2, 0)  # [head, d_value, d_model]
    found = []
    for start in range(0, keys, KEYS_AT_ONCE):
        part = full_precision(values[:, :, start : start + KEYS_AT_ONCE])
        vectors = part.transpose(1, 2) if blocks is None else _mapped(part, blocks)  # [batch, key, head, d_model]
        found.append((vectors @ vectors.mT).transpose(1, 2))
    return torch.cat(found, dim=2) if found else values.new_zeros((*values.shape[:3], heads))


def _mapped(values: Tensor, blocks: Tensor) -> Tensor:
    """Return [batch, key, head, d_model] for `values`, [batch, head, key, d_value]; no block is copied for each text.

    Shapes: `values` [batch, head, key, d_value]; `blocks` [head, d_value, d_model].
    """
    batch, heads, keys, _ = values.shape
    by_head = values.transpose(0, 1).flatten(1, 2) @ blocks  # [head, batch * key, d_model]
    return by_head.view(heads, batch, keys, -1).permute(1, 2, 0, 3)


class GramPoint(HookPoint):
    """A hook point of `value_gram`, which is computed for a session that wants it alone."""

    def __init__(self, place: Site) -> None:
        super().__init__(place.at(VALUE_GRAM))

    def show(self, values: Tensor, weight: Tensor | None = None, first_key: int = 0) -> None:
        """Show how long `values`, [batch, head, key, d_value], are after `weight`.

        Shapes: `values` [batch, head, key, d_value]; `weight` [d_model, head * d_value].
        """
        self._show(values, lambda every: value_gram(every, weight), first_key)

    def show_by_distance(self, values: Tensor, vectors: Tensor, weight: Tensor, first_key: int = 0) -> None:
        """Show the same of values that have a vector added by distance, Shaw et al. 2018, equation 3.

        Shapes: `values` [batch, head, key, d_value]; `vectors` [distance, d_value]; `weight` [d_model, head * d_value].
        """

        def gram(every: Tensor) -> Tensor:
            at_distance = every.unsqueeze(3) + vectors  # [batch, head, key, distance, d_value]
            found = value_gram(at_distance.flatten(2, 3), weight)  # [batch, head, key * distance, head]
            return found.reshape(*every.shape[:3], -1)

        self._show(values, gram, first_key)

    def _show(self, values: Tensor, gram: Callable[[Tensor], Tensor], first_key: int) -> None:
        session = OPEN.get()
        if self._forward_hooks or self._forward_pre_hooks:  # torch's own, which see each firing
            self(gram(values), first_key)
        elif session is not None and session.wants(self.site):
            session.observe_whole(self.site, values, gram, first_key)
