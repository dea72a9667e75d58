"""The beginnings of a text, a few words longer each time."""

from __future__ import annotations

FIRST_LENGTH = 4
STEP = 6
MOST = 10


def beginnings(text: str, *, first: int = FIRST_LENGTH, step: int = STEP) -> tuple[tuple[int, str], ...]:
    """Return the first words of `text`, more each time, and at last all of it.

    Parameters
    ----------
    text : str
    first, step : int, optional
        Words of the shortest beginning, and how many more each has; more where there would be over `MOST`.

    Returns
    -------
    tuple of (int, str)
        The number of words and the beginning, closed by a full stop where the text is cut; none of a shorter text.

    Examples
    --------
    >>> beginnings("one two three four five six.", first=2, step=2)
    ((2, 'one two.'), (4, 'one two three four.'), (6, 'one two three four five six.'))
    """
    words = text.split()
    if len(words) < first:
        return ()
    step = max(step, -(-(len(words) - first) // (MOST - 1)))
    counts = [*range(first, len(words), step), len(words)]
    return tuple(
        (count, " ".join(words[:count]).rstrip(",;:.!?") + "." if count < len(words) else " ".join(words))
        for count in counts
    )
