"""Prefixes of a text, each a clause longer."""

from __future__ import annotations

FIRST_LENGTH = 4
"""Words of the shortest beginning at least; a clause has no fewer than half as many."""
LONGEST_STEP = 14
"""Words after which a text is cut where no clause ends."""
MOST = 8
MOST_READ = 160
"""Words of all beginnings at most, where three are longer together: each is translated by every model."""
FEWEST = 3

_OPENERS = frozenset(
    ("after", "although", "because", "but", "if", "that", "until", "when", "where", "which", "while", "who")
)
"""Words that open a clause without a comma; *and*, *as*, *so* and *before* join single words as often."""
_MARKS = ",;:"


def beginnings(text: str) -> tuple[tuple[int, str], ...]:
    """Return the beginnings of `text` that end where a clause does, and at last all of it.

    A clause ends at a comma, semicolon or colon, and before a word that opens another one (*which*, *because*, ...).
    """
    words = text.split()
    if len(words) < FIRST_LENGTH:
        return ()
    ends = [place for place in range(FIRST_LENGTH, len(words)) if _is_end(words, place)]
    counts: list[int] = []
    for end in ends:
        if end - (counts[-1] if counts else 0) >= FIRST_LENGTH // 2 and len(words) - end >= FIRST_LENGTH // 2:
            counts.append(end)
    counts.append(len(words))
    while len(counts) > MOST or (len(counts) > FEWEST and sum(counts) > MOST_READ):  # the end of the shortest step goes
        steps = _steps(counts)
        del counts[min(range(len(counts) - 1), key=lambda place: steps[place])]
    while len(counts) < MOST and max(_steps(counts)) > LONGEST_STEP:  # a long clause is cut in two
        longest = _steps(counts).index(max(_steps(counts)))
        middle = counts[longest] - max(_steps(counts)) // 2
        if len(counts) >= FEWEST and sum(counts) + middle > MOST_READ:
            break
        counts.insert(longest, middle)
    return tuple(
        (count, " ".join(words[:count]).rstrip(",;:.!?") + "." if count < len(words) else " ".join(words))
        for count in counts
    )


def _steps(counts: list[int]) -> list[int]:
    return [after - before for before, after in zip([0, *counts], counts, strict=False)]


def _is_end(words: list[str], place: int) -> bool:
    """Return whether a clause ends before the word at `place`."""
    return words[place - 1][-1] in _MARKS or words[place].lower().strip(_MARKS) in _OPENERS
