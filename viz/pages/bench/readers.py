"""What stands on the timeline though it translates nothing: attention that reads one sentence, shown on other pages."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from models.huggingface.embedded import HOPS_READERS
from viz.server.hub import own_models
from viz.text.language import _
from viz.text.markup import plain
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import link

YEAR = 2017


def show_readers() -> None:
    """Show the self-attentive sentence embedding on the timeline, with links to the pages that show it."""
    key = HOPS_READERS[0]
    if key not in own_models():
        return
    name, pages = _("self-attentive"), (_("Heads"), _("Steps"), _("Surgery"))
    fold = st.popover(f":small[{YEAR}] {name}", type="tertiary", key="self-attentive", on_change="rerun")
    if not fold.open:
        return
    said = {"sentence": sentence} if (sentence := link.text_of(SENTENCE)) else {}
    choices = {"heads": {"model": key}, "steps": {"mechanism": "self-attentive"}, "surgery": {"model": key}}
    links = [
        f"[{title}]({address}?{urlencode({**choice, **said})})"
        for title, (address, choice) in zip(pages, choices.items(), strict=True)
    ]
    with fold:
        st.markdown(
            _("**Structured self-attentive sentence embedding**, Lin et al. {year}", year=YEAR)
            + "\n\n"
            + plain(
                _(
                    "It translates nothing: eight learned vectors, the hops, each spread a weight of 1 over the words "
                    "of one sentence, and a classifier says of which kind of text it is. Trained twice, with a penalty "
                    "that makes the hops read different words, and without it."
                )
            )
            + "\n\n"
            + " · ".join(links)
        )
