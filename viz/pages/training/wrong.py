"""How training goes wrong: four twins, pre- and post-LN, with and without warm-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

import streamlit as st

from models.experiments.stability_table import StabilityRun, StabilityTable
from viz.figures.training_stability import TWINS, gradients_by_layer, runs_of, stability_curves, twin_name
from viz.pages.training.moment import choose_moment
from viz.pages.training.settings import UPDATES
from viz.text.language import SEMICOLON, _, listed
from viz.text.markup import plain
from viz.widgets.frame import Frame
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Wanted


def show_wrong(frame: Frame, table: StabilityTable) -> None:
    """Show the curves, the slider, and the gradient lengths at its moment."""
    st.header(_("How training goes wrong"), anchor=False)
    point = choose_moment(UPDATES, [f"{each:,}" for each in table.points], first=1) - 1
    visit, at = frame.visit(Wanted()), table.points[point]
    curves = stability_curves(table, at, width=visit.width)
    show(Shown(curves, key="wrong", says=_says(table, point), name="pre-LN post-LN warm-up"), visit)
    lengths = gradients_by_layer(table, point, width=visit.width)
    name = f"gradient lengths {at} updates"
    show(Shown(lengths, key="wrong-gradients", says=_says_of_gradients(table, point), name=name), visit)
    _about(table)


def _mean(runs: Sequence[StabilityRun], value: Callable[[StabilityRun], float]) -> float:
    return fmean(map(value, runs))


def _says(table: StabilityTable, point: int) -> str:
    """Say the loss and the alignment of each twin at a point, in the mean of its seeds."""
    parts = [
        _(
            "{twin}: loss {loss}, {aligned} aligned",
            twin=twin_name(twin),
            loss=f"{_mean(runs, lambda run: run.losses[point]):.2f}",
            aligned=f"{_mean(runs, lambda run: run.aligned[point]):.0%}",
        )
        for twin, runs in runs_of(table).items()
    ]
    return _("After {count} updates: {parts}.", count=f"{table.points[point]:,}", parts=listed(parts, SEMICOLON))


def _says_of_gradients(table: StabilityTable, point: int) -> str:
    """Say how the gradients of the last and of the first decoder layer compare."""
    parts = [
        _(
            "{twin}: {ratio} times",
            twin=twin_name(twin),
            ratio=_ratio(_mean(runs, lambda run: run.gradients[point][-1] / run.gradients[point][table.layers])),
        )
        for twin, runs in runs_of(table).items()
    ]
    return _("Gradient of the last decoder layer, compared with the first: {parts}.", parts=listed(parts, SEMICOLON))


def _ratio(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _about(table: StabilityTable) -> None:
    """Say what was trained and measured, what came of it, and what is not shown."""
    runs = runs_of(table)
    st.caption(
        plain(
            _(
                "Small Transformers trained for this page: {layers} layers a side, {parameters} parameters, {seeds} "
                "seeds each. Faint lines are seeds, strong lines their mean. Their sentences are made up: a "
                "dictionary of {words} words, and an adjective before a noun moves behind it. So the right alignment "
                "is known. Adam; learning rate {rate}, at once or after {warmup} updates; gradients are not clipped. "
                "Measured on {held_out} new sentences. Aligned: the strongest source token of a word is the right "
                "one, in the cross-attention head that is best on other sentences. Dashed: a random token ({chance}). "
                "Bars: from the lowest to the highest seed. Dotted: the moment shown.",
                layers=table.layers,
                parameters=f"{table.parameters:,}",
                seeds=len(runs[TWINS[0]]),
                words=table.words,
                rate=f"{table.learning_rate:g}",
                warmup=table.warmup,
                held_out=table.held_out,
                chance=f"{table.chance:.0%}",
            )
        )
    )
    with_warmup, without = ([run.losses[-1] for run in runs[False, warmed]] for warmed in (True, False))
    st.caption(
        plain(
            _(
                "Without warm-up, post-LN ends at a loss of {without} ({least} to {most}); with it, at {with_warmup}. "
                "Xiong et al. (2020) look at the gradients before the first update (drag to 0): in a post-LN decoder "
                "they grow towards the output, and full steps are too large there. That is their explanation, not "
                "something these curves prove. At the end, the lower decoder layers of post-LN without warm-up get "
                "almost no gradient. At half this learning rate post-LN learned without warm-up too "
                "(docs/training.md).",
                without=f"{fmean(without):.2f}",
                least=f"{min(without):.2f}",
                most=f"{max(without):.2f}",
                with_warmup=f"{fmean(with_warmup):.2f}",
            )
        )
    )
