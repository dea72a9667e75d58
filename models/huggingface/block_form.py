"""The equations of a block of a causal Transformer, and the form that a family gives them; numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import erf, pi, sqrt
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class BlockForm(NamedTuple):
    """How one block computes."""

    is_rms: bool  # RMSNorm, else LayerNorm
    epsilon: float  # what a norm adds to the mean square
    turned: int  # numbers of a head's query or key that the rotary embedding turns; 0: none
    has_positions: bool  # whether a learned vector of the position is added to each token
    activation: str  # one of `ACTIVATIONS`
    is_gated: bool  # whether the feed-forward layer multiplies two projections
    is_parallel: bool  # whether attention and feed-forward layer read the same vector
    heads: int  # query heads
    key_heads: int  # key-value heads, which groups of query heads share
    d_head: int
    window: int  # tokens that a query may attend to; 0: all before it
    layers: int  # blocks of the network

    @property
    def group(self) -> int:
        """How many query heads share a key-value head."""
        return self.heads // self.key_heads


def _tanh_gelu(values: Array) -> Array:
    return np.asarray(0.5 * values * (1 + np.tanh(sqrt(2 / pi) * (values + 0.044715 * values**3))))


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = MappingProxyType(
    {
        "silu": lambda values: values / (1 + np.exp(-values)),
        "gelu": lambda values: 0.5 * values * (1 + np.vectorize(erf, otypes=[float])(values / sqrt(2))),
        "gelu_tanh": _tanh_gelu,
        "relu": lambda values: np.maximum(values, 0),
    }
)
"""The functions of the feed-forward layer, by their names."""


def normalised(form: BlockForm, values: Array, weight: Array, bias: Array) -> Array:
    """Return RMSNorm (Zhang and Sennrich 2019, equation 4) or LayerNorm (Ba et al. 2016, equation 4) of vectors.

    Shapes: `values` [..., d]; `weight` [d]; `bias` [d].
    """
    centred = values if form.is_rms else values - values.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(-1, keepdims=True) + form.epsilon) * weight + bias)


def turned(form: BlockForm, values: Array, positions: Array, frequencies: Array) -> Array:
    """Return vectors turned by their positions: number n with number n + turned / 2 (Su et al. 2021, equation 34).

    Shapes: `values` [..., token, d_head]; `positions` [token]; `frequencies` [turned / 2].
    """
    half = form.turned // 2
    angles = positions[:, None] * frequencies  # [token, turned / 2]
    one, other, rest = np.split(values, (half, 2 * half), axis=-1)
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.concatenate((one * cosine - other * sine, other * cosine + one * sine, rest), axis=-1)


def may_attend(form: BlockForm, queries: int) -> Array:
    """Return the causal mask, within the window if there is one, [query, key]."""
    back = np.arange(queries)[:, None] - np.arange(queries)
    return (back >= 0) & (back < (form.window or queries))


def recompute(form: BlockForm, given: Mapping[str, Array], parameters: Mapping[str, Array]) -> dict[str, Array]:
    """Return each quantity of a block as the equations make it of the captured ones before it.

    Shapes: `given` [head, token, d] or [head, query, key] by quantity; the same in what is returned.
    """
    read = given["read"][0]  # [token, d_model]

    def project(name: str, values: Array) -> Array:
        return np.asarray(values @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"])

    def norm(name: str, values: Array) -> Array:
        return normalised(form, values, parameters[f"{name}.weight"], parameters[f"{name}.bias"])

    def in_heads(name: str) -> Array:
        heads = project(name, read).reshape(len(read), -1, form.d_head).swapaxes(0, 1)  # [key head, token, d_head]
        return heads.repeat(form.heads // len(heads), axis=0)

    found = {"read": norm("norm", given["input"]), "value": in_heads("value")}
    for name in ("query", "key"):
        before = f"unrotated_{name}"
        found[before if form.turned else name] = in_heads(name)
        if form.turned:
            found[name] = turned(form, given[before], np.arange(len(read)), parameters["frequencies"])
    found["scores"] = given["query"] @ given["key"].swapaxes(1, 2) / sqrt(form.d_head)
    found["mask"] = np.broadcast_to(may_attend(form, len(read)), given["mask"].shape)
    joined = given["context"].swapaxes(0, 1).reshape(1, len(read), -1)  # [1, token, head * d_head]
    found["output"] = project("output", joined)
    between = given["input"] if form.is_parallel else given["joined"]
    if not form.is_parallel:
        found["joined"] = given["input"] + given["output"]
    found |= {"normed": norm("second_norm", between), "up": project("expand", given["normed"])}
    activate = ACTIVATIONS[form.activation]
    found["hidden"] = activate(given["up"])
    if form.is_gated:
        found |= {"gate": project("gate", given["normed"]), "hidden": activate(given["gate"]) * given["up"]}
    added = given["feedforward"] + (given["output"] if form.is_parallel else 0)
    return found | {"feedforward": project("contract", given["hidden"]), "residual": between + added}
