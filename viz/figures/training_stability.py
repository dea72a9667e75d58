"""Four twins, pre- and post-LN, with and without warm-up: curves through training, gradient lengths by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from viz.figures.drawing.lines import (
    BELOW,
    LEFT,
    LEGEND_LINE,
    PANEL,
    TITLE_HEIGHT,
    WRAPPED_LINE,
    headed,
    legend_lines,
    line_axis,
    line_style,
    two_panels,
)
from viz.figures.drawing.theme import NOTE_SIZE, template
from viz.text import tokens
from viz.text.language import _

if TYPE_CHECKING:
    from models.experiments.stability_table import StabilityRun, StabilityTable

TWINS = ((False, True), (False, False), (True, True), (True, False))
"""Whether pre-LN, whether with warm-up: the order of the lines."""
HERE = {"color": "rgba(128, 128, 128, 0.9)", "width": 2, "dash": "dot"}
FAINT = 0.35  # opacity of the line of one seed

_POWERS = {"type": "log", "dtick": 1, "exponentformat": "power"}

Runs = Mapping[tuple[bool, bool], Sequence["StabilityRun"]]


def twin_name(twin: tuple[bool, bool]) -> str:
    """Say which of the four twins it is."""
    return {
        (False, True): _("post-LN, warm-up"),
        (False, False): _("post-LN, no warm-up"),
        (True, True): _("pre-LN, warm-up"),
        (True, False): _("pre-LN, no warm-up"),
    }[twin]


def runs_of(table: StabilityTable) -> Runs:
    """Return the runs of each twin, a seed each."""
    return {twin: [run for run in table.runs if run.twin == twin] for twin in TWINS}


def stability_curves(table: StabilityTable, at: int, *, width: float = 1320) -> go.Figure:
    """Show the loss above and the alignment below: the mean of the seeds, each seed faintly, and the update `at`."""
    lines = []
    for place, (twin, runs) in enumerate(runs_of(table).items()):
        said = _("loss <b>%{y:.2f}</b> after %{x:,} updates")
        lines += mean_and_seeds(table.points, [run.losses for run in runs], twin_name(twin), place, said)
        said = _("<b>%{y:.0%}</b> of words aligned after %{x:,} updates")
        below = mean_and_seeds(table.points, [run.aligned for run in runs], twin_name(twin), place, said)
        lines += [line.update(yaxis="y2", showlegend=False) for line in below]
    layout = two_panels(
        _("Four twins through training"),
        {"title": _("updates")},
        (
            {"title": _("held-out loss, nats"), "rangemode": "tozero"},
            {"title": _("words aligned"), "range": [0, 1.02], "tickformat": ".0%"},
        ),
        width=width,
        legend=legend_lines([twin_name(twin) for twin in TWINS], width),
    )
    chance = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": table.chance, "y1": table.chance}
    return go.Figure(lines, layout | {"shapes": [here(at), chance | {"line": HERE | {"dash": "dash", "width": 1}}]})


def here(at: float) -> dict[str, Any]:
    """Return the dotted line through both panels at the moment that is shown."""
    return {"type": "line", "xref": "x", "x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1, "line": HERE}


def mean_and_seeds(
    points: Sequence[int], values: Sequence[Sequence[float]], name: str, place: int, said: str
) -> list[go.Scatter]:
    """Return the line of the mean over seeds, in the legend, and a faint one of each seed.

    Shapes: `values` [seed, point].
    """
    style, shared = line_style(place), {"x": points, "legendgroup": name}
    seeds = [
        go.Scatter(
            y=own, mode="lines", line=style["line"] | {"width": 1}, opacity=FAINT, hoverinfo="skip", showlegend=False,
            **shared,
        )
        for own in values
    ]  # fmt: skip
    mean = go.Scatter(
        y=np.mean(values, axis=0), name=tokens.escape(name), hovertemplate=f"{said}<extra></extra>", **shared, **style
    )
    return [*seeds, mean]


def gradients_by_layer(table: StabilityTable, point: int, *, width: float = 1320) -> go.Figure:
    """Show the length of each layer's gradient at a point, the mean of the seeds and from least to most of them."""
    lines = []
    for place, (twin, runs) in enumerate(runs_of(table).items()):
        lines.append(_by_layer(np.array([run.gradients[point] for run in runs]), twin_name(twin), place, table.layers))
    names = legend_lines([twin_name(twin) for twin in TWINS], width)
    top = TITLE_HEIGHT + names * (LEGEND_LINE if names == 1 else WRAPPED_LINE)
    ticks = [_place(number, table.layers) for number in range(2 * table.layers)]
    layers = [number % table.layers for number in range(2 * table.layers)]
    layout = {
        "template": template(),
        "width": width,
        "height": PANEL + top + BELOW + 10,
        "margin": {"l": LEFT + 8, "r": 16, "t": top, "b": BELOW + 10},
        "title": headed(_("Length of the gradient by layer, after {count} updates", count=table.points[point])),
        "legend": {"orientation": "h", "y": 1.01, "yanchor": "bottom", "x": 0, "font": {"size": NOTE_SIZE}},
        "xaxis": line_axis(
            {"title": _("layers of the encoder, then of the decoder"), "tickvals": ticks, "ticktext": layers}
        ),
        "yaxis": line_axis({"title": _("L2 length (log scale)"), "range": _range(table), **_POWERS}),
    }
    return go.Figure(lines, layout)


def _place(layer: int, layers: int) -> float:
    """Return where a layer is: a gap parts encoder and decoder."""
    return layer + (1 if layer >= layers else 0)


def _by_layer(lengths: NDArray[np.float64], name: str, place: int, layers: int) -> go.Scatter:
    mean = lengths.mean(axis=0)  # [layer], of [seed, layer]
    order = [*range(layers), None, *range(layers, 2 * layers)]  # nothing is drawn through the gap
    stacks = [_("encoder"), _("decoder")]

    def spread(values: NDArray[np.float64]) -> list[float | None]:
        return [None if each is None else float(values[each]) for each in order]

    return go.Scatter(
        x=[layers if each is None else _place(each, layers) for each in order],
        y=spread(mean),
        error_y={
            "array": spread(lengths.max(axis=0) - mean),
            "arrayminus": spread(mean - lengths.min(axis=0)),
            "thickness": 1.2,
            "width": 3,
        },
        customdata=[["", 0] if each is None else [stacks[each // layers], each % layers] for each in order],
        name=tokens.escape(name),
        hovertemplate="<b>%{y:.3g}</b> " + _("%{customdata[0]} layer %{customdata[1]}") + "<extra></extra>",
        **line_style(place),
    )


def _range(table: StabilityTable) -> list[float]:
    """Return the powers of ten between which all lengths of the table are, so that no moment moves the axis."""
    every = np.log10([each for run in table.runs for point in run.gradients for each in point])
    return [float(np.floor(every.min())), float(np.ceil(every.max()))]
