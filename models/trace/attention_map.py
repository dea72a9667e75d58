"""The weights of one layer, checked, and merged from pieces to words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.errors import InputError
from models.messages import Message
from models.sites import VALUE_GRAM, Site
from models.trace.moved import moved_by_heads, moved_by_layer, value_norms
from models.trace.record import Array, Record, frozen_array, problem
from models.trace.tokens import TokenSequence

ROWS_AT_ONCE = 64
ROW_SUM_TOLERANCE = 1e-4
HALF_TOLERANCE = 2**-6
"""What a row may miss 1 by where its weights, or the softmax that gave them, were rounded to half precision."""

_UNSUMMED = "Capture before dropout, in eval mode, in float32; where rows need not sum to 1, say rows_sum_to_one=False."


ZEROED = "zeroed"
"""The companion that a map has once value zeroing of its layer was computed, [1, query, key]."""

Quantity = Literal["weights", "moved", "zeroed"]
"""What the numbers of a map are: attention weights, how far each key moves the query's vector, or how far the query's
vector turns without the key's value."""


@dataclass(frozen=True, slots=True, eq=False)
class AttentionMap(Record):
    """The attention weights of one layer, all heads.

    Parameters
    ----------
    site : Site
        ``stack.layer.kind``.
    weights : float32 array, [head, query, key]
        One head for a recurrent model too.
    query_tokens, key_tokens : TokenSequence
        What labels the rows and the columns.
    head_names : tuple of str, optional
        One a head; numbered from 0 if left out.
    companions : mapping of str to array, optional
        Other quantities captured at the same place (scores, mask, query, key, value, context, output, ...).
    rows_sum_to_one : bool
        False where the mechanism, or an edit, says that rows need not.
    causal : bool
        True if a query may read only keys at or before its own position.
    quantity : {"weights", "moved", "zeroed"}
        What `weights` holds: ``"moved"`` is what `moved` returns, which is computed and never saved; ``"zeroed"`` is
        value zeroing, of all heads together.

    Raises
    ------
    TraceError
        On a wrong rank, token counts that do not fit, NaN, negative weights, a causal map that looks ahead,
        or rows that do not sum to 1 where they must.
    """

    site: Site
    weights: NDArray[np.float32]
    query_tokens: TokenSequence
    key_tokens: TokenSequence
    head_names: tuple[str, ...] = ()
    companions: Mapping[str, Array] = field(default_factory=dict)
    rows_sum_to_one: bool = True
    causal: bool = False
    quantity: Quantity = "weights"

    def __post_init__(self) -> None:
        place = self.site.place
        object.__setattr__(self, "site", place)
        weights = np.asarray(self.weights)
        if weights.ndim != 3:
            raise problem(place, f"weights of shape {weights.shape}", "[head, query, key]", "Check the hook's shape.")
        expected = (weights.shape[0], len(self.query_tokens), len(self.key_tokens))
        if weights.shape != expected:
            raise problem(place, f"weights of shape {weights.shape}", f"{expected} from its tokens", "Check the axes.")
        if not self.head_names:
            object.__setattr__(self, "head_names", tuple(str(head) for head in range(weights.shape[0])))
        if len(self.head_names) != weights.shape[0]:
            raise problem(place, f"{len(self.head_names)} head names", weights.shape[0], "Name each head once.")
        ahead = self.causal and self.quantity == "weights"  # what is moved is 0 wherever they are
        _check_values(place, weights, rows_sum_to_one=self.rows_sum_to_one, causal=ahead)
        object.__setattr__(self, "weights", frozen_array(weights.astype(np.float32, copy=False)))
        companions = {name: frozen_array(np.asarray(values)) for name, values in self.companions.items()}
        object.__setattr__(self, "companions", MappingProxyType(companions))

    @property
    def mean(self) -> NDArray[np.float32]:
        """The mean over heads, [query, key]; of what is moved what all heads move together."""
        if self.quantity == "moved" and VALUE_GRAM in self.companions:
            return moved_by_layer(self.companions["weights"], self.companions[VALUE_GRAM])
        return np.asarray(self.weights.mean(axis=0), dtype=np.float32)

    def head(self, head: int | Literal["mean"]) -> NDArray[np.float32]:
        """Return the weights of one head, or the mean over heads.

        Parameters
        ----------
        head : int or "mean"
            From 0.

        Returns
        -------
        float32 array, [query, key]
        """
        return self.mean if head == "mean" else self.weights[head]

    @property
    def has_moved(self) -> bool:
        """Whether the values and the matrix after them were seen, so that `moved` can be computed."""
        return VALUE_GRAM in self.companions

    @property
    def value_norms(self) -> NDArray[np.float32]:
        """The length of each value after the output matrix, [head, key]; of relative positions its mean over distances.

        Kobayashi et al. 2020, section 2: a key with much weight and a short value is an attention sink.
        """
        return np.asarray(value_norms(self._gram()).mean(axis=-1), dtype=np.float32)

    def moved(self) -> AttentionMap:
        """Return how far each key moves the query's vector, a_ij |f(x_j)|, each row over its sum.

        Kobayashi et al. 2020, section 2; ``.mean`` is what all heads of the layer move together, section 3.

        Raises
        ------
        InputError
            If the values were not seen: `has_moved` is False.
        """
        if self.quantity == "moved":
            return self
        gram = self._gram()
        lengths = moved_by_heads(self.weights, gram)
        lengths.setflags(write=False)
        kept = {**self.companions, "weights": self.weights}
        whole = self.rows_sum_to_one and bool(lengths.any(axis=-1).all())
        return replace(self, weights=lengths, companions=kept, rows_sum_to_one=whole, quantity="moved")

    def weighed(self) -> AttentionMap:
        """Return the map whose `moved` this is, with its attention weights; itself if it has those."""
        if self.quantity != "moved":
            return self
        kept = dict(self.companions)
        return replace(self, weights=kept.pop("weights"), companions=kept, quantity="weights")

    def with_zeroed(self, values: NDArray[np.float32]) -> AttentionMap:
        """Return the same map with what `models.experiments.value_zeroing` gave for its layer, which a file keeps.

        Shapes: `values` [query, key].
        """
        return replace(self, companions={**self.companions, ZEROED: np.asarray(values, dtype=np.float32)[None]})

    @property
    def has_zeroed(self) -> bool:
        """Whether value zeroing of the layer was computed."""
        return ZEROED in self.companions

    def zeroed(self) -> AttentionMap:
        """Return value zeroing of the layer, all heads together: how far each vector turns without another's value.

        Raises
        ------
        InputError
            If it was not computed; see `with_zeroed`.
        """
        if not self.has_zeroed:
            raise InputError(Message("{site}: value zeroing was not computed", site=self.site))
        values = self.companions[ZEROED]
        whole = bool(values.any(axis=-1).all())
        return replace(
            self,
            weights=values,
            head_names=("mean",),
            companions={},
            rows_sum_to_one=whole,
            quantity="zeroed",
        )

    def _gram(self) -> NDArray[np.float32]:
        if not self.has_moved:
            raise InputError(Message("{site}: the values for these weights are not known", site=self.site))
        return self.companions[VALUE_GRAM]

    def to_words(self) -> AttentionMap:
        """Merge pieces to words: the sum over the pieces of a key word, the mean over those of a query word.

        Rows that sum to 1 still do. Companions do not merge and are left behind.
        """
        if self.query_tokens == self.query_tokens.to_words() and self.key_tokens == self.key_tokens.to_words():
            return self
        weights = merge_to_words(self.weights, query_words=self.query_tokens.words, key_words=self.key_tokens.words)
        return replace(
            self,
            weights=weights,
            query_tokens=self.query_tokens.to_words(),
            key_tokens=self.key_tokens.to_words(),
            companions={},
        )


