"""Direct logit attribution and the logit lens, below the heads: what is added to one prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

import models
from models.trace import AttentionTrace
from viz.figures.by_head import numbers_by_head
from viz.figures.logit_lens import logit_lens_table
from viz.pages.heads.picked import file_name_of
from viz.pages.heads.settings import ADDS, AT, LENS, READ_TEXT
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.server.logits import Logits, logits_of
from viz.text.counting import position_name
from viz.text.language import _, say
from viz.text.markup import plain
from viz.text.tokens import isolated, shorten, visible
from viz.views.heads import HeadPlace, sites_at
from viz.widgets.settings import choose, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

if TYPE_CHECKING:
    from models.experiments.logits import LogitAttribution, LogitLens, Words

NAMED = 5
"""Words named of each picked head."""

WIDEST = 900
"""Pixels of the table of layers: more makes its rows hard to follow."""


def predicts_words(trace: AttentionTrace) -> bool:
    """Return whether a decoder of `trace` predicts a word at every place, so that layers add to it."""
    decodes = any(site.stack == "decoder" for site in trace.sites)
    return decodes and bool(trace.target or trace.predictions)


def show_logits(
    visit: Visit[HeadsSettings],
    shown: HeadSelection,
    picked: Sequence[HeadPlace],
    asked: Sequence[str],
    position: int,
) -> None:
    """Show what heads add to the prediction at `position`, and what each layer predicts there."""
    trace = shown.trace
    try:
        with st.spinner(_("Running the model …")):
            attribution, lens = _found(visit, trace, position)
    except models.InputError as error:
        st.info(plain(say(error)))
        return
    if ADDS in asked:
        _adds(visit, shown, attribution, picked)
    if LENS in asked:
        _lens(visit, shown, lens)


def _found(visit: Visit[HeadsSettings], trace: AttentionTrace, position: int) -> Logits:
    return logits_of(visit.host, trace.provenance.checkpoint, trace, position)


def choose_place(trace: AttentionTrace) -> int:
    """Let the reader choose at which place a word is predicted: that written there, or the one after a token."""
    written = bool(trace.target)
    texts = trace.target.texts if written else trace.source.texts
    labels = {}
    for place, text in enumerate(texts):
        word = isolated(shorten(visible(text)))
        said = _("{place}: writing “{word}”", place=position_name(place), word=word)
        labels[str(place)] = said if written else _("{place}: after “{word}”", place=position_name(place), word=word)
    link.belong(READ_TEXT, of=(trace.provenance.checkpoint, trace.source.ids, trace.target.ids), unless=labels)
    last = str(min(1, len(texts) - 1) if written else len(texts) - 1)
    with st.container(width=330):
        return int(choose(AT, labels, default=last))


def _adds(
    visit: Visit[HeadsSettings], shown: HeadSelection, found: LogitAttribution, picked: Sequence[HeadPlace]
) -> None:
    sites = set(sites_at(shown.trace, shown.sites))
    given = {HeadPlace(site.layer, head): number for number, (site, head) in enumerate(found.heads) if site in sites}
    if not given:
        st.info(
            _(
                "Encoder heads write into the source vectors, not into the vector that makes the prediction. Their "
                "effect is indirect. Choose decoder attention."
            )
        )
        return
    values = {place: float(found.contributions[number]) for place, number in given.items()}
    answer = isolated(visible(found.answer))
    most = max(values, key=values.__getitem__)
    picture = Shown(
        numbers_by_head(
            values,
            title=_("What each head adds to “{word}”", word=answer),
            meaning=_("added to the logit of “{word}”, minus the mean over the vocabulary", word=answer),
            largest=max(map(abs, found.contributions.tolist())),
            width=visit.width,
        ),
        key="head-adds",
        says=_sums(found, values, most, answer),
        name=file_name_of(shown, _("what heads add")),
    )
    show(picture, visit)
    _show_words(found, [place for place in picked if place in given], given)
    st.caption(
        _(
            "Direct effect only: how later layers use a head's output is not counted. A head with 0 may still "
            "matter. The final normalisation divides by a length that is frozen at its value here. Control: the "
            "mean over the vocabulary is subtracted from every number (direct logit attribution, Elhage et al. "
            "2021; Wang et al. 2023)."
        )
    )


def _show_words(found: LogitAttribution, picked: Sequence[HeadPlace], given: Mapping[HeadPlace, int]) -> None:
    """Show the words that each picked head makes likelier and less likely."""
    title = _("adds to “{word}”", word=isolated(visible(found.answer)))
    rows = [
        {
            _("head"): place.title,
            title: float(found.contributions[given[place]]),
            _("makes likelier"): _named(found.raised[given[place]]),
            _("makes less likely"): _named(found.lowered[given[place]]),
        }
        for place in picked
    ]
    if rows:
        number = st.column_config.NumberColumn(format="%+.2f")
        st.dataframe(rows, hide_index=True, column_config={title: number})


def _sums(found: LogitAttribution, values: dict[HeadPlace, float], most: HeadPlace, answer: str) -> str:
    heads = float(found.contributions.sum())
    here = sum(values.values())
    return _(
        "“{word}” ({share}): {head} adds most, {value}. Its logit is {logit} above the mean: {here} from these heads, "
        "{others} from other heads, {start} from the embedding, {rest} from feed-forward layers and biases.",
        word=answer,
        share=f"{found.probability:.1%}",
        head=most.title,
        value=f"{values[most]:+.2f}",
        logit=f"{found.logit:.2f}",
        here=f"{here:+.2f}",
        others=f"{heads - here:+.2f}",
        start=f"{found.embedding:+.2f}",
        rest=f"{found.rest:+.2f}",
    )


def _named(words: Words) -> str:
    return " · ".join(f"“{isolated(visible(word))}” {value:+.2f}" for word, value in words[:NAMED])


def _lens(visit: Visit[HeadsSettings], shown: HeadSelection, lens: LogitLens) -> None:
    answer = isolated(visible(lens.answer))
    last = len(lens.layers) - 1
    if lens.leads_from > last:
        says = _("“{word}” is not the most likely word after the last layer.", word=answer)
    elif lens.leads_from == 0:
        says = _("“{word}” is the most likely word before layer 0 and stays so.", word=answer)
    else:
        says = _(
            "“{word}” is the most likely word from layer {layer} on. Before layer 0 its rank is {rank}.",
            word=answer,
            layer=lens.leads_from - 1,
            rank=f"{lens.ranks[0]:,}",
        )
    figure = logit_lens_table(lens, width=min(visit.width, WIDEST))
    show(Shown(figure, key="logit-lens", says=says, name=file_name_of(shown, _("layer by layer"))), visit)
    st.caption(
        _(
            "First column: the answer's own probability and rank. Next: the most likely words of each layer. An "
            "orange frame marks the answer. Middle layers were not trained to be decoded by the output layer. A "
            "word that is absent here may still be present in another form (logit lens, nostalgebraist 2020)."
        )
    )
