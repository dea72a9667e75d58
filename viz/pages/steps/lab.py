"""The lab: attention on numbers that the reader edits, every line of its arithmetic shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

import models
from viz.figures.strips import number_strips
from viz.pages.steps.lab_tables import (
    SAYS,
    keep_in_link,
    preset_of,
    reset_tables,
    start_tables,
    table_editor,
)
from viz.pages.steps.settings import (
    CAUSAL,
    ORDERS,
    OTHER_ORDER,
    PERMUTED,
    PRESET,
    SATURATION,
    SCALING,
    SIZE,
    STARTED,
    TEMPERATURE,
    Tables,
)
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.strips import Strip
from viz.walk.digits import aligned, number, products
from viz.widgets import session
from viz.widgets.chart import show_figure
from viz.widgets.settings import choose, link, switch
from viz.widgets.viewport import page_width

if TYPE_CHECKING:
    from models.experiments.lab import LabRun

NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")

_GOOD = "lab-good"


def show_lab(messages: DeltaGenerator) -> None:
    """Show the lab; what is wrong with the reader's numbers is said in `messages`.

    Parameters
    ----------
    messages : DeltaGenerator
        Where what is wrong is said.
    """
    preset = choose(PRESET)
    link.belong(STARTED, of=preset)
    st.markdown(plain(_(SAYS[preset])))
    {PERMUTED: _show_permuted, SATURATION: _show_saturation}.get(preset, _edit_and_show)(preset, messages)


def _edit_and_show(preset: str, messages: DeltaGenerator) -> None:
    start = start_tables(preset)
    tables: Tables = {}
    for column, name in zip(st.columns(3), ("query", "key", "value"), strict=True):
        with column:
            tables[name] = table_editor(name, start, start.tables[name])
    shape = len(tables["query"]), len(tables["key"])
    given = start.tables["mask"]
    fits = shape == (len(given), len(given[0]))
    if all(shape):
        tables["mask"] = table_editor(
            "mask",
            start,
            given
            if fits
            else np.tri(*shape, dtype=bool).tolist()
            if preset == CAUSAL
            else np.ones(shape, dtype=bool).tolist(),
        )
    with st.container(horizontal=True, vertical_alignment="center", key="lab-settings"):
        scaled = switch(SCALING, default=preset_of(preset).scaled)
        st.button(
            _("Numbers of the example"),
            key="lab-reset",
            on_click=reset_tables,
            icon=":material/restart_alt:",
            type="tertiary",
        )
    temperature = _temperature()
    keep_in_link(start, tables)
    run = _run(tables, messages, scaled=scaled, temperature=temperature)
    if run is not None:
        _show_run(*run)


def _temperature() -> float:
    return float(choose(TEMPERATURE, TEMPERATURE.choices))


Good = tuple[Tables, "LabRun", bool, float]
"""Tables, what they gave, whether they were scaled, and the temperature."""


def _run(tables: Tables, messages: DeltaGenerator, *, scaled: bool, temperature: float) -> Good | None:
    """Run the lab; on numbers that do not fit say so and return the last run that did."""
    from models.experiments.lab import run_lab

    try:
        run = run_lab(
            tables["query"],
            tables["key"],
            tables["value"],
            mask=tables.get("mask"),
            scaled=scaled,
            temperature=temperature,
        )
    except models.InputError as error:
        messages.error(plain(say(error)), icon=":material/edit:")
        good: Good | None = session.recall(_GOOD)
        if good is not None:
            messages.caption(plain(_("Below: the last numbers that could be used.")))
        return good
    session.keep(_GOOD, (tables, run, scaled, temperature))
    return tables, run, scaled, temperature


def _labels(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{each}" for each in range(1, count + 1))


def _show_run(tables: Tables, run: LabRun, scaled: bool, temperature: float) -> None:
    """Show every line of the arithmetic, and one score and one weight in digits."""
    st.latex(
        r"\operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d}\; T} + M\right) V"
        if scaled
        else r"\operatorname{softmax}\left(\frac{Q K^\top}{T} + M\right) V"
    )
    queries, keys = _labels("q", len(run.products)), _labels("k", run.products.shape[1])
    root = len(tables["query"][0]) ** 0.5 if scaled else 1.0
    divisor = f"{root * temperature:.4g}"
    common: dict[str, Any] = {"rows": queries, "columns": keys}
    strips = (
        Strip(_("products"), "QK'", run.products, **common),
        Strip(_("scores: products divided by {divisor}", divisor=divisor), "e", run.scores, **common),
        Strip(_("mask: 1 where a query may read a key"), "M", run.mask.astype(np.float64), "mask", **common),
        Strip(_("exponentials of score less the row's largest"), "exp", run.exponentials, "weights", **common),
        Strip(_("weights: exponentials over their row's sum"), "a", run.weights, "weights", **common),
        Strip(_("result: weights times values"), "aV", run.result, rows=queries, made=True),
    )
    available = page_width()
    said = "; ".join(
        f"{name}: " + ", ".join(f"{each:.4g}" for each in row) for name, row in zip(queries, run.result, strict=True)
    )
    show_figure(
        number_strips(strips, width=available),
        key="lab",
        says=_("Results: {results}.", results=said),
        name="attention lab",
        available=available,
    )
    _show_digits(tables, run, divisor)


def _show_digits(tables: Tables, run: LabRun, divisor: str) -> None:
    """Show one score, one weight and one result of the first query in digits; scores were divided by `divisor`."""
    query = 0
    key = int(run.weights[query].argmax())
    product, weight = float(run.products[query, key]), float(run.weights[query, key])
    digits, _product = products(np.array(tables["query"][query]), np.array(tables["key"][key]))
    score, power = float(run.scores[query, key]), float(run.exponentials[query, key])
    total = float(run.exponentials[query].sum())
    mixed, _value = products(run.weights[query], np.array(tables["value"])[:, 0])
    named = r"\text{" + _("result") + "}"
    with st.container(key="lab-digits"):
        st.latex(
            aligned(
                rf"q_1 \cdot k_{{{key + 1}}} &= {digits} = {number(product)}",
                rf"e_{{1,{key + 1}}} &= \frac{{{number(product)}}}{{{divisor}}} = {number(score)}",
                rf"a_{{1,{key + 1}}} &= \frac{{{number(power)}}}{{{number(total)}}} = {number(weight)}",
                rf"{named}_{{1,1}} &= {mixed} = {number(float(run.result[query, 0]))}",
            )
        )


def _show_permuted(preset: str, messages: DeltaGenerator) -> None:
    """Show self-attention of tokens, and of the same in another order."""
    start = start_tables(preset)
    table = table_editor("tokens", start, start.tables["tokens"], rows_fixed=True)
    keep_in_link(start, {"tokens": table})
    with st.container(width=330):
        chosen = choose(OTHER_ORDER, {key: _("in the order {order}", order=each) for key, each in ORDERS.items()})
    order = [int(each) for each in chosen.split()]
    temperature = _temperature()
    run = _run({"query": table, "key": table, "value": table}, messages, scaled=True, temperature=temperature)
    if run is None:
        return
    tokens = run[0]["query"]
    other = [tokens[each] for each in order]
    from models.experiments.lab import run_lab

    first, second = run[1], run_lab(other, other, other, temperature=run[3])
    names = NAMES[: len(tokens)]
    moved = tuple(names[each] for each in order)
    strips = (
        Strip(_("weights of {order}", order=" ".join(names)), "a", first.weights, "weights", names, names),
        Strip(_("results of {order}", order=" ".join(names)), "aV", first.result, rows=names),
        Strip(_("weights of {order}", order=" ".join(moved)), "a", second.weights, "weights", moved, moved),
        Strip(_("results of {order}", order=" ".join(moved)), "aV", second.result, rows=moved),
    )
    apart = float(np.abs(second.result - first.result[order]).max())
    available = page_width()
    show_figure(
        number_strips(strips, width=available),
        key="lab",
        says=_(
            "The same rows in another order: the results of each token differ by {apart} at most.", apart=f"{apart:.0e}"
        ),
        name="permuted inputs give permuted outputs",
        available=available,
    )


def _show_saturation(preset: str, messages: DeltaGenerator) -> None:
    """Show the weights of random vectors of d numbers, with the scaling and without."""
    from models.experiments.lab import random_vectors, run_lab

    size = int(choose(SIZE, SIZE.choices))
    drawn = random_vectors(size)
    plain_run, scaled = (run_lab(drawn.query, drawn.key, drawn.value, scaled=each) for each in (False, True))
    keys = _labels("k", len(drawn.key))
    strips = (
        Strip(_("products"), "qK'", plain_run.products, columns=keys),
        Strip(_("weights without the scaling"), "a", plain_run.weights, "weights", columns=keys),
        Strip(_("products divided by the square root of {size}", size=size), "e", scaled.scores, columns=keys),
        Strip(_("weights with the scaling"), "a", scaled.weights, "weights", columns=keys),
    )
    available = page_width()
    show_figure(
        number_strips(strips, width=available),
        key="lab",
        says=_(
            "The largest weight is {without} without the scaling and {with_it} with it.",
            without=f"{_largest(plain_run.weights):.3f}",
            with_it=f"{_largest(scaled.weights):.3f}",
        ),
        name=f"saturation d {size}",
        available=available,
    )


def _largest(weights: NDArray[np.float64]) -> float:
    return float(weights.max())
