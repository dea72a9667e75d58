"""A decoder without its causal mask: what it would write at each step, what it writes alone, how a map changes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from models.edits import Edit, lift_mask
from models.trace import AttentionTrace
from viz.figures import alignment_heatmap
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.views.view import View
from viz.widgets.edits.translation_consequence import show_consequence
from viz.widgets.settings import Switch, switch
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.unmasked_twins import show_twins
from viz.widgets.visit import Visit, W

NARROW = 640  # pixels in which no two maps stand side by side under their titles
LONGEST_NAMED = 40  # characters of the sentence in the name of a file
UNMASKED = Switch("unmasked", title=mark("lift the causal mask"), anew_with=("walked mechanism", "opened model"))


def choose_unmasked() -> tuple[Edit, ...]:
    """Let the reader lift the mask of the decoder, and return the edit that does."""
    return (lift_mask("decoder.*.self"),) if switch(UNMASKED, default=False) else ()


def show_unmasked(
    visit: Visit[W], key: str, masked: AttentionTrace, lifted: AttentionTrace, views: Sequence[View]
) -> None:
    """Show what lifting the mask does to the words, forced and free, and to a map: `views` with the mask and without.

    Both runs are of the same text.
    """
    st.header(_("Without the mask"), anchor=False)
    _say(visit, key, masked, lifted)
    shown = Shown(
        alignment_heatmap(
            views,
            titles=(_("with the mask"), _("without the mask")),
            columns=1 if visit.width < NARROW else None,
            width=visit.width,
        ),
        key="unmasked",
        says=_("Without the mask, {share} of the attention goes to later words.", share=f"{_ahead(views[1]):.0%}")
        if views[1].shown.site.kind == "self" and views[1].quantity == "weights"
        else "",
        name=f"{lifted.source_text[:LONGEST_NAMED]} without the mask",
    )
    show(shown, visit)
    show_twins()


def _say(visit: Visit[W], key: str, masked: AttentionTrace, lifted: AttentionTrace) -> None:
    """Say what is written, forced and free, with the mask and without."""
    if lifted.is_translation:
        free = visit.host.attend(key, lifted.source_text, edits=lifted.provenance.edits)
        show_consequence(masked, lifted, free, key)
    else:
        said = _(
            "Log-probability of this text: {masked} nats with the mask, {lifted} without.",
            masked=_probability(masked),
            lifted=_probability(lifted),
        )
        st.markdown(plain(said))
    said = _(
        "Most likely at each step of the same text: “{masked}” with the mask, “{lifted}” without.",
        masked=_likeliest(masked),
        lifted=_likeliest(lifted),
    )
    st.markdown(plain(said))
    st.caption(
        _(
            "The same translation is forced, so all later words are there and can be attended to. While the model "
            "writes alone they do not exist yet: lifting the mask changes nothing then. This model was trained with "
            "the mask and never learnt to use later words."
        )
        if lifted.is_translation
        else _(
            "The whole text is given, so all later words are there and can be attended to. While the model writes "
            "alone they do not exist yet: lifting the mask changes nothing then. This model was trained with the "
            "mask and never learnt to use later words."
        )
    )


def _ahead(view: View) -> float:
    """Return the share of the attention that goes to keys after the query."""
    return sum(float(row[at + 1 :].sum()) for at, row in enumerate(view.weights)) / len(view.weights)


def _probability(trace: AttentionTrace) -> str:
    return f"{sum(each.log_probability or 0 for each in trace.predictions):.2f}".replace("-", "\u2212")


def _likeliest(trace: AttentionTrace) -> str:
    """Return the likeliest token of every step, as one text."""
    found = trace.steps or trace.predictions
    return "".join(each.alternatives[0][0] for each in found if each.alternatives).strip().removesuffix("</s>")
