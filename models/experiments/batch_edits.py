"""Edits of single rows of a batch: how a sweep runs many edits of one text at once."""

from __future__ import annotations

from dataclasses import dataclass

from models.edits import Array, Edit
from models.messages import Message
from models.sites import Site


@dataclass(frozen=True)
class BatchRowEdit(Edit):
    """An edit of one row of a batch, which the other rows run without; for sweeps, not for links."""

    name = "batch_row"

    edit: Edit
    batch_row: int

    def __post_init__(self) -> None:
        """Leave the arguments as they are: those of the edit inside are clean."""

    @property
    def quantity(self) -> str:  # type: ignore[override]
        """What the edit inside acts upon."""
        return self.edit.quantity

    @property
    def preferred(self) -> str:  # type: ignore[override]
        """What the edit inside would rather act upon."""
        return self.edit.preferred

    @property
    def twice(self) -> bool:  # type: ignore[override]
        """Whether the edit inside acts upon its preferred quantity and upon the other."""
        return self.edit.twice

    @property
    def needs_mask(self) -> bool:  # type: ignore[override]
        """Whether the edit inside asks for the mask."""
        return self.edit.needs_mask

    def apply_at(self, site: Site, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Edit row `batch_row` of `values`, [batch, head, query, key]; see `Edit.apply_at`.

        Shapes: `values` [batch, head, query, key].
        """
        one = slice(self.batch_row, self.batch_row + 1)
        before = values[one]
        after = self.edit.apply_at(site, before, first_query, mask=None if mask is None else mask[one])
        if after is before:
            return values
        edited = values.copy()
        edited[self.batch_row] = after[0]
        return edited

    def _write(self, part: Array) -> None:
        self.edit._write(part)

    def describe(self) -> Message:
        """Say in words what the edit does, and to which text."""
        return Message("{edit} in text {row} of the batch", edit=self.edit.describe(), row=self.batch_row)
