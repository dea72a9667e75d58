"""Entries of the timeline that translate nothing and link to other pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

import streamlit as st

from models.huggingface.reader_entries import READER_ENTRIES, ReaderEntry
from viz.server.hub import own_models
from viz.text.language import _
from viz.text.markup import plain
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import link


def readers() -> list[ReaderEntry]:
    """Return the readers of one text that there are, oldest first."""
    own = own_models()
    there = (each for key, each in READER_ENTRIES.items() if each.about and key in own)
    return sorted(there, key=lambda each: each.year)


def span_of(years: Iterable[int]) -> str:
    """Write years from the first to the last."""
    first, last = min(found := list(years)), max(found)
    return str(first) if first == last else f"{first}\N{EN DASH}{last % 100}"


def show_readers(there: Sequence[ReaderEntry]) -> None:
    """Show readers in one fold, each with links to the pages that show it."""
    years = span_of(each.year for each in there)
    fold = st.popover(f":small[{years}] " + _("readers"), type="tertiary", key="readers", on_change="rerun")
    if not fold.open:
        return
    pages = {"heads": _("Heads"), "steps": _("Steps"), "surgery": _("Surgery")}
    said = {"sentence": sentence} if (sentence := link.text_of(SENTENCE)) else {}
    with fold:
        for each in there:
            choices = {"heads": {"model": each.key}, "steps": {"mechanism": each.name}, "surgery": {"model": each.key}}
            links = [f"[{title}]({page}?{urlencode({**choices[page], **said})})" for page, title in pages.items()]
            told = _(each.headline, year=each.year), plain(_(each.about)), " · ".join(links)
            st.markdown("\n\n".join(told))
