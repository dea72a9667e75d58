"""The Lab: attention on numbers that the reader edits, with all its arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

import models
from viz.pages.steps.lab_arithmetic import labels, show_layer
from viz.pages.steps.lab_tables import (
    SAYS,
    LabStart,
    keep_in_link,
    preset_of,
    reset_tables,
    start_tables,
    table_editor,
)
from viz.pages.steps.settings import (
    BIASED,
    DOT,
    GENERAL,
    HARD,
    LIFTED,
    ORDERS,
    OTHER_ORDER,
    PADDING,
    PADDING_MASK,
    PERMUTED,
    PRESET,
    SATURATION,
    SCALING,
    SCORE,
    SIZE,
    STARTED,
    TEMPERATURE,
    Tables,
)
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.strips import Strip
from viz.widgets import session
from viz.widgets.frame import Frame
from viz.widgets.settings import choose, link, switch, value_of
from viz.widgets.show import show_strips
from viz.widgets.shown import Shown
from viz.widgets.visit import Wanted

if TYPE_CHECKING:
    from models.experiments.lab import Score
    from models.experiments.lab_layer import LabLayer

NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")

_GOOD = "lab-good"


def show_lab(frame: Frame) -> None:
    """Show the lab; what is wrong with the reader's numbers is said in `messages`."""
    preset = choose(PRESET)
    link.belong(STARTED, of=preset)
    st.markdown(plain(_(SAYS[preset])))
    {PERMUTED: _show_permuted, SATURATION: _show_saturation}.get(preset, _edit_and_show)(preset, frame)


def _edit_and_show(preset: str, frame: Frame) -> None:
    from models.experiments.lab import SCORE_TABLES

    start, original = start_tables(preset), preset_of(preset)
    tables: Tables = dict(start.tables)
    _edit(tables, start, tuple(original.tables))
    length = len(tables["inputs"]) if "inputs" in tables else 0
    shape = (length or len(tables["query"]), length or len(tables["key"]))
    score = choose(SCORE)
    if SCORE_TABLES[cast("Score", score)]:
        _edit(tables, start, SCORE_TABLES[cast("Score", score)])
    given = start.tables["mask"]
    left, right = st.columns((2, 3))
    with left:
        if all(shape):
            fits = shape == (len(given), len(given[0]))
            anew = np.tri(*shape, dtype=bool) if original.mask is not None else np.ones(shape, dtype=bool)
            tables["mask"] = table_editor("mask", start, given if fits else anew.tolist())
    with right:
        options = _options(score, masked=not np.all(tables["mask"]), scaled=original.scaled)
    keep_in_link(start, tables)
    mask = None if options.pop("lifted") else tables["mask"]
    found = _run(tables, frame.messages, mask=mask, heads=original.heads, score=score, **options)
    if found is not None:
        tokens = original.names if len(original.names) == shape[0] == shape[1] else ()
        show_layer(frame.visit(Wanted()), *found, tokens=tokens)


def _edit(tables: Tables, start: LabStart, names: tuple[str, ...]) -> None:
    """Show the tables `names` side by side, and put what stands in them into `tables`."""
    for column, name in zip(st.columns(len(names)), names, strict=True):
        with column:
            tables[name] = table_editor(name, start, start.tables[name])


def _options(score: str, *, masked: bool, scaled: bool) -> dict[str, Any]:
    """Show what else is chosen, and return it."""
    with st.container(horizontal=True, vertical_alignment="center", key="lab-settings"):
        options: dict[str, Any] = {
            "scaled": switch(SCALING, default=scaled) if score in (DOT, GENERAL, BIASED) else False
        }
        options["hard"] = switch(HARD, default=False)
        options["lifted"] = masked and switch(LIFTED, default=False)
        options["padding"] = int(value_of(PADDING))
        options["padding_mask"] = not options["padding"] or switch(PADDING_MASK, default=True)
        st.button(
            _("Numbers of the example"),
            key="lab-reset",
            on_click=reset_tables,
            icon=":material/restart_alt:",
            type="tertiary",
        )
    left, right = st.columns(2)
    with left:
        choose(PADDING)
    with right:
        return options | {"temperature": _temperature()}


