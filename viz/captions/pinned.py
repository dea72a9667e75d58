"""Sentences and strips of a pinned row: whose it is, of which text, and what is at its place now."""

from __future__ import annotations

import numpy as np

from viz.text.counting import position_name
from viz.text.language import _
from viz.text.tokens import isolated, shorten, visible, width
from viz.views.pinned import PinnedView
from viz.views.strips import Strip
from viz.views.view import View
from viz.views.written import WRITTEN

LONGEST_TEXT = 60  # columns of the text that are named: its end, where the row is


def pinned_strips(view: PinnedView, number: int) -> list[Strip]:
    """Return the pinned row and, if the text has changed, the row at its place now."""
    then = _("as pinned: “{query}”, {place}", query=_query(view, view.then), place=view.head.title)
    strips = [_strip(view, view.then, then, number)]
    if not view.is_same_text and not view.has_ended:
        now = _("now: “{query}”, {place}", query=_query(view, view.now), place=view.head.title)
        strips.append(_strip(view, view.now, now, number))
    return strips


def columns_sentence(view: PinnedView) -> str:
    """Say what columns and colours of pinned rows are: plain text."""
    return _("Columns: keys, by position, up to the row's own token. Colour: {meaning}.", meaning=view.then.meaning)


def pinned_sentence(view: PinnedView, number: int) -> str:
    """Say whose row is pinned, of which text and head, and what has become of the text: plain text."""
    whose = _(
        "Row {number}: “{query}” (position {position}), {place}, pinned in “{text}”.",
        number=number,
        query=_query(view, view.then),
        position=position_name(view.place),
        place=view.head.title,
        text=_text(view),
    )
    return f"{whose} {_changed(view)}"


def _changed(view: PinnedView) -> str:
    if view.is_same_text:
        return _("The text up to it is unchanged.")
    if view.has_ended:
        return _("The text has changed since: it now ends before this position.")
    said = _("The text has changed since: “{query}” is now at this position.", query=_query(view, view.now))
    (then, keys), (now, others) = (view.row(each) for each in (view.then, view.now))
    shared = next((place for place, (one, other) in enumerate(zip(keys, others, strict=True)) if one != other), 0)
    if not shared:
        return said
    key = int(np.abs(then - now)[:shared].argmax())
    differs = _(
        "Largest difference on a key that both have: “{key}”, {then} as pinned, {now} now.",
        key=isolated(visible(keys[key])),
        then=f"{then[key]:.2f}",
        now=f"{now[key]:.2f}",
    )
    return f"{said} {differs}"


def _strip(view: PinnedView, shown: View, name: str, number: int) -> Strip:
    weights, keys = view.row(shown)
    symbol = _("Row {number}", number=number)
    return Strip(name, symbol, weights[None], kind="weights", columns=keys)


def _query(view: PinnedView, shown: View) -> str:
    return isolated(shorten(visible(shown.query_labels.texts[view.place])))


def _text(view: PinnedView) -> str:
    """Return the end of the text up to the pinned token, with what was written marked."""
    trace, text = view.then.trace, view.then.trace.source_text
    if trace.written is not None and trace.written.first <= view.position:
        pieces = trace.source.texts[trace.written.first : view.position + 1]
        text += f" {WRITTEN}{''.join(pieces).lstrip()}"
    return isolated(text if width(text) <= LONGEST_TEXT else f"…{text[-LONGEST_TEXT:]}")
