"""View of a pinned row of a causal model, beside the row that is at its place in the text as it is now."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz.views.heads import HeadPlace
from viz.views.view import View, key_pieces


@dataclass(frozen=True, slots=True)
class PinnedView:
    """A pinned row, and the row at its place now."""

    head: HeadPlace
    position: int  # of its token, from 0
    then: View  # of the text in which it was pinned
    now: View  # of the text as it is, in the same head and unit

    @property
    def place(self) -> int:
        """The row in the view: a token, or its word."""
        return key_pieces(self.then).words[self.position] if self.then.unit == "word" else self.position

    @property
    def is_same_text(self) -> bool:
        """Whether the text up to the token is as it was."""
        then, now = (key_pieces(each).ids[: self.position + 1] for each in (self.then, self.now))
        return then == now

    @property
    def has_ended(self) -> bool:
        """Whether the text now ends before the place of the row."""
        return self.place >= len(self.now.weights)

    def row(self, view: View) -> tuple[NDArray[np.float32], tuple[str, ...]]:
        """Return the weights of the row in `view`, up to its own token, and their keys."""
        keys = self.place + 1
        return view.weights[self.place, :keys], view.key_labels.texts[:keys]


def position_of(view: View, row: int) -> int | None:
    """Return the position of the token whose row is row `row` of `view`, of a word its last; None if it is none."""
    tokens = key_pieces(view)
    owners = tokens.words if view.unit == "word" else range(len(tokens))
    last = {owner: position for position, owner in enumerate(owners)}
    kept = [last[owner] for owner in sorted(last) if owner not in view.hidden_queries]
    return kept[row] if row < len(kept) and not view.folded else None
