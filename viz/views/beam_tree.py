"""Hypotheses of a beam as a tree: in which row each is drawn, and where it leaves another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.translation.hypothesis import Hypothesis

GREEDY = "greedy"
"""What links call the greedy translation; the hypotheses of the beam are called by their ranks, from 1."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A hypothesis in its row."""

    code: str
    hypothesis: Hypothesis
    first: int  # its first token that stands in its own row; those before it are shared with a row above
    parent: int  # the row in which the token before that stands
    is_greedy: bool

    def __len__(self) -> int:
        return len(self.hypothesis.ids)


def named(beam: Sequence[Hypothesis], greedy: Hypothesis) -> dict[str, Hypothesis]:
    """Return the hypotheses by what links call them, the greedy translation last if the beam does not have it."""
    found = {str(rank): each for rank, each in enumerate(beam, start=1)}
    return found if any(each.ids == greedy.ids for each in beam) else found | {GREEDY: greedy}


def branches(hypotheses: Mapping[str, Hypothesis], greedy: Hypothesis) -> list[Branch]:
    """Return a row a hypothesis, so that no two lines cross: those that begin alike lie together, the best first."""
    every = list(hypotheses.items())

    def best_of_beginning(item: tuple[str, Hypothesis]) -> list[int]:
        ids = item[1].ids
        return [
            next(rank for rank, (_code, other) in enumerate(every) if other.ids[:length] == ids[:length])
            for length in range(1, len(ids) + 1)
        ]

    rows: list[Branch] = []
    for code, each in sorted(every, key=best_of_beginning):
        shared = [_alike(each.ids, above.hypothesis.ids) for above in rows]
        first = max(shared, default=0)
        parent = shared.index(first) if rows else 0
        rows.append(Branch(code, each, first, parent if first else 0, each.ids == greedy.ids))
    return rows


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two have in common at their beginning."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count
