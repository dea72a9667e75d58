"""Entries of the timeline that translate nothing and link to other pages."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from models.huggingface.reader_entries import READER_ENTRIES
from viz.server.hub import own_models
from viz.text.language import _
from viz.text.markup import plain
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import link


def show_readers() -> None:
    """Show in one fold what reads one text, each with links to the pages that show it."""
    there = sorted(
        (each for key, each in READER_ENTRIES.items() if each.about and key in own_models()), key=lambda each: each.year
    )
    if not there:
        return
    first, last = there[0].year, there[-1].year
    years = f"{first}\N{EN DASH}{last}" if first < last else f"{last}"
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
