"""The decoder without its causal mask: what it would write at each step, what it writes alone, how its map changes."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from models.trace import AttentionTrace
from viz.figures import alignment_heatmap
from viz.pages.steps.numbers import LONGEST_NAMED
from viz.pages.steps.places import StepPlace
from viz.text.language import _
from viz.text.markup import plain
from viz.views.view import choose_view
from viz.widgets.edits.translation_consequence import show_consequence
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted


def show_unmasked(measure: Callable[[], Visit[Wanted]], place: StepPlace) -> None:
    """Show what lifting the mask does to the words, forced and free, and to the map; nothing if it is not lifted."""
    lifted = place.trace
    if not lifted.provenance.edits or place.site is None:
        return
    visit, source = measure(), lifted.source_text
    host = visit.host
    masked = host.attend(place.key, source, lifted.output_text)
    free = host.attend(place.key, source, edits=lifted.provenance.edits)
    st.header(_("Without the mask"), anchor=False)
    show_consequence(masked, lifted, free, place.key)
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
    )
    views = [choose_view(trace, site=place.site, head=place.head) for trace in (masked, lifted)]
    ahead = sum(float(row[at + 1 :].sum()) for at, row in enumerate(views[1].weights)) / len(views[1].weights)
    shown = Shown(
        alignment_heatmap(views, titles=(_("with the mask"), _("without the mask")), width=visit.width),
        key="unmasked",
        says=_("Without the mask, {share} of the attention goes to later words.", share=f"{ahead:.0%}"),
        name=f"{source[:LONGEST_NAMED]} without the mask",
    )
    show(shown, visit)


def _likeliest(trace: AttentionTrace) -> str:
    """Return the likeliest token of every step, as one text."""
    return "".join(step.alternatives[0][0] for step in trace.steps if step.alternatives).strip().removesuffix("</s>")
