"""Formulas as MathML with named terms, so that a step can highlight its own."""

from __future__ import annotations

from functools import cache

from latex2mathml.converter import convert

_OPEN, _CLOSE = "[[", "]]"
_MARK = "term-"


def terms_of(formula: str) -> tuple[str, ...]:
    """Name the terms of `formula`, LaTeX with terms as ``[[name:...]]``, in the order in which they stand."""
    return tuple(part.partition(":")[0] for part in formula.split(_OPEN)[1:])


@cache
def mathml(formula: str) -> str:
    """Return a formula as MathML: a term ``[[name:...]]`` gets the class ``term-name``; terms may nest."""
    made: str = convert(_named(formula, rf"\textcolor{{{_MARK}{{name}}}}{{{{", "}}"), display="block")
    return made.replace(f'mathcolor="{_MARK}', f'class="{_MARK}').replace('display="inline"', 'display="block"')


def _named(formula: str, before: str, after: str) -> str:
    shown, place = [], 0
    while place < len(formula):
        if formula.startswith(_OPEN, place):
            name = formula[place + len(_OPEN) :].partition(":")[0]
            shown.append(before.replace("{name}", name))
            place += len(_OPEN) + len(name) + 1
        elif formula.startswith(_CLOSE, place):
            shown.append(after)
            place += len(_CLOSE)
        else:
            shown.append(formula[place])
            place += 1
    return "".join(shown)
