"""Markdown as HTML for a file: formulas are drawn by the browser, and nothing of a teacher's text becomes markup."""

from __future__ import annotations

import re

import pytest

from viz.text.markdown import html_of


def test_markdown_and_formulas_are_markup() -> None:
    made = html_of(
        "A **word**, $e_{ij} = v^\\top h$.\n\n- one\n- two\n\n$$\\begin{aligned}a &= b \\\\ c &= d\\end{aligned}$$"
    )
    assert "<strong>word</strong>" in made
    assert made.count("<li>") == 2
    assert made.count("<math") == 2
    assert made.count("<mtr>") == 2
    assert "$" not in made


def test_a_line_has_no_paragraph_and_a_price_is_no_formula() -> None:
    assert html_of("It costs $5 and $6, *says* :small[he] :material/check:", inline=True) == (
        "It costs $5 and $6, <em>says</em> he "
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<img src="x" onerror="alert(1)">',
        "[link](javascript:alert(1))",
        "![picture](http://example.org/x.png)",
        "<http://example.org>",
        "$\\text{<img src=x onerror=alert(1)>}$",
        "$a &lt;img src=x onerror=alert(1)&gt; b$",
        "$\\href{javascript:alert(1)}{x}$",
        "$$<script>alert(1)</script>$$",
    ],
)
def test_nothing_in_a_text_becomes_an_element_that_acts(hostile: str) -> None:
    elements = set(re.findall(r"<([a-z]+)", html_of(hostile)))
    assert elements <= {"p", "code", "em", "math", "mrow", "mi", "mo", "mn", "mtext", "mstyle"}
    assert not re.search(r"<[a-z]+[^>]* (?:on|href|src)", html_of(hostile))
