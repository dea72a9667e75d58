"""The operations: what is done to scores, mask or weights of a place; those on one row are in `models.edits.rows`."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from models.edits.arguments import read_arguments
from models.edits.edit import Array, Edit, Part
from models.edits.patches import Patch
from models.edits.patterns import PATTERNS
from models.edits.rows import Diagonal, Harden, Sample, SetRow, UniformRow, ZeroRow
from models.edits.words import head_in_words, place_in_words, row_in_words
from models.errors import EditError, InputError, check_text, shortly
from models.messages import CountMessage, Message
from models.vocabulary import FIRST_POSITION


@dataclass(frozen=True)
class ZeroHead(Edit):
    """Switch off a head: its weights become 0, so that it contributes nothing."""

    name = "zero_head"
    quantity = "weights"
    keeps_row_sums = False

    head: int | None

    def _write(self, part: Array) -> None:
        part[...] = 0

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("{head} of {place} ablated", head=head_in_words(self.head), place=place_in_words(self.site))


@dataclass(frozen=True)
class KeepHeads(Edit):
    """Switch off all heads but `heads`, one or more."""

    name = "keep_heads"
    quantity = "weights"
    keeps_row_sums = False

    heads: tuple[int, ...]

    def part(self, values: Array, first_query: int = 0) -> Part | None:
        """Return what the edit writes; see `Edit.part`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        """
        self._check_head(self.heads[-1], values)
        return None if len(self.heads) == values.shape[-3] else super().part(values, first_query)

    def _write(self, part: Array) -> None:
        part[..., [head for head in range(part.shape[-3]) if head not in self.heads], :, :] = 0

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return CountMessage(
            "only head {heads} of {place} kept",
            "only heads {heads} of {place} kept",
            len(self.heads),
            heads=", ".join(map(str, self.heads)),
            place=place_in_words(self.site),
        )


@dataclass(frozen=True)
class ScaleScores(Edit):
    """Multiply the scores by `factor` before the softmax: above 1 sharpens, below 1 flattens, 0 makes uniform."""

    name = "scale_scores"
    quantity = "scores"

    factor: float

    def part(self, values: Array, first_query: int = 0) -> Part | None:
        """Return what the edit writes; see `Edit.part`.

        Parameters
        ----------
        values : array, [..., head, query, key]
        first_query : int, optional
            Absolute position of the first query row.
        """
        return None if self.factor == 1 else super().part(values, first_query)

    def _write(self, part: Array) -> None:
        part *= self.factor

    def describe(self) -> Message:
        """Say in words what the edit does."""
        place = place_in_words(self.site)
        return Message("scores of {place} multiplied by {factor:g}", place=place, factor=self.factor)


@dataclass(frozen=True)
class MaskKey(Edit):
    """Hide a key from all queries and heads. A row that could read no other key is then an error of the softmax."""

    name = "mask_key"
    quantity = "mask"

    key: int

    def _write(self, part: Array) -> None:
        part[...] = False

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("key {key} hidden from {place}", key=self.key + FIRST_POSITION, place=place_in_words(self.site))


@dataclass(frozen=True)
class MaskCell(Edit):
    """Hide a key from one row, in all heads; if that could read no other key, it is an error of the softmax."""

    name = "mask_cell"
    quantity = "mask"

    row: int | None
    key: int

    def _write(self, part: Array) -> None:
        part[...] = False

    def describe(self) -> Message:
        """Say in words what the edit does."""
        row, key = row_in_words(self.row), self.key + FIRST_POSITION
        return Message("key {key} hidden from {row} of {place}", key=key, row=row, place=place_in_words(self.site))


@dataclass(frozen=True)
class LiftMask(Edit):
    """Lift the mask: every query may read every key that is there, later words of a forced text among them."""

    name = "lift_mask"
    quantity = "mask"
    keeps_causal = False

    def _write(self, part: Array) -> None:
        part[...] = True

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("mask of {place} lifted", place=place_in_words(self.site))


@dataclass(frozen=True)
class Window(Edit):
    """Let a row read only the keys from `centre` - `width` to `centre` + `width`, in all heads.

    Keys that the mask hides stay hidden. A row that is left no key is then an error of the softmax.

    Where attention is local, this window is in the place of the row's own (it may show keys that the model's did not),
    and the Gaussian of local-p stands around it: `apply` then takes the windows, [..., head, query, 2]: centre and
    half-width. There `centre`, which need not be a whole number, or `width` may be None: the row's own is kept.
    """

    name = "window"
    quantity = "mask"
    preferred = "centre"

    row: int | None
    centre: float | None
    width: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.centre is None and self.width is None:
            raise InputError(Message("a window needs a centre, a width or both; got neither"))

    def _takes(self, values: Array) -> bool:
        return np.issubdtype(values.dtype, np.floating) and values.shape[-1] == 2

    def _write(self, part: Array) -> None:
        if part.dtype != np.bool_:
            for place, value in enumerate((self.centre, self.width)):
                if value is not None:
                    part[..., place] = value
            return
        if self.centre is None or self.width is None:
            message = Message(
                "{edit}: this attention is not local and has no window; give both centre and width",
                edit=self.describe(),
            )
            raise EditError(message)
        part &= np.abs(np.arange(part.shape[-1]) - self.centre) <= self.width

    def describe(self) -> Message:
        """Say in words what the edit does."""
        rows = Message("{row} of {place}", row=row_in_words(self.row), place=place_in_words(self.site))
        if self.centre is None:
            return CountMessage(
                "{rows}: window of {count} key on each side, centre unchanged",
                "{rows}: window of {count} keys on each side, centre unchanged",
                self.width or 0,
                rows=rows,
            )
        if self.width is None:
            place = self.centre + FIRST_POSITION
            return Message("{rows}: window centred on position {place:g}, width unchanged", rows=rows, place=place)
        first, last = max(0, math.ceil(self.centre - self.width)), math.floor(self.centre + self.width)
        if first > last:
            return Message("{rows}: no key left", rows=rows)
        ends = {"first": first + FIRST_POSITION, "last": last + FIRST_POSITION}
        return Message("{rows} limited to keys {first} to {last}", rows=rows, **ends)


zero_head = ZeroHead
keep_heads = KeepHeads
zero_row = ZeroRow
uniform_row = UniformRow
diagonal = Diagonal
harden = Harden
sample = Sample
set_row = SetRow
scale_scores = ScaleScores
mask_key = MaskKey
mask_cell = MaskCell
lift_mask = LiftMask
window = Window

OPERATIONS: dict[str, type[Edit]] = {
    each.name: each
    for each in (
        ZeroHead,
        KeepHeads,
        ZeroRow,
        UniformRow,
        Diagonal,
        Harden,
        Sample,
        SetRow,
        ScaleScores,
        MaskKey,
        MaskCell,
        LiftMask,
        Window,
        Patch,
        *PATTERNS.values(),
    )
}
"""Those that a link may name, by their names."""


def read_edit(text: str) -> Edit:
    """Read what `Edit.to_text` wrote.

    Parameters
    ----------
    text : str
        ``name(site,...)``.

    Returns
    -------
    Edit

    Raises
    ------
    InputError
        If it is anything else; says what was expected.
    """
    check_text(text)
    name, _, rest = text.partition("(")
    found = OPERATIONS.get(name)
    if found is None or not rest.endswith(")"):
        message = Message(
            "an edit has the form name(site,...), where name is one of {names}; got {given}",
            names=", ".join(OPERATIONS),
            given=shortly(text),
        )
        raise InputError(message)
    return found(*read_arguments(name, [each.name for each in fields(found)], rest[:-1]))
