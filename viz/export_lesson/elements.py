"""Streamlit elements as static HTML, with pictures put in by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from viz.export_lesson.running import canvas_of
from viz.shell.headless import (
    COMPONENT,
    elements_of,
    is_across,
    is_block,
    key_of,
    markup_of,
    parts_of,
    slid_to,
)
from viz.text.language import COMMA, listed
from viz.text.markdown import html_of

Mount = Callable[[str, Any], str]
"""Returns the HTML of a canvas, by its name and its element."""

_SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.DOTALL | re.IGNORECASE)
_HEADER = re.compile(r'<h1 class="bench-title">.*?</h1>', re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_HEADINGS = {"title": "h2", "header": "h3", "subheader": "h4"}
_ALERTS = ("info", "warning", "error", "success")
_LEFT_OUT = re.compile(r"keep-.*|beside-sentence|edit|timeline|pair-of-languages|model-box")
"""Keys of what only a server can answer, and of what the pictures say themselves."""

_LISTED = "edit-list"
"""The key of a list whose entries are buttons: they are said."""

_CLOSED = "none"
"""What choices call that nothing is shown."""


class PageElement:
    """A page as HTML, with its style sheets apart."""

    def __init__(self, block: Any, mount: Mount, *, sentence: bool, choices: bool) -> None:
        self.styles: list[str] = []
        self._mount, self._sentence, self._choices = mount, sentence, choices
        self.html = self._block(block)

    def _block(self, block: Any) -> str:
        return "".join(map(self._part, parts_of(block)))

    def _part(self, part: Any) -> str:
        if not is_block(part):
            return self._element(part)
        kind, key = part.type, key_of(part)
        if kind == "popover" or _LEFT_OUT.fullmatch(key):
            return ""
        if key == _LISTED:
            entries = (f"<li>{html_of(each.label or each.value, inline=True)}</li>" for each in elements_of(part))
            return f'<ul class="edits">{"".join(entries)}</ul>'
        inside = self._block(part)
        if not inside:
            return ""
        if kind == "column":
            return f'<div class="column" style="flex: {part.weight:.3f} 1 0">{inside}</div>'
        if kind == "expander":
            return f"<details><summary>{escape(part.label)}</summary>{inside}</details>"
        name = f"{'across ' if is_across(part) else ''}{f'st-key-{key}' if key else ''}".strip()
        return f'<div class="{escape(name)}">{inside}</div>' if name else inside

    def _element(self, element: Any) -> str:
        kind = element.type
        if kind == COMPONENT:
            name = canvas_of(element)
            return self._mount(name, element) if name else ""
        if kind == "html":
            return self._markup(markup_of(element))
        if kind in _HEADINGS:
            return f"<{_HEADINGS[kind]}>{html_of(element.value, inline=True)}</{_HEADINGS[kind]}>"
        if kind in ("markdown", "latex"):
            return f'<div class="said">{html_of(element.value)}</div>'
        if kind == "caption":
            return f'<div class="caption">{html_of(element.value)}</div>'
        if kind in _ALERTS:
            return f'<div class="alert">{html_of(element.value)}</div>'
        if kind == "plotly_chart":
            return self._mount("plotly", element)
        if kind == "dataframe":
            return table_of(element.value)
        if kind == "text_input":
            shown = self._sentence and element.value
            return f'<p class="sentence" dir="auto">{escape(str(element.value))}</p>' if shown else ""
        return _choice(element) if self._choices else ""

    def _markup(self, body: str) -> str:
        """Return what a page has written itself, every text in it escaped; no script of it runs in the file."""
        body = _HEADER.sub("", _SCRIPT.sub("", body))
        self.styles += _STYLE.findall(body)
        return _STYLE.sub("", body).strip()


def table_of(frame: Any) -> str:
    """Return a table as HTML."""
    head = "".join(f"<th>{escape(str(each))}</th>" for each in frame.columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in frame.itertuples(index=False))
    return (
        f'<div class="scroll"><table class="numbers"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return f"<td>{'✓' if value else ''}</td>"
    if isinstance(value, float):
        return "<td></td>" if value != value else f"<td>{value:.4g}</td>"
    return f"<td>{escape('' if value is None else str(value))}</td>"


def _choice(element: Any) -> str:
    """Return a control as what is chosen by it: it stands still in a file."""
    kind, label = element.type, getattr(element, "label", "")
    if kind == "toggle":
        return _said(label, ["✓"]) if element.value else ""
    if kind == "select_slider":
        return _said(label, [slid_to(element)])
    if kind == "selectbox":
        return "" if element.value in (None, _CLOSED) else _said(label, [element.options[element.index]])
    if kind == "button_group":
        return "" if element.value in (None, _CLOSED, []) else _said(label, element.formatted_values)
    return ""


def _said(label: str, chosen: Sequence[str]) -> str:
    if not chosen:
        return ""
    return f'<p class="choice"><span>{escape(label)}</span> <b>{escape(listed(chosen, COMMA))}</b></p>'
