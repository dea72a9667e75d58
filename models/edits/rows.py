"""What is done to the weights of one row of a map, or of every row of a head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.edits.edit import Array, Edit, Part
from models.edits.words import head_in_words, place_in_words, row_in_words
from models.errors import EditError
from models.messages import CountMessage, Message
from models.sites import Site


@dataclass(frozen=True)
class _RowEdit(Edit):
    """An edit of the weights of a row."""

    quantity = "weights"

    head: int | None
    row: int | None

    def _row(self) -> Message:
        return Message(
            "{row} of {head} of {place}",
            row=row_in_words(self.row),
            head=head_in_words(self.head),
            place=place_in_words(self.site),
        )


@dataclass(frozen=True)
class ZeroRow(_RowEdit):
    """Switch off a row: its weights become 0, so that it reads nothing, as a hop that is left out."""

    name = "zero_row"
    keeps_row_sums = False

    def _write(self, part: Array) -> None:
        part[...] = 0

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("{row} set to zero", row=self._row())


@dataclass(frozen=True)
class UniformRow(_RowEdit):
    """Spread a row evenly over the keys that the mask lets it attend to, whatever its weights are.

    A weight of exactly 0 does not tell a masked key: in float32 a softmax gives it to every score some 100 below the
    best. Without a mask, all keys are meant.

    Where one key is chosen of each row (hard attention) the row that it would be chosen from is spread, and is read as
    it is then, without a choice, unless `Sample` draws from it.
    """

    name = "uniform_row"
    preferred = "probabilities"
    twice = True
    needs_mask = True

    def apply(self, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return the weights `values` with the edit made; see `Edit.apply`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        mask : bool array of the shape of `values`, optional
            True where a query may attend to a key; everywhere if left out.
        """
        edited = super().apply(values, first_query)
        part = self.part(values, first_query)
        if mask is not None and part is not None:
            edited[part] = mask[part] / np.maximum(mask[part].sum(axis=-1, keepdims=True), 1)
        return edited

    def _write(self, part: Array) -> None:
        part[...] = 1 / part.shape[-1]

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("{row} spread evenly over its keys", row=self._row())


@dataclass(frozen=True)
class Harden(_RowEdit):
    """Let a row read its strongest key alone: that weight becomes 1, all others 0.

    This is hard attention (Xu et al. 2015, section 4.1) of a model that was trained with soft attention, with the
    likeliest place in the stead of a sampled one. Of equal weights the first is taken; a row of zeros stays as it is.
    """

    name = "harden"

    def _write(self, part: Array) -> None:
        _leave_the_strongest(part)

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("{row} hardened: its largest weight becomes 1, all others 0", row=self._row())


def _leave_the_strongest(part: Array) -> None:
    """Make each row of `part`, in place, 1 where it is largest, the first of equal ones, and 0 elsewhere."""
    best = part.argmax(axis=-1)[..., None]
    reads = np.take_along_axis(part, best, axis=-1) > 0
    part[...] = 0
    np.put_along_axis(part, best, reads.astype(part.dtype), axis=-1)


