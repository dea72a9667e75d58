"""Arithmetic in digits: LaTeX numbers, and sums with their largest terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, _n

Numbers = NDArray[np.floating[Any]]

MOST_TERMS = 3
"""Terms of a long sum that are written out in LaTeX: the largest."""

MOST_PARTS = 8
"""Parts of a long sum that a waterfall shows one by one: the largest."""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """A sum explained by its largest parts."""

    says: str  # what the sum is, in words
    parts: tuple[tuple[str, float], ...]  # the largest, by their size, each with how it came to be
    others: int  # how many further parts there are
    rest: float  # what those add
    total: float  # the sum


def waterfall(says: str, values: Numbers, label: Callable[[int], str]) -> Waterfall:
    """Return the sum of `values` as its `MOST_PARTS` largest parts and the rest.

    Shapes: `values` [part].
    """
    parts = np.asarray(values, dtype=np.float64)
    order = np.argsort(-np.abs(parts), kind="stable")
    kept = order if len(order) <= MOST_PARTS + 1 else order[:MOST_PARTS]
    rest = float(parts[order[len(kept) :]].sum())
    shown = tuple((label(int(each)), float(parts[each])) for each in kept)
    if len(kept) < len(order):
        says = _("{sum}: the {shown} largest of {count}", sum=says, shown=len(kept), count=len(order))
    return Waterfall(says, shown, len(order) - len(kept), rest, float(sum(part for _text, part in shown)) + rest)


def products_fall(
    says: str, left: Numbers, right: Numbers, *, over: float = 1.0, bias: float | None = None
) -> Waterfall:
    """Return the sum of the products of two vectors of one length as a waterfall.

    Shapes: `left` [d]; `right` [d].
    """
    one, other = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    values = one * other / over
    divided = "" if over == 1 else f" / {over:.3g}"

    def label(part: int) -> str:
        return _("bias") if part == len(one) else f"{one[part]:.3g} \u00d7 {other[part]:.3g}{divided}"

    return waterfall(says, values if bias is None else np.append(values, bias), label)


def number(value: float, digits: int = 3) -> str:
    r"""Return `value` in LaTeX, with powers of ten where fixed digits would leave nothing or too much."""
    if value == 0:
        return "0"
    if 10.0**-digits <= abs(value) < 1e5:
        return f"{value:.{digits}f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"


def factor(value: float, digits: int = 3) -> str:
    """Return `value` as a factor or a later term: a negative one in parentheses."""
    text = number(value, digits)
    return f"({text})" if value < 0 else text


def others(count: int, value: float) -> str:
    """Return the sum of `count` terms that are not written out."""
    said = _n("{count} other", "{count} others", count)
    return rf"\underbrace{{{factor(value)}}}_{{\text{{{said}}}}}"


def sum_of(terms: list[tuple[float, str]]) -> tuple[str, float]:
    """Write the sum of `terms`, each a value with how it is written: the largest in full, the rest as one number."""
    order = sorted(range(len(terms)), key=lambda each: -abs(terms[each][0]))
    kept = sorted(order if len(terms) <= MOST_TERMS + 1 else order[:MOST_TERMS])
    parts = [terms[each][1] for each in kept]
    if len(kept) < len(terms):
        rest = sum(value for place, (value, _text) in enumerate(terms) if place not in kept)
        parts.append(others(len(terms) - len(kept), rest))
    return " + ".join(parts), float(sum(value for value, _text in terms))


def products(left: Numbers, right: Numbers) -> tuple[str, float]:
    r"""Write the sum of the products of `left` and `right`, two vectors of one length.

    Shapes: `left` [d]; `right` [d].
    """
    one, other = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    terms = [
        (float(a * b), rf"{factor(float(a))} \cdot {factor(float(b))}")
        for a, b in zip(one.tolist(), other.tolist(), strict=True)
    ]
    return sum_of(terms)


def bias_of(bias: Numbers, row: int) -> tuple[str, float | None]:
    """Return how a bias is added in digits, and its number for a waterfall; nothing where a layer has no bias.

    Shapes: `bias` [row].
    """
    value = float(bias[row])
    return (f" + {factor(value)}", value) if np.any(bias) else ("", None)


def aligned(*lines: str) -> str:
    r"""Return lines of LaTeX below each other, aligned at their first ``&``."""
    return r"\begin{aligned}" + r" \\[0.4em] ".join(lines) + r"\end{aligned}"


def from_zero() -> str:
    """Return what is said beside arithmetic with positions themselves, which the models count from 0: LaTeX."""
    said = _("(positions from 0, as the model counts)")
    return rf"\text{{{said}}}"
