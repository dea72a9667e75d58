"""Activation patching: what a head gives for another text, put in the place of what it gives for this one.

Vig et al. 2020, Investigating Gender Bias in Language Models Using Causal Mediation Analysis; Heimersheim and Nanda
2024, How to use and interpret activation patching.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from models.edits.edit import Array, Edit
from models.edits.words import head_in_words, place_in_words
from models.errors import EditError
from models.messages import Message
from models.sites import Site


@dataclass(frozen=True)
class Patch(Edit):
    """Put the output of a head for another text, of as many tokens, in the place of its own.

    The output is the sum of its values, before W_O, of every row. A model that runs the edit runs the other text first,
    with the same translation forced if it writes one; rows that this has no more of stay as they are.
    """

    name = "patch"
    quantity = "context"
    outputs: ClassVar[Mapping[str, Array] | None] = None

    head: int | None
    text: str

    def filled(self, outputs: Mapping[str, Array]) -> Patch:
        """Return the edit with what the heads gave for the other text, by place: [head, row, d].

        Parameters
        ----------
        outputs : mapping of str to array
        """
        made = Patch(self.site, self.head, self.text)
        object.__setattr__(made, "outputs", outputs)
        return made

    def apply_at(self, site: Site, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return `values` of `site` with the edit made; see `Edit.apply_at`.

        Parameters
        ----------
        site : Site
            With its quantity.
        values : array, [..., head, row, d]
        first_query : int, optional
            Absolute position of the first row.
        mask : bool array, optional
            Not needed.
        """
        self._check(values)
        self._check_head(self.head, values)
        if self.outputs is None or str(site.place) not in self.outputs:
            raise EditError(Message("{edit}: this model cannot run the other text", edit=self.describe()))
        given = self.outputs[str(site.place)][:, first_query : first_query + values.shape[-2]]
        heads = slice(None) if self.head is None else slice(self.head, self.head + 1)
        edited = values.copy()
        edited[..., heads, : given.shape[1], :] = given[heads]
        return edited

    def _write(self, part: Array) -> None:
        raise EditError(Message("{edit}: this model cannot run the other text", edit=self.describe()))

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message(
            "{head} of {place} replaced by its output for “{text}”",
            head=head_in_words(self.head),
            place=place_in_words(self.site),
            text=self.text,
        )


patch = Patch
