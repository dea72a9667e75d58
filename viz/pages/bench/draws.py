"""Hard-attention samples on the Bench, beside the row that they are drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import models
from models.edits import sample
from models.trace import AttentionTrace
from viz.figures.draws import draws_heatmap
from viz.measures.draws import PROBABILITIES, as_probabilities, as_shares, share_of_likeliest, translations_of
from viz.pages.bench.built import millions
from viz.pages.bench.settings import DRAWS
from viz.pages.bench.wanted import LONGEST_NAMED, BenchSettings, Compared
from viz.server.runs import Run
from viz.server.runtime import Host
from viz.server.translations import forcible_translation
from viz.text.language import _, _n, listed
from viz.text.markup import plain
from viz.views.view import choose_view
from viz.widgets.settings import choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

COUNT = 20
"""Draws of one picture."""

STARTS = (1, 21, 41, 61, 81)
"""The first seed of each choice of draws."""

PLACE = "decoder.0.cross"
SITES = ("*.weights", f"*.{PROBABILITIES}")


def has_draws(key: str) -> bool:
    """Return whether the model `key` was trained to draw the place that it reads."""
    return models.describe(key).mechanism.draws


def show_draws(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Show the probabilities beside what was drawn, word by word, and the translations that came of other draws."""
    host, wanted, traces = visit.host, visit.wanted, ran.traces
    key = next(each for each in traces if has_draws(each))
    with st.container(width=250):
        first = int(choose(DRAWS, {str(each): _said(each) for each in STARTS}))
    seeds = range(first, first + COUNT)
    source = traces[key].source_text
    given = traces[key] if ran.target is not None else forcible_translation(host, key, source)
    if not given.output_text.strip():
        st.info(_("The translation is empty, so there are no draws to count."))
        return
    likeliest, *drawn = _runs(host, key, source, given.output_text, seeds)
    soft, shares = (
        choose_view(each, unit=wanted.unit, reading=wanted.reading)
        for each in (as_probabilities(likeliest), as_shares(drawn))
    )
    share = f"{share_of_likeliest(drawn):.0%}"
    shown = Shown(
        draws_heatmap(soft, shares, count=COUNT, colour=wanted.colour, width=visit.width),
        key="draws",
        says=_("In {share} of rows the sampled word was also the most likely one.", share=share),
        name=f"{source[:LONGEST_NAMED]} draws",
    )
    show(shown, visit)
    st.caption(
        _(
            "All draws write the same translation. Each seed samples one word per row. The sampled word enters the "
            "decoder state, so probabilities in later rows differ slightly between draws. The probabilities shown "
            "are from the run that takes the most likely word each time. That run also writes the translation. "
            "Trained with the straight-through Gumbel-softmax estimator. A small model ({size} M parameters), "
            "trained on short everyday text.",
            size=millions(models.describe(key).card),
        )
    )
    _show_translations(host, key, source, seeds)


def _said(first: int) -> str:
    return _("draws {first} to {last}", first=first, last=first + COUNT - 1)


def _runs(host: Host, key: str, source: str, target: str | None, seeds: Sequence[int]) -> list[AttentionTrace]:
    """Return the run that draws nothing, and one a seed."""
    edits = [(), *((sample(PLACE, None, None, seed),) for seed in seeds)]
    return host.attend_each([Run(key, source, target, {"sites": SITES, "edits": each}) for each in edits])


def _show_translations(host: Host, key: str, source: str, seeds: Sequence[int]) -> None:
    """Show what is written when every word is drawn, each translation once."""
    likeliest, *drawn = _runs(host, key, source, None, seeds)
    found = translations_of({seed: each.output_text for seed, each in zip(seeds, drawn, strict=True)})
    st.markdown(
        plain(
            _n(
                "Free translation: {seeds} draws give {count} translation. With the most likely word each time: {text}",
                "Free translation: {seeds} draws give {count} translations. With the most likely word each "
                "time: {text}",
                len(found),
                seeds=len(seeds),
                text=likeliest.output_text,
            )
        )
    )
    st.dataframe(
        {
            _("draws"): [len(each.seeds) for each in found],
            _("translation"): [each.text for each in found],
            _("seeds"): [listed(map(str, each.seeds)) for each in found],
        },
        hide_index=True,
    )
