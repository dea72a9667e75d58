"""What every edit is: frozen, checked, carried through an address bar, applied to an array of one quantity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import EllipsisType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from models.edits.arguments import clean_argument, write_arguments
from models.errors import EditError, InputError, shortly
from models.messages import CountMessage, Message
from models.sites import Site

Array = NDArray[Any]
Part = tuple[slice | EllipsisType, ...]
_ALL = slice(None)


@dataclass(frozen=True)
class Edit(ABC):
    """An intervention at a place.

    Parameters
    ----------
    site : str
        ``stack.layer.kind``; each part may be ``*``, such as ``decoder.*.cross``.

    Attributes
    ----------
    name : str
        Of the operation, such as ``zero_head``.
    quantity : {"scores", "mask", "weights"}
        What it acts upon.
    preferred : str
        What it acts upon instead where a place has such a quantity; empty if there is none.
    twice : bool
        Whether it acts upon `quantity` as well where a place has the preferred one, after the edits given before it.
    needs_mask : bool
        Whether `apply` asks for the mask.
    keeps_row_sums : bool
        Whether rows that sum to 1 still do.
    keeps_causal : bool
        Whether queries that read no later key still do not.

    Raises
    ------
    InputError
        If the site, a position or a number is not one that the operation can take.

    Examples
    --------
    >>> from models.edits import read_edit, zero_head
    >>> edit = zero_head("decoder.0.cross", 2)
    >>> str(edit)
    'head 2 of decoder layer 0 cross-attention ablated'
    >>> edit.to_text()
    'zero_head(decoder.0.cross,2)'
    >>> read_edit("zero_head(decoder.0.cross,2)") == edit
    True
    """

    name: ClassVar[str]
    quantity: ClassVar[str]
    preferred: ClassVar[str] = ""
    twice: ClassVar[bool] = False
    needs_mask: ClassVar[bool] = False
    keeps_row_sums: ClassVar[bool] = True
    keeps_causal: ClassVar[bool] = True

    site: str

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, clean_argument(each.name, getattr(self, each.name)))

    def __str__(self) -> str:
        return str(self.describe())

    def applies_to(self, site: Site) -> bool:
        """Return whether the edit acts at `site`: its place matches, and its quantity, if any, is the edit's.

        Parameters
        ----------
        site : Site
        """
        return site.quantity in ("", self.quantity) and site.at("weights").matches(self.site)

    def apply(self, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return `values` with the edit made.

        Parameters
        ----------
        values : array, [..., head, query, key]
            bool for an edit of the mask, else floating point; its query axis in full, not broadcast.
        first_query : int
            Absolute position of the first query row.
        mask : bool array of the shape of `values`, optional
            True where a query may attend to a key; everywhere if left out. Only `uniform_row` needs it.

        Returns
        -------
        array of the shape and dtype of `values`
            A new array, or `values` itself where there is nothing to change (a row of another firing, a factor of 1).

        Raises
        ------
        ValueError
            If the array is not of the edit's kind.
        EditError
            If it lacks a head, or a key with a given weight.
        """
        self._check(values)
        part = self.part(values, first_query)
        if part is None:
            return values
        edited = values.copy()
        self._write(edited[part])
        return edited

    def apply_at(self, site: Site, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return `values` of `site` with the edit made: what `apply` gives, unless it matters where.

        Parameters
        ----------
        site : Site
            With its quantity, upon which the edit acts.
        values : array
            See `apply`.
        first_query : int, optional
            Absolute position of the first query row.
        mask : bool array, optional
            See `apply`.
        """
        return self.apply(values, first_query, mask=mask)

    @abstractmethod
    def describe(self) -> Message:
        """Say in words what the edit does."""

    def to_text(self) -> str:
        """Write the edit as ``name(site,...)``, short enough for an address bar; `models.edits.read_edit` reads it."""
        return f"{self.name}({write_arguments({each.name: getattr(self, each.name) for each in fields(self)})})"

    def _check(self, values: Array) -> None:
        """Raise ValueError if `values` are not of the edit's kind."""
        kind = np.bool_ if self.quantity == "mask" else np.floating
        if values.ndim < 3 or not (np.issubdtype(values.dtype, kind) or self._takes(values)):
            expected = f"{self.quantity}, {kind.__name__.strip('_')}, [..., head, query, key]"
            message = f"{self.to_text()}: got {values.dtype} of shape {values.shape}; expected {expected}"
            raise ValueError(message)

    def _takes(self, values: Array) -> bool:
        """Return whether `values` are of the preferred quantity."""
        return False

    @abstractmethod
    def _write(self, part: Array) -> None:
        """Change `part`, a view of a copy, in place."""

    def part(self, values: Array, first_query: int = 0) -> Part | None:
        """Return what of `values` the edit writes, as slices (so that it is a view); None if nothing.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        """
        head, row, key = (getattr(self, name, None) for name in ("head", "row", "key"))  # of those that it names
        self._check_head(head, values)
        heads = _ALL if head is None else slice(head, head + 1)
        rows = _slice(None if row is None else row - first_query, values.shape[-2])
        keys = _slice(key, values.shape[-1])
        return None if rows is None or keys is None else (..., heads, rows, keys)

    def _check_head(self, head: int | None, values: Array) -> None:
        if head is not None and head >= values.shape[-3]:
            message = CountMessage(
                "{edit}: got head {head}; there is {count} head, counted from 0",
                "{edit}: got head {head}; there are {count} heads, counted from 0",
                values.shape[-3],
                edit=self.describe(),
                head=head,
            )
            raise EditError(message)


def edits_given(edits: object) -> tuple[Edit, ...]:
    """Return edits that a caller gave; InputError for one alone, and for anything else."""
    alone = isinstance(edits, (str, bytes, Mapping)) or not isinstance(edits, Iterable)
    given: tuple[Any, ...] = () if alone else tuple(edits)  # type: ignore[arg-type]
    if alone or not all(isinstance(each, Edit) for each in given):
        message = Message(
            'edits is a list of edits such as [zero_head("decoder.0.cross", 0)]; got {given}', given=shortly(edits)
        )
        raise InputError(message)
    return given


def _slice(position: int | None, count: int) -> slice | None:
    """Return `position` of an axis as a slice, all of it for None; None if the axis has no such position."""
    if position is None:
        return _ALL
    return slice(position, position + 1) if 0 <= position < count else None
