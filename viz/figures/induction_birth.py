"""An induction head being born: loss and induction score through training, and the patterns at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from viz.figures.drawing.lines import legend_lines, two_panels
from viz.figures.training_stability import HERE, here, mean_and_seeds
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.induction_table import InductionRun, InductionTable


def induction_curves(table: InductionTable, at: int, *, width: float = 1320) -> go.Figure:
    """Show the loss above and the induction score of the best head below, and the update `at`."""
    names = (_("two layers"), _("one layer"), _("two layers, control"))
    two, one = ([run for run in table.runs if run.layers == layers] for layers in (2, 1))
    upper = ([run.second for run in two], [run.second for run in one], [run.first for run in two])
    lower = ([run.best for run in two], [run.best for run in one], [_off(run) for run in two])
    lines: list[go.Scatter] = []
    for place, name in enumerate(names):
        said = _("loss <b>%{y:.2f}</b> after %{x:,} updates")
        lines += mean_and_seeds(table.points, upper[place], name, place, said)
        said = _("score <b>%{y:.2f}</b> after %{x:,} updates")
        below = mean_and_seeds(table.points, lower[place], name, place, said)
        lines += [line.update(yaxis="y2", showlegend=False) for line in below]
    layout = two_panels(
        _("Loss and induction score through training"),
        {"title": _("updates")},
        (
            {"title": _("held-out loss, nats"), "rangemode": "tozero"},
            {"title": _("induction score of the best head"), "range": [0, 1.02]},
        ),
        width=width,
        legend=legend_lines(names, width),
    )
    even = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": table.even, "y1": table.even}
    return go.Figure(lines, layout | {"shapes": [here(at), even | {"line": HERE | {"dash": "dash", "width": 1}}]})


def _off(run: InductionRun) -> Sequence[float]:
    """Return the weight one token further on of the head that is best in the end, at each point."""
    best = run.induction[-1].index(max(run.induction[-1]))
    return [point[best] for point in run.shifted]
