"""Markdown with formulas as self-contained HTML."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from viz.text.formula import block_math_of, math_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?=\S)(?P<line>[^$\n]*?[^$\s])\$(?!\d)", re.DOTALL)
_MATH = re.compile(r"\{http://www\.w3\.org/1998/Math/MathML\}m(?!action)[a-z]+")
_PLAIN = frozenset(
    (
        *(
            "display",
            "displaystyle",
            "stretchy",
            "mathvariant",
            "linethickness",
            "accent",
            "accentunder",
            "movablelimits",
        ),
        *(
            "form",
            "fence",
            "separator",
            "minsize",
            "maxsize",
            "linebreak",
            "columnalign",
            "columnspacing",
            "rowspacing",
        ),
        *("columnlines", "rowlines", "scriptlevel", "lspace", "rspace", "width", "height", "depth", "voffset"),
        *("notation", "largeop", "symmetric", "mathcolor", "mathbackground", "mathsize", "frame"),
    )
)
"""Attributes of MathML that only say how a formula looks."""

_DIRECTIVE = re.compile(r":(?:small|material)(?:\[(?P<text>[^\]]*)\]|/[a-z_]+:)")


def html_of(text: str, *, inline: bool = False) -> str:
    r"""Return Markdown as HTML: what it holds of HTML is text, links and pictures too, and formulas are MathML."""
    plain = _DIRECTIVE.sub(lambda found: found["text"] or "", text)
    reader = _reader()
    return str(reader.renderInline(plain) if inline else reader.render(plain))


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "breaks": False}).disable(["link", "image", "autolink"])
    reader.enable("table")
    reader.inline.ruler.before("escape", "formula", _find_formula)
    reader.add_render_rule("formula", _show_formula)
    return reader


def _find_formula(state: StateInline, silent: bool) -> bool:
    """Take the formula that begins where `state` stands; False if none does."""
    if state.src[state.pos] != "$" or (found := _FORMULA.match(state.src, state.pos, state.posMax)) is None:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content, token.block = found["block"] or found["line"], found["block"] is not None
    state.pos = found.end()
    return True


def _show_formula(_renderer: Any, tokens: Any, number: int, _options: Any, _around: Any) -> str:
    token = tokens[number]
    try:
        math = block_math_of(token.content) if token.block else math_of(token.content)
    except Exception:
        math = ""
    return math if _is_math(math) else f"<code>{escape(token.content)}</code>"


def _is_math(markup: str) -> bool:
    """Return whether `markup` is MathML and no more: the converter lets text of a formula become elements."""
    try:
        elements = list(ElementTree.fromstring(markup).iter())
    except ElementTree.ParseError:
        return False
    return all(_MATH.fullmatch(each.tag) and _PLAIN.issuperset(each.attrib) for each in elements)
