"""Table of heads: labels and measures on this sentence, in the chosen order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import models
from models.measures.heads import Measure
from models.sites import Site
from viz.captions.measures import label_name, left_out, meaning_of, meaning_of_label, name_of, remark_of
from viz.figures.by_head import numbers_by_head
from viz.measures import head_profile
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import HeadPlace
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

NOT_REPEATED: tuple[Mapping[HeadPlace, Mapping[str, float]], float] = ({}, 0.0)
TALLEST = 640  # pixels: a longer table is scrolled


def head_picture(visit: Visit[HeadsSettings], profiles: Sequence[head_profile.Profile], by: str, name: str) -> None:
    """Show one number of every head as a picture, a row a layer."""
    if not profiles:
        return
    measure = next((each for each in head_profile.columns_of(profiles) if each.key == by), None)
    title = _("score of the label") if measure is None else name_of(measure)
    values = {each.place: each.label.score if measure is None else each.values[by] for each in profiles}
    most = max(profiles, key=lambda each: values[each.place])
    shown = Shown(
        numbers_by_head(values, title=title, meaning=title, width=visit.width),
        key="heads-by-number",
        says=_("{head} is highest: {label}.", head=most.place.title, label=remark_of(most.label, most.sink)),
        name=name,
    )
    show(shown, visit)


def repeated_of(
    visit: Visit[HeadsSettings], shown: HeadSelection, key: str
) -> tuple[Mapping[HeadPlace, Mapping[str, float]], float]:
    """Score every head on random words that are read twice, and say what an even row gives; nothing for translators.

    The two numbers are scores by name, by head, and the chance of induction.
    """
    from models.experiments.repeated_words import repeated_scores, repeated_text

    if shown.trace.is_translation or not shown.sites.endswith("self"):
        return NOT_REPEATED
    try:
        found = repeated_scores(visit.host.attend(key, repeated_text()))
    except models.InputError:  # of a model that takes fewer tokens
        return NOT_REPEATED
    names = {"induction": _("induction, random words"), "duplicate": _("duplicate token, random words")}
    names["previous"] = _("previous token, random words")
    by_head = {
        HeadPlace(each.site.layer, head): {name: float(getattr(each, part)[head]) for part, name in names.items()}
        for each in found
        for head in range(len(each.induction))
    }
    return by_head, max((each.chance for each in found), default=0.0)


def head_table(
    profiles: Sequence[head_profile.Profile],
    site: Site,
    picked: Sequence[HeadPlace],
    *,
    whole: bool = False,
    repeated: tuple[Mapping[HeadPlace, Mapping[str, float]], float] = NOT_REPEATED,
) -> None:
    """Show label, score and measures of heads in a table, with what each measure says."""
    st.header(_("Every head in numbers, on this sentence"), anchor=False)
    if not profiles:
        st.info(_("No head has this label here."))
        return
    if whole:
        said = _("Labels and numbers cover the whole map, including hidden tokens and weights that are not drawn.")
        st.caption(plain(said))
    measures = head_profile.columns_of(profiles)
    names = {measure.key: name_of(measure) for measure in measures}
    rows = [
        {_("picked"): "✓" if each.place in picked else "", _("layer"): each.place.layer, _("head"): each.place.head}
        | {_("label"): label_name(each.label, each.sink), _("score"): each.label.score}
        | dict(repeated[0].get(each.place, {}))
        | {name: each.values[key] for key, name in names.items()}
        for each in profiles
    ]
    score = _("For a pattern: its share of the attention. For a broad head: its entropy, as a share of the maximum.")
    columns = {_("score"): st.column_config.NumberColumn(help=score, format="%.2f")}
    columns |= {names[measure.key]: _column(measure) for measure in measures}
    share = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")
    columns |= {name: share for each in repeated[0].values() for name in each}
    height: Any = "content" if len(rows) <= 24 else TALLEST
    st.dataframe(rows, hide_index=True, height=height, column_config=columns, key="head-table")
    lines = [f"- **{plain(name_of(measure))}**: {plain(meaning_of(measure))}" for measure in measures]
    lines += [f"- **{plain(_('label'))}**: {plain(meaning_of_label())}", f"- **{plain(_('score'))}**: {plain(score)}"]
    if repeated[0]:
        random_words = _("random words")
        lines.append(f"- **{plain(random_words)}**: {plain(_meaning_of_repeated(repeated[1]))}")
    reason = left_out(site)
    st.caption("\n".join(lines) + (f"\n\n{plain(reason)}" if reason else ""))


def _meaning_of_repeated(chance: float) -> str:
    return _(
        "20 common words drawn at random, read twice. Induction: mean weight from a token of the second copy to "
        "the token after the first copy (uniform: {chance}). Duplicate token: mean weight to the first copy. "
        "Previous token: mean weight from every token to the one before (Olsson et al. 2022).",
        chance=f"{chance:.2f}",
    )


def _column(measure: Measure) -> Any:
    if measure.is_share:
        return st.column_config.ProgressColumn(help=meaning_of(measure), min_value=0, max_value=1, format="%.2f")
    return st.column_config.NumberColumn(help=meaning_of(measure), format="%.2f")
