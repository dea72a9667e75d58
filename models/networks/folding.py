"""How wide the kernels are that fold a text into one vector: arithmetic alone, without torch."""

from __future__ import annotations


def pyramid_widths(tokens: int, widest: int) -> tuple[int, ...]:
    """Return the width of each kernel that folds `tokens` vectors into one, Kalchbrenner and Blunsom 2013, section 3.

    K^2, K^3, ... are used as long as more vectors are left than the kernel is wide; the last width is that of L, which
    reads all that are left. Where the text is too long for the kernels that there are, the widest is used again.

    Parameters
    ----------
    tokens : int
        1 or more.
    widest : int
        r of the paper.

    Examples
    --------
    >>> pyramid_widths(6, 12)
    (2, 3, 3)
    >>> pyramid_widths(1, 12)
    ()
    """
    widths: list[int] = []
    width, left = 2, tokens
    while left > width:
        widths.append(width)
        left -= width - 1
        width = min(width + 1, widest)
    return (*widths, left) if left > 1 else tuple(widths)