@dataclass(frozen=True)
class Diagonal(_RowEdit):
    """Let a row attend only to the key at its own position, whatever the tokens are: attention without content.

    Row i gives key i the weight 1. Where the mask hides that key, or there are fewer keys, it is the nearest key that
    the mask leaves, of two the first: rows past the last key attend to the last. So a translation is laid the same
    before its length is known. Hard-coded attention: You et al. 2020; Raganato et al. 2020.
    """

    name = "diagonal"
    needs_mask = True

    def apply(self, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return the weights `values` with the edit made; see `Edit.apply`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        mask : bool array of the shape of `values`, optional
            True where a query may attend to a key; everywhere if left out.
        """
        self._check(values)
        part = self.part(values, first_query)
        if part is None:
            return values
        queries, keys = values.shape[-2:]
        distance = np.abs(first_query + np.arange(queries)[:, None] - np.arange(keys))
        near = np.broadcast_to(1 / (1 + distance), values.shape) * (True if mask is None else mask)
        edited = values.copy()
        edited[part] = near[part]
        self._write(edited[part])
        return edited

    def _write(self, part: Array) -> None:
        _leave_the_strongest(part)

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("{row} set to the diagonal: weight 1 on the key at its own position", row=self._row())


@dataclass(frozen=True)
class Sample(_RowEdit):
    """Let a row read one key alone, drawn from its weights: key j with the probability a_j.

    This is stochastic hard attention (Xu et al. 2015, section 4.1). The draw is argmax_j (log a_j + g_j) with Gumbel
    noise g (Jang et al. 2017, equation 1), the same for a seed, layer, head and row whatever the text, the batch and
    the way of decoding. A row of zeros stays as it is.

    Where a key is chosen by the model itself there is a quantity ``noise``: it is given there, so that the
    probabilities stay as they are and the model chooses. The weights, one 1 a row by then, stay as they are too, unless
    an edit given before this one has changed them: then it draws from those.
    """

    name = "sample"
    preferred = "noise"
    twice = True

    seed: int

    def apply_at(self, site: Site, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return `values` of `site`, its noise or its weights, with the edit made; see `Edit.apply_at`.

        Parameters
        ----------
        site : Site
            With its quantity.
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        mask : bool array, optional
            Not needed: what is masked has the weight 0, and is never drawn.
        """
        self._check(values)
        part = self.part(values, first_query)
        if part is None:
            return values
        edited = values.copy()
        noise = self._noise(values.shape[-3:], site.layer, first_query)
        if site.quantity == self.preferred:
            edited[part] = noise[part]
        else:
            edited[part] *= np.exp(noise[part])  # the largest a e^g is the largest log a + g
            self._write(edited[part])
        return edited

    def apply(self, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return the weights `values` with the edit made, as those of a first layer; see `Edit.apply`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        mask : bool array, optional
            Not needed.
        """
        return self.apply_at(Site("decoder", 0, "cross", self.quantity), values, first_query)

    def _noise(self, shape: tuple[int, ...], layer: int, first_query: int) -> Array:
        """Return Gumbel noise, [head, query, key]; a row begins alike however many keys there are."""
        heads, rows, keys = shape
        noise = np.empty(shape)
        for head, row in np.ndindex(heads, rows):
            noise[head, row] = np.random.default_rng((self.seed, layer, head, first_query + row)).random(keys)
        return -np.log(-np.log(np.clip(noise, 1e-12, 1 - 1e-12)))

    def _write(self, part: Array) -> None:
        _leave_the_strongest(part)

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message(
            "{row} attends to one key, sampled from its weights with seed {seed}", row=self._row(), seed=self.seed
        )


@dataclass(frozen=True)
class SetRow(_RowEdit):
    """Set a row to (1 - blend) * row + blend * weights, with `blend` in 0 to 1.

    `weights` are 0 or more and sum to 1. Keys beyond them get 0, so that the row of a causal map may be given up
    to its own position, whether the run is cached or not; a weight for a key that is not there is an error.
    """

    name = "set_row"

    weights: tuple[float, ...]
    blend: float

    def part(self, values: Array, first_query: int = 0) -> Part | None:
        """Return what the edit writes; see `Edit.part`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        """
        return super().part(values, first_query) if self.blend else None

    def _write(self, part: Array) -> None:
        keys = part.shape[-1]
        if any(self.weights[keys:]):
            message = CountMessage(
                "{edit}: got {count} weight; expected at most {most}, one per key",
                "{edit}: got {count} weights; expected at most {most}, one per key",
                len(self.weights),
                edit=self.describe(),
                most=keys,
            )
            raise EditError(message)
        given = np.zeros(keys)
        given[: len(self.weights)] = self.weights[:keys]
        part[...] = (1 - self.blend) * part + self.blend * given

    def describe(self) -> Message:
        """Say in words what the edit does."""
        if self.blend == 1:
            return Message("{row} set to given weights", row=self._row())
        return Message("{row} blended with given weights, by {blend:g}", row=self._row(), blend=self.blend)