def _temperature() -> float:
    return float(choose(TEMPERATURE, TEMPERATURE.choices))


Good = tuple[Tables, "LabLayer", dict[str, Any]]
"""Tables, what they gave, and with which options."""


def _run(tables: Tables, messages: DeltaGenerator, **options: Any) -> Good | None:
    """Run the lab; on numbers that do not fit say so and return the last run that did."""
    from models.experiments.lab_layer import run_layer

    try:
        made = run_layer(tables, **options)
    except models.InputError as error:
        messages.error(plain(say(error)), icon=":material/edit:")
        good: Good | None = session.recall(_GOOD)
        if good is not None:
            messages.caption(plain(_("Below: the last valid numbers.")))
        return good
    session.keep(_GOOD, (tables, made, options))
    return tables, made, options


def _show_permuted(preset: str, frame: Frame) -> None:
    """Show self-attention of tokens, and of the same in another order."""
    start = start_tables(preset)
    table = table_editor("tokens", start, start.tables["tokens"], rows_fixed=True)
    keep_in_link(start, {"tokens": table})
    with st.container(width=330):
        chosen = choose(OTHER_ORDER, {key: _("in the order {order}", order=each) for key, each in ORDERS.items()})
    order = [int(each) for each in chosen.split()]
    temperature = _temperature()
    found = _run({"query": table, "key": table, "value": table}, frame.messages, temperature=temperature)
    if found is None:
        return
    tokens = found[0]["query"]
    other = [tokens[each] for each in order]
    from models.experiments.lab import run_lab

    first, second = found[1].runs[0], run_lab(other, other, other, temperature=found[2]["temperature"])
    names = NAMES[: len(tokens)]
    moved = tuple(names[each] for each in order)
    strips = (
        Strip(_("weights of {order}", order=" ".join(names)), "a", first.weights, "weights", names, names),
        Strip(_("results of {order}", order=" ".join(names)), "aV", first.result, rows=names),
        Strip(_("weights of {order}", order=" ".join(moved)), "a", second.weights, "weights", moved, moved),
        Strip(_("results of {order}", order=" ".join(moved)), "aV", second.result, rows=moved),
    )
    apart = float(np.abs(second.result - first.result[order]).max())
    shown = Shown(
        key="lab",
        says=_("The same rows in another order: each token's results differ by {apart} at most.", apart=f"{apart:.0e}"),
        name="permuted inputs give permuted outputs",
    )
    show_strips(strips, shown, frame.visit(Wanted()))


def _show_saturation(preset: str, frame: Frame) -> None:
    """Show the weights of random vectors of d numbers, with the scaling and without."""
    from models.experiments.lab_layer import run_layer
    from models.experiments.lab_presets import random_vectors

    size = int(choose(SIZE, SIZE.choices))
    drawn = random_vectors(size).tables
    plain_run, scaled = (run_layer(drawn, scaled=each).runs[0] for each in (False, True))
    keys = labels("k", len(drawn["key"]))
    strips = (
        Strip(_("products"), "qK'", plain_run.products, columns=keys),
        Strip(_("weights without the scaling"), "a", plain_run.weights, "weights", columns=keys),
        Strip(_("products divided by the square root of {size}", size=size), "e", scaled.scores, columns=keys),
        Strip(_("weights with the scaling"), "a", scaled.weights, "weights", columns=keys),
    )
    shown = Shown(
        key="lab",
        says=_(
            "The largest weight is {without} without the scaling and {with_it} with it.",
            without=f"{_largest(plain_run.weights):.3f}",
            with_it=f"{_largest(scaled.weights):.3f}",
        ),
        name=f"saturation d {size}",
    )
    show_strips(strips, shown, frame.visit(Wanted()))


def _largest(weights: NDArray[np.float64]) -> float:
    return float(weights.max())
