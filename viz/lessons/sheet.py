"""Worksheet that a student hands in: one HTML file of pictures, remarks, answers and provenance."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from viz.text.language import _, current_language
from viz.text.policy import hash_of, policy_of_file

_STYLE = Path(__file__).with_suffix(".css")
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pin:
    """A picture that a student keeps."""

    title: str
    picture: bytes  # as SVG
    address: str  # the link that restores the page
    settings: Mapping[str, str]  # what the link says, the sentence among it
    provenance: tuple[str, ...]  # where each run comes from, a line each


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """What a student answered to a question of a lesson."""

    where: str  # the lesson and its step, the question, the choice
    ask: str  # the lesson and its step, the question, the choice
    given: str  # the lesson and its step, the question, the choice
    right: bool


def sheet_of(pins: Sequence[tuple[Pin, str]], answers: Sequence[SheetAnswer], author: str = "") -> str:
    """Return the sheet as HTML with everything inside; every text of the student is escaped."""
    title = _("Worksheet")
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(author)}</p>" if author else ""]
    parts += [_section(number, pin, remark) for number, (pin, remark) in enumerate(pins, 1)]
    if answers:
        rows = "".join(f"<dt>{escape(each.where)}</dt><dd>{_answer(each)}</dd>" for each in answers)
        heading = escape(_("Answers"))
        parts.append(f"<section><h2>{heading}</h2><dl>{rows}</dl></section>")
    style = _STYLE.read_text(encoding="utf8")
    return (
        f'<!doctype html><html lang="{escape(current_language(), quote=True)}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy_of_file(style=hash_of(style))}">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>{''.join(parts)}</body></html>"
    )


def _section(number: int, pin: Pin, remark: str) -> str:
    picture = b64encode(pin.picture).decode()
    facts = [(_("Link"), _link(pin.address))]
    facts += [(name, escape(value)) for name, value in pin.settings.items()]
    facts += [(_("Made by"), escape(each)) for each in pin.provenance]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in facts)
    said = f'<p class="remark">{escape(remark)}</p>' if remark else ""
    return (
        f"<section><h2>{number}. {escape(pin.title)}</h2>"
        f'<img alt="{escape(pin.title, quote=True)}" src="data:image/svg+xml;base64,{picture}">'
        f"{said}<dl>{rows}</dl></section>"
    )


def _link(address: str) -> str:
    """Return an address as a link if it is one of the web, else as text."""
    if not _WEB.match(address):
        return escape(address)
    return f'<a href="{escape(address, quote=True)}">{escape(address)}</a>'


def _answer(answer: SheetAnswer) -> str:
    said = _("right") if answer.right else _("not right")
    return f"{escape(answer.ask)}<br><b>{escape(answer.given)}</b> ({escape(said)})"
