"""Alignment error rate of every cross-attention head, under both readings, on pairs aligned by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

import models
from models.keys import identity_of, pair_of
from viz.figures.by_head import numbers_by_head
from viz.pages.heads.settings import ALIGNED
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.heads import HeadPlace
from viz.widgets.fold import unfolded
from viz.widgets.sentence import languages_of
from viz.widgets.settings import choose_titled
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

if TYPE_CHECKING:
    from models.experiments.aligning_heads import AligningHead


def show_aligning(visit: Visit[HeadsSettings], key: str, shown: HeadSelection) -> None:
    """Rank the heads of cross-attention, once the reader opens the fold; nothing for other maps."""
    from models.experiments.aligning_heads import gold_pairs, rank_heads

    if not shown.sites.endswith("cross") or not gold_pairs():
        return
    fold = unfolded(_("Which head aligns? Every head on hand-aligned sentences"), "aligning")
    if fold is None:
        return
    with fold:
        pair = _pair(key, gold_pairs())
        try:
            with st.spinner(_("Scoring the heads on aligned sentences …")):
                found = shown.workings.get(("aligning", key, pair), lambda: rank_heads(visit.host.model(key), pair))
        except models.InputError as error:
            st.info(plain(say(error)))
            return
        _picture(visit, found, key)
        _table(found)


def _names() -> dict[str, str]:
    return {"written": _("the word being written"), "input": _("the word just read in")}


def _picture(visit: Visit[HeadsSettings], found: Sequence[AligningHead], key: str) -> None:
    """Show the lower error rate of each head, and say which aligns best."""
    best: dict[HeadPlace, float] = {}
    for each in found:
        best.setdefault(HeadPlace(each.site.layer, each.head), each.error_rate)
    said = _(
        "{head} aligns best, with rows labelled by {reading}: error rate {rate}.",
        head=next(iter(best)).title,
        reading=_names()[found[0].reading],
        rate=f"{found[0].error_rate:.2f}",
    )
    meaning = _("alignment error rate: 0 best, 1 no link right")
    figure = numbers_by_head(best, title=_("Which head aligns"), meaning=meaning, width=visit.width)
    show(Shown(figure, key="aligning", says=said, name=f"{key} aligning heads"), visit)


def _table(found: Sequence[AligningHead]) -> None:
    names = _names()
    rows = [
        {
            _("layer"): each.site.layer,
            _("head"): each.head,
            _("a row is"): names[each.reading],
            _("alignment error rate"): each.error_rate,
            _("to </s> and punctuation"): each.aside,
        }
        for each in found
    ]
    column = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")
    shares = dict.fromkeys((_("alignment error rate"), _("to </s> and punctuation")), column)
    st.dataframe(rows, hide_index=True, height=420, column_config=shares)
    said = _(
        "Thirty everyday sentence pairs with given translations. Each word is linked to the source word with the "
        "highest weight in its row (Och and Ney 2003). Weight on </s> and punctuation aligns nothing."
    )
    st.caption(plain(said))


def _pair(key: str, pairs: tuple[str, ...]) -> str:
    """Return the languages of the model; of a pretrained one whose name does not say them the reader chooses."""
    if not models.is_pretrained(key):
        return pair_of(key)
    own = next((pair for pair in pairs if pair in identity_of(key).lower()), None)
    if own is not None:
        return own
    labels = {pair: _("{source} to {target}", **languages_of(pair)) for pair in pairs}
    return choose_titled(ALIGNED, labels)
