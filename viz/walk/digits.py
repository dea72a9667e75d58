"""Arithmetic in digits, as LaTeX: numbers, sums of products cut to their largest, and the term of a formula lit up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, _n

Numbers = NDArray[np.floating[Any]]

LIT_COLOUR = "#c9530a"
"""Of the term that a step computes, which also has a frame: a contrast of 4 or more on light and on dark pages."""

MOST_TERMS = 3
"""Terms of a long sum that are written out: the largest."""

_OPEN, _CLOSE = "[[", "]]"


def light_up(formula: str, term: str) -> str:
    r"""Return `formula`, whose terms stand as ``[[name:...]]``, with the term `term` framed and coloured.

    Terms may stand within terms. A term that the formula does not have lights nothing.

    Parameters
    ----------
    formula : str
        LaTeX.
    term : str
        Its name.

    Examples
    --------
    >>> light_up(r"c = \\sum [[softmax:a([[scores:e]])]] h", "scores")
    'c = \\\\sum a(\\textcolor{#c9530a}{\\boxed{e}}) h'
    """
    shown, stack, place = [], [], 0
    while place < len(formula):
        if formula.startswith(_OPEN, place):
            name, _colon, _rest = formula[place + len(_OPEN) :].partition(":")
            stack.append(name)
            shown.append(rf"\textcolor{{{LIT_COLOUR}}}{{\boxed{{" if name == term else "")
            place += len(_OPEN) + len(name) + 1
        elif formula.startswith(_CLOSE, place) and stack:
            shown.append("}}" if stack.pop() == term else "")
            place += len(_CLOSE)
        else:
            shown.append(formula[place])
            place += 1
    return "".join(shown)


def terms_of(formula: str) -> tuple[str, ...]:
    """Name the terms of `formula` in the order in which they stand.

    Parameters
    ----------
    formula : str
        As `light_up` takes it.

    Examples
    --------
    >>> terms_of("[[context:c [[scores:e]]]]")
    ('context', 'scores')
    """
    return tuple(part.partition(":")[0] for part in formula.split(_OPEN)[1:])


def number(value: float, digits: int = 3) -> str:
    r"""Return `value` in LaTeX, with powers of ten where fixed digits would leave nothing or too much.

    Parameters
    ----------
    value : float
    digits : int, optional
        After the point.

    Examples
    --------
    >>> number(0.25), number(-0.00001234), number(0.0)
    ('0.250', '-1.23 \\cdot 10^{-5}', '0')
    """
    if value == 0:
        return "0"
    if 10.0**-digits <= abs(value) < 1e5:
        return f"{value:.{digits}f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def factor(value: float, digits: int = 3) -> str:
    """Return `value` as a factor or a later term: a negative one in parentheses.

    Parameters
    ----------
    value : float
    digits : int, optional
        After the point.
    """
    text = number(value, digits)
    return f"({text})" if value < 0 else text


def others(count: int, value: float) -> str:
    """Return the sum of `count` terms that are not written out.

    Parameters
    ----------
    count : int
    value : float
        Their sum.
    """
    said = _n("{count} other", "{count} others", count)
    return rf"\underbrace{{{factor(value)}}}_{{\text{{{said}}}}}"


def sum_of(terms: list[tuple[float, str]]) -> tuple[str, float]:
    """Write the sum of `terms`, each a value with how it is written: the largest in full, the rest as one number.

    Parameters
    ----------
    terms : list of (float, str)

    Returns
    -------
    str
        In LaTeX, the terms in their own order.
    float
        The sum.
    """
    order = sorted(range(len(terms)), key=lambda each: -abs(terms[each][0]))
    kept = sorted(order if len(terms) <= MOST_TERMS + 1 else order[:MOST_TERMS])
    parts = [terms[each][1] for each in kept]
    if len(kept) < len(terms):
        rest = sum(value for place, (value, _text) in enumerate(terms) if place not in kept)
        parts.append(others(len(terms) - len(kept), rest))
    return " + ".join(parts), float(sum(value for value, _text in terms))


def products(left: Numbers, right: Numbers) -> tuple[str, float]:
    r"""Write the sum of the products of `left` and `right`, two vectors of one length.

    Parameters
    ----------
    left, right : array, [d]

    Returns
    -------
    str
        LaTeX.
    float
        The sum.

    Examples
    --------
    >>> products(np.array([0.5, -2.0]), np.array([1.0, 0.25]))
    ('0.500 \\cdot 1.000 + (-2.000) \\cdot 0.250', 0.0)
    """
    one, other = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    terms = [
        (float(a * b), rf"{factor(float(a))} \cdot {factor(float(b))}")
        for a, b in zip(one.tolist(), other.tolist(), strict=True)
    ]
    return sum_of(terms)


def aligned(*lines: str) -> str:
    r"""Return lines of LaTeX below each other, aligned at their first ``&``."""
    return r"\begin{aligned}" + r" \\[0.4em] ".join(lines) + r"\end{aligned}"


def from_zero() -> str:
    """Return what is said beside arithmetic with positions themselves, which the models count from 0: LaTeX."""
    said = _("(positions from 0, as the model counts)")
    return rf"\text{{{said}}}"
