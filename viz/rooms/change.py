"""Change of a class's answers between two times that it was asked the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from viz.rooms.room import RoomQuestion

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class Change:
    """How many of those who answered both times were right."""

    title: str
    count: int  # students who answered both times
    before: int  # of them, right the first time
    after: int  # of them, right the second time


def change_of(title: str, both: Iterable[tuple[Sequence[float], Sequence[float]]], right: int) -> Change:
    """Return how many chose the `right` answer, from 0, before and after; what chooses nothing does not count."""
    chosen = [(_chosen(one), _chosen(other)) for one, other in both]
    counted = [two for two in chosen if None not in two]
    before, after = (sum(two[place] == right for two in counted) for place in (0, 1))
    return Change(title, len(counted), before, after)


def twins_of(questions: Sequence[RoomQuestion]) -> list[tuple[RoomQuestion, RoomQuestion]]:
    """Return the questions that were asked before a lesson, each with itself after it."""
    by_key = {each.key: each for each in questions}
    found = []
    for each in questions:
        name, stage, number = (["", "", *each.key.rsplit(".", 2)])[-3:]
        if stage == BEFORE and (other := by_key.get(f"{name}.{AFTER}.{number}")):
            found.append((each, other))
    return found


def _chosen(heights: Sequence[float]) -> int | None:
    return heights.index(1) if sum(heights) == 1 and 1 in heights else None
