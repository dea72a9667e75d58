"""All numbers of a step: each component as a strip of cells, one worked out in digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from models.keys import identity_of
from viz.captions.strips import heading_of
from viz.text.language import _, say
from viz.text.markup import plain
from viz.walk.scene import Scene
from viz.walk.steps import WalkStep
from viz.widgets.equations import show_equations
from viz.widgets.fold import unfolded
from viz.widgets.show import show_strips
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

LONGEST_NAMED = 40  # characters of the sentence in the name of a file


def show_numbers(measure: Callable[[], Visit[Wanted]], looked_at: Sequence[tuple[Scene, WalkStep]]) -> None:
    """Show a closed fold with the numbers of a step, as each mechanism has them."""
    fold = unfolded(_("All numbers of this step"), "numbers-of-step")
    if fold is None:
        return
    with fold:
        visit = measure()
        for scene, step in looked_at:
            _show(visit, scene, step)


def _show(visit: Visit[Wanted], scene: Scene, step: WalkStep) -> None:
    about = scene.trace.provenance
    mechanism = identity_of(about.checkpoint) if scene.trace.classes else about.mechanism  # two readers by hops are one
    st.markdown(f"**{plain(_(scene.trace.provenance.title))}** \u00b7 {plain(step.title)}")
    headings = "; ".join(map(heading_of, step.strips))
    shown = Shown(
        key=f"steps-{mechanism}",
        says=_("Each cell is a number. Framed cells are computed in digits below. Point at a cell to see its number."),
        alt=f"{step.title}: {headings}. {step.says}",
        name=f"{scene.trace.source_text[:LONGEST_NAMED]} {mechanism} {step.key}",
    )
    show_strips(step.strips, shown, visit, title=f"{_(scene.trace.provenance.title)} \u00b7 {step.title}")
    if step.worked is not None:
        show_equations(*step.worked.lines, available=visit.width)
        st.caption(_("The model itself used {number}.", number=f"{step.worked.captured:.6f}"))
    notes = " \u00b7 ".join(map(say, scene.trace.provenance.notes))
    if notes:
        st.caption(plain(notes))
