"""Undo history of edits, as data and as text for the link; no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.edits import Edit, read_edit

Action = tuple[Edit, ...]
"""What one step did: several edits where a word has several pieces."""

BETWEEN_ACTIONS, BETWEEN_EDITS = "~", " "
LONGEST = 60
"""Actions at most: a link stays one that a browser takes."""
MOST_EDITS = 300
"""Edits at most, of all actions together: an action has one for each piece of a word, and a text 250 pieces."""


@dataclass(frozen=True, slots=True)
class History:
    """What was done, and what was undone and can be done again."""

    done: tuple[Action, ...] = ()  # in the order in which they act
    undone: tuple[Action, ...] = ()  # the latest undone is last

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All that is in force, in order."""
        return tuple(edit for action in self.done for edit in action)

    def add(self, action: Action) -> History:
        """Do `action`; what was undone before is forgotten."""
        return History((*self.done, action)) if action and _fits(self.done, action) else self

    def undo(self) -> History:
        """Take the latest action back."""
        return History(self.done[:-1], (*self.undone, self.done[-1])) if self.done else self

    def redo(self) -> History:
        """Do again what was undone last."""
        fits = self.undone and _fits(self.done, self.undone[-1])
        return History((*self.done, self.undone[-1]), self.undone[:-1]) if fits else self

    def without(self, place: int) -> History:
        """Take the action at `place` out, wherever it stands; it can be redone, and then is the last."""
        return replace(self, done=self.done[:place] + self.done[place + 1 :], undone=(*self.undone, self.done[place]))

    def clear(self) -> History:
        """Take everything back, so that redoing brings it again in its order."""
        return History((), (*self.undone, *reversed(self.done)))

    def to_text(self) -> str:
        """Write what is in force; `read_history` reads it."""
        return BETWEEN_ACTIONS.join(BETWEEN_EDITS.join(edit.to_text() for edit in action) for action in self.done)


def read_history(text: str) -> tuple[History, tuple[str, ...]]:
    """Read what `History.to_text` wrote."""
    actions: list[Action] = []
    unknown: list[str] = []
    for part in filter(None, text.split(BETWEEN_ACTIONS)):
        texts = part.split(BETWEEN_EDITS, MOST_EDITS)
        try:
            action = tuple(read_edit(each) for each in texts if each)
        except ValueError:
            unknown.append(part)
            continue
        if action and _fits(actions, action):
            actions.append(action)
        elif action:
            unknown.append(part)
    return History(tuple(actions)), tuple(unknown)


def _fits(done: Sequence[Action], action: Action) -> bool:
    """Return whether `action` may be done after `done`: neither too many actions, nor too many edits."""
    return len(done) < LONGEST and sum(map(len, done)) + len(action) <= MOST_EDITS
