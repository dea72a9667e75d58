"""LaTeX formulas as MathML."""

from __future__ import annotations

from functools import cache

from latex2mathml.converter import convert


@cache
def math_of(formula: str) -> str:
    r"""Return a formula as MathML, in a line."""
    return str(convert(formula))


@cache
def block_math_of(formula: str) -> str:
    """Return a formula as MathML, on lines of its own."""
    return str(convert(formula.replace("{aligned}", "{align*}"), display="block"))  # which the converter knows
