"""A Transformer's encoder limited to a pattern of attention, on the Why page: its maps, and what is lost."""

from __future__ import annotations

import streamlit as st

from models.edits import PATTERNS, TopK
from models.edits.patterns import Limit, keys_left
from models.keys import mechanism_of
from models.trace import AttentionTrace
from models.translation.checkpoints import CheckpointError
from models.translation.pattern_table import PatternTable, pattern_table
from viz.figures import alignment_heatmap
from viz.figures.limited_encoders import limited_encoders
from viz.measures.limited import pairs_met, share_kept
from viz.server.translations import forcible_translation
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.views.view import choose_view
from viz.widgets.edits.translation_consequence import MisfitError, edited_runs, show_consequence
from viz.widgets.patterns import PATTERN_TITLES, SIZE_TITLES, SIZES
from viz.widgets.settings import Choice, choose
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.turn import ask_to_turn
from viz.widgets.visit import Visit, Wanted

PATTERN = Choice("pattern", title=mark("Pattern of attention"), choices=PATTERN_TITLES)
SIZE = Choice(
    "size",
    title=mark("Size of the pattern"),
    choices={str(each): str(each) for each in SIZES},
    default="2",
    shape="slider",
)
LAYER = Choice("encoder", title=mark("Encoder layer"))

NARROW = 640
"""Pixels in which no two maps stand side by side under their titles."""


def show_limited(visit: Visit[Wanted], key: str, text: str, title: str, pair: str) -> None:
    """Let the reader limit the encoder of a model, and show it on a text and over the corpus."""
    st.subheader(_("{title}: the encoder with limited attention", title=title), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="limited-line"):
        pattern = choose(PATTERN)
        with st.container(width=300):
            size = int(choose(SIZE, title=_(SIZE_TITLES[pattern])))
        before = forcible_translation(visit.host, key, text)
        layers = [each.site.layer for each in before if (each.site.stack, each.site.kind) == ("encoder", "self")]
        layer = choose(LAYER, {str(each): _("layer {layer}", layer=each) for each in layers})
    if not before.output_text.strip():
        st.warning(_("The model produced an empty translation, so there is nothing to edit."))
        return
    edit = PATTERNS[pattern]("encoder.*.self", size)
    try:
        forced, afresh = edited_runs(visit.host, key, before, (edit,))
    except MisfitError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return
    show_consequence(before, forced, afresh, key)
    _show_maps(visit, before, forced, edit, int(layer))
    st.button(
        _("Take it to Surgery"),
        icon=":material/content_cut:",
        on_click=ask_to_turn,
        args=("surgery", _entry(key, text, edit, int(layer))),
        key="limited-to-surgery",
    )
    _show_corpus(visit, key, pattern, size, pair)


def _entry(key: str, text: str, edit: Limit, layer: int) -> dict[str, str]:
    """Return the link of Surgery with the same edit."""
    shown = f"encoder.{layer}.self.mean"
    return {"sentence": text, "model": mechanism_of(key), "edits": edit.to_text(), "shown": shown}


def _show_maps(visit: Visit[Wanted], before: AttentionTrace, after: AttentionTrace, edit: Limit, layer: int) -> None:
    site = f"encoder.{layer}.self"
    views = [choose_view(trace, unit="piece", site=site, head="mean") for trace in (before, after)]
    figure = alignment_heatmap(
        views,
        titles=(_("as trained"), _("limited")),
        columns=1 if visit.width < NARROW else None,
        width=visit.width,
    )
    show(Shown(figure, key="limited", says=_says(before, after, edit, site), name="limited encoder"), visit)


def _says(before: AttentionTrace, after: AttentionTrace, edit: Limit, site: str) -> str:
    """Say how many keys are left, which share of the attention they had, and which tokens have met at the end."""
    own = before[site].weights
    count = len(before.source)
    said = _(
        "A token attends to {keys} of {count} tokens on average. As trained they have {share} of this layer's "
        "attention. After {layers} limited layers, {met} of all pairs of tokens can have met.",
        keys=f"{keys_left(edit, count):.1f}",
        count=count,
        share=f"{share_kept(own, edit):.0%}",
        layers=sum(each.site.stack == "encoder" for each in after),
        met=f"{pairs_met(after):.0%}",
    )
    if isinstance(edit, TopK):
        said += " " + _("To find the largest weights, all pairs are still compared.")
    return said


def _show_corpus(visit: Visit[Wanted], key: str, pattern: str, size: int, pair: str) -> None:
    """Show BLEU by pattern, where it was measured; a damaged table is named."""
    try:
        table = pattern_table(pair).get(key)
    except CheckpointError as error:
        st.warning(plain(_("The measured results cannot be shown. {reason}", reason=say(error))))
        return
    if table is None:
        st.info(plain(_("BLEU by pattern is not measured for this model.")))
        return
    names = {name: _(title) for name, title in PATTERN_TITLES.items()}
    figure = limited_encoders(table, names, chosen=(pattern, size), width=visit.width)
    show(Shown(figure, key="patterns", says=_of_corpus(table), name="BLEU by pattern of attention"), visit)


def _of_corpus(table: PatternTable) -> str:
    windows = {row.size: row.bleu for row in table.rows if row.pattern == "near"}
    whole = next(row.bleu for row in table.rows if not row.pattern)
    said = _(
        "{count} sentences of {file} that are not in the training text, greedy decoding, the same weights throughout. "
        "They were trained without a limit: a model trained with one may lose less. Bars: 95% bootstrap interval.",
        count=table.sentences,
        file=table.file,
    )
    return (
        _(
            "A window of 2 subwords on each side: {narrow} BLEU, of 8: {wide}, no limit: {whole}.",
            narrow=f"{windows[2]:.1f}",
            wide=f"{windows[8]:.1f}",
            whole=f"{whole:.1f}",
        )
        + " "
        + said
    )
