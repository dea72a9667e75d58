"""An induction head being born: curves and patterns of a small network at a moment of its training."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from models.experiments.induction_table import InductionRun, InductionTable
from viz.figures.comparison import head_comparison
from viz.figures.induction_birth import induction_curves
from viz.pages.training.moment import choose_moment
from viz.pages.training.settings import BORN
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import HeadPlace
from viz.widgets.frame import Frame
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Wanted

SITES = "decoder.*.self"


def show_birth(frame: Frame, table: InductionTable) -> None:
    """Show the curves, the slider, and the map of every head at its moment."""
    st.header(_("An induction head being born"), anchor=False)
    point = choose_moment(BORN, [f"{each:,}" for each in table.points], first=_born(table) + 1) - 1
    visit, run = frame.visit(Wanted()), table.runs[0]
    figure = induction_curves(table, table.points[point], width=visit.width)
    show(Shown(figure, key="birth", says=_says(table, run, point), name="induction head"), visit)
    heads = [HeadPlace(layer, head) for layer in range(run.layers) for head in range(table.heads)]
    maps = head_comparison(table.trace(point), heads=heads, sites=SITES, width=visit.width)
    said = _(
        "A new sequence for this network: {count} random syllables, then the same again. In the second copy, an "
        "induction head attends to the token that followed the last time: a diagonal. Weights are rounded to 1/255.",
        count=table.shown,
    )
    show(Shown(maps, key="birth-maps", says=said, name=f"induction head {table.points[point]} updates"), visit)
    _about(table)


def _born(table: InductionTable) -> int:
    """Return the point where the induction score of the first run is half of what it gets."""
    best = table.runs[0].best
    return next(point for point, score in enumerate(best) if score >= max(best) / 2)


def _says(table: InductionTable, run: InductionRun, point: int) -> str:
    """Say what the heads do at a point."""
    induction, previous = (_strongest(each[point], table.heads) for each in (run.induction, run.previous))
    return _(
        "After {updates} updates (seed {seed}): loss of the second copy {second}, of the first {first} nats. Highest "
        "induction score: {head}, {score}. Highest previous-token score in the first copy: {other}, {weight}.",
        updates=f"{table.points[point]:,}",
        seed=run.seed,
        second=f"{run.second[point]:.2f}",
        first=f"{run.first[point]:.2f}",
        head=induction[0],
        score=f"{induction[1]:.2f}",
        other=previous[0],
        weight=f"{previous[1]:.2f}",
    )


def _strongest(scores: Sequence[float], heads: int) -> tuple[str, float]:
    best = max(range(len(scores)), key=scores.__getitem__)
    return HeadPlace(*divmod(best, heads)).title, scores[best]


def _about(table: InductionTable) -> None:
    """Say what was trained and measured, and what the controls are."""
    last = {layers: [run for run in table.runs if run.layers == layers] for layers in (1, 2)}
    st.caption(
        plain(
            _(
                "Networks with attention and no feed-forward part (Olsson et al. 2022), {parameters} parameters with "
                "two layers, {seeds} seeds each. Faint lines are seeds, strong lines their mean. Training sequences: "
                "{shortest} to {longest} random tokens, then the same tokens again; no fixed distance helps. Measured "
                "on {held_out} new sequences. Induction score: mean weight on the token that followed the last time. "
                "Control above: the first copy, which cannot be predicted. Control below: the weight one token "
                "further on. Dashed: even weights ({even}). Dotted: the moment shown.",
                parameters=f"{table.parameters:,}",
                seeds=len(last[2]),
                shortest=table.shortest,
                longest=table.longest,
                held_out=table.held_out,
                even=f"{table.even:.2f}",
            )
        )
    )
    st.caption(
        plain(
            _(
                "At the end, the loss of the second copy is {two} nats with two layers and {one} with one. Two layers "
                "are needed: a head of the first adds the previous token to each position, and a head of the second "
                "finds it there (Olsson et al. 2022). The curves turn at the same time. They do not prove that this "
                "head causes the drop.",
                two=f"{_mean(last[2]):.2f}",
                one=f"{_mean(last[1]):.2f}",
            )
        )
    )


def _mean(runs: Sequence[InductionRun]) -> float:
    return sum(run.second[-1] for run in runs) / len(runs)