def _check_values(site: Site, weights: Array, *, rows_sum_to_one: bool, causal: bool) -> None:
    if not weights.size:
        return
    ones = np.ones(weights.shape[-1], dtype=weights.dtype)
    with np.errstate(invalid="ignore", over="ignore"):  # BLAS may raise the flag by what lies beyond the rows
        sums = weights @ ones  # [head, query]; of NaN or infinity never finite
    if not np.isfinite(sums).all():
        raise problem(site, "weights with NaN or infinity", "finite numbers", "Check the mask and the precision.")
    if weights.min() < 0:
        raise problem(site, f"a weight of {weights.min():.3g}", "weights of 0 or more", "Were scores captured?")
    if causal and _looks_ahead(weights):
        raise problem(site, "a causal map that looks ahead", "0 above the diagonal", "Check the mask function.")
    if rows_sum_to_one:
        worst = np.unravel_index(np.abs(sums - 1).argmax(), sums.shape)
        if abs(sums[worst] - 1) > ROW_SUM_TOLERANCE:
            where = f"head {worst[0]}, row {worst[1]} that sums to {sums[worst]:.5f}"
            raise problem(site, where, "1 within 1e-4", _UNSUMMED)


def _looks_ahead(weights: Array) -> bool:
    """Return whether any weight, none of them below 0, stands above the diagonal; without a copy of the map."""
    for start in range(0, weights.shape[1], ROWS_AT_ONCE):
        end = start + ROWS_AT_ONCE
        if weights[:, start:end, end:].any() or np.triu(weights[:, start:end, start:end], 1).any():
            return True
    return False


def merge_to_words(weights: Array, *, query_words: Iterable[int], key_words: Iterable[int]) -> NDArray[np.float32]:
    """Merge pieces to words: sum over the pieces of a key word, mean over those of a query word.

    Shapes: `weights` [head, query, key]; returns [head, query word, key word].
    """
    queries, keys = (np.asarray(tuple(words), dtype=np.int64) for words in (query_words, key_words))
    if not (queries.size and keys.size):
        return np.zeros((weights.shape[0], np.unique(queries).size, np.unique(keys).size), dtype=np.float32)
    starts = [np.flatnonzero(np.diff(words, prepend=-1)) for words in (queries, keys)]
    merged = np.empty((weights.shape[0], starts[0].size, starts[1].size), dtype=np.float32)
    for head, values in enumerate(weights):  # one head at a time: float64 takes twice the memory of the weights
        summed = np.add.reduceat(values.astype(np.float64), starts[1], axis=1)  # [query, key word]
        merged[head] = np.add.reduceat(summed, starts[0], axis=0) / np.bincount(queries)[:, None]
    return merged
