"""Arithmetic of the Lab: formula, numbers, and one entry in digits for each line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from viz.pages.steps.settings import ACTIVATED, ADDITIVE, BIASED, COSINE, DOT, GENERAL, Tables
from viz.text.language import _
from viz.views.strips import Strip
from viz.walk.digits import factor, number, products
from viz.widgets.equations import show_equations
from viz.widgets.show import show_strips
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

if TYPE_CHECKING:
    from models.experiments.lab import LabRun
    from models.experiments.lab_layer import LabLayer


def labels(letter: str, count: int) -> tuple[str, ...]:
    """Return what rows or columns of a kind are called: a letter and their number from 1."""
    return tuple(f"{letter}{each}" for each in range(1, count + 1))


_PRODUCTS = {
    DOT: r"Q K^\top",
    GENERAL: r"Q W K^\top",
    BIASED: r"(Q W + b) K^\top",
    ACTIVATED: r"\tanh(Q W K^\top + b)",
    ADDITIVE: r"v \tanh(Q W + K U)",
    COSINE: r"\cos(Q, K)",
}


_SIGNS = {DOT: "QK'", GENERAL: "QWK'", BIASED: "(QW+b)K'", ADDITIVE: "v tanh", COSINE: "cos"}
"""What stands beside the strip of the products; the activated score has two strips of its own."""


def _formula(tables: Tables, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the formula that runs, as LaTeX, part for part."""
    score = _PRODUCTS[options["score"]]
    inner = rf"\frac{{{score}}}{{\sqrt{{d}}\; T}}" if options["scaled"] else rf"\frac{{{score}}}{{T}}"
    function = r"\operatorname{argmax}" if options["hard"] else r"\operatorname{softmax}"
    head = rf"{function}\left({inner} + M\right) V"
    padded = _padding_formula(options)
    if "inputs" not in tables:
        return head, *padded
    made = r"Q = X W_Q", "K = X W_K", "V = X W_V"
    if "output_weight" not in tables:
        return *made, head, *padded
    each = rf"H_i = {head.replace('V', 'V_i').replace('Q', 'Q_i').replace('K', 'K_i')}"
    return *made, each, r"[H_1; H_2]\, W_O", *padded


def _padding_formula(options: dict[str, Any]) -> tuple[str, ...]:
    """Return the line of the padding tokens p: their weight; none without padding, or where one key gets all."""
    count = options["padding"]
    if count and options["padding_mask"]:
        return (r"M_{ip} = -\infty \;\Rightarrow\; a_{ip} = 0",)
    if not count or options["hard"]:
        return ()
    return (
        rf"\sum_p a_{{ip}} = \frac{{\sum_p e^{{e_{{ip}}}}}}{{\sum_j e^{{e_{{ij}}}} + \sum_p e^{{e_{{ip}}}}}},"
        rf" \quad p = 1, \ldots, {count}",
    )


def show_layer(
    visit: Visit[Wanted], tables: Tables, layer: LabLayer, options: dict[str, Any], *, tokens: tuple[str, ...]
) -> None:
    """Show every line of the arithmetic, and one score and one weight in digits."""
    show_equations(*_formula(tables, options), available=visit.width, beside=True)
    queries, padding = tokens or labels("q", len(layer.query)), labels("pad", options["padding"])
    real = layer.runs[0].products.shape[1] - len(padding)
    strips = []
    if "inputs" in tables:
        made = ((_("queries"), "Q", layer.query), (_("keys"), "K", layer.key), (_("values"), "V", layer.value))
        rows = *labels("x", real), *padding
        strips += [Strip(name, symbol, values, rows=rows[: len(values)]) for name, symbol, values in made]
    root = (layer.query.shape[1] / len(layer.runs)) ** 0.5 if options["scaled"] else 1.0
    divisor = f"{root * options['temperature']:.4g}"
    common = {"rows": queries, "columns": (*(tokens or labels("k", real)), *padding)}
    for number_of, run in enumerate(layer.runs):
        head = _("head {head}: ", head=number_of) if len(layer.runs) > 1 else ""
        strips += _strips_of(run, head, _SIGNS.get(options["score"], ""), divisor, common)
    if "output_weight" in tables:
        strips.append(Strip(_("output: the heads side by side, times W_O"), "O", layer.output, rows=queries, made=True))
    said = "; ".join(
        f"{name}: " + ", ".join(f"{each:.4g}" for each in row) for name, row in zip(queries, layer.output, strict=True)
    )
    says = " ".join((_("Results: {results}.", results=said), *_leak(layer, real, masked=options["padding_mask"])))
    show_strips(strips, Shown(key="lab", says=says, name="attention lab"), visit)
    if options["score"] in (DOT, GENERAL, BIASED, ACTIVATED) and not options["hard"]:
        _show_digits(layer, divisor, _read(tables, layer, options["score"]), visit.width)


@dataclass(frozen=True, slots=True)
class _Read:
    """What the keys are multiplied with for the first query of the first head."""

    vector: NDArray[np.float64]
    name: str  # in LaTeX
    bias: float | None = None  # What is added before tanh; None where there is none


def _read(tables: Tables, layer: LabLayer, score: str) -> _Read:
    query = np.split(layer.query, len(layer.runs), axis=1)[0][0]
    if score == DOT:
        return _Read(query, "q_1")
    read = query @ np.asarray(tables["general"], dtype=np.float64)
    if score == BIASED:
        return _Read(read + np.asarray(tables["general_bias"], dtype=np.float64)[0], "(q_1 W + b)")
    return _Read(read, "q_1 W", float(tables["activated_bias"][0][0]) if score == ACTIVATED else None)


def _leak(layer: LabLayer, real: int, *, masked: bool) -> tuple[str, ...]:
    """Say how much weight goes to padding, which comes after the first `real` keys; nothing without padding."""
    given = np.concatenate([run.weights[:, real:] for run in layer.runs])
    if not given.size:
        return ()
    if masked:
        return (_("The padding mask gives padding the weight 0: the results are those without padding."),)
    largest = f"{float(given.sum(axis=1).max()):.0%}"
    return (_("Without the padding mask, up to {share} of a query's weight leaks to padding.", share=largest),)


def _strips_of(run: LabRun, head: str, sign: str, divisor: str, common: dict[str, Any]) -> list[Strip]:
    fit = [Strip(head + _("products"), sign, run.products, **common)]
    if run.inner is not None:
        fit = [
            Strip(head + _("products plus b, before tanh"), "u", run.inner, **common),
            Strip(head + _("products after tanh"), "tanh", run.products, **common),
        ]
    return [
        *fit,
        Strip(head + _("scores: products divided by {divisor}", divisor=divisor), "e", run.scores, **common),
        Strip(
            head + _("mask: 1 where a query may attend to a key"), "M", run.mask.astype(np.float64), "mask", **common
        ),
        Strip(head + _("exponentials of score minus the row's largest"), "exp", run.exponentials, "weights", **common),
        Strip(head + _("weights: the share of each key"), "a", run.weights, "weights", **common),
        Strip(head + _("result: weights times values"), "aV", run.result, rows=common["rows"], made=True),
    ]


def _show_digits(layer: LabLayer, divisor: str, read: _Read, available: float) -> None:
    """Show one score, one weight and one result of the first query in digits.

    The products are of the keys and what was `read` of the query; they were divided by `divisor`.
    """
    run, heads = layer.runs[0], len(layer.runs)
    k, v = (np.split(each, heads, axis=1)[0] for each in (layer.key, layer.value))
    key = int(run.weights[0].argmax())
    product, weight = float(run.products[0, key]), float(run.weights[0, key])
    digits, fit = products(read.vector, k[key])
    place, named = key + 1, rf"{read.name} \cdot k_{{{key + 1}}}"
    lines = [rf"{named} &= {digits} = {number(fit)}"]
    if read.bias is not None:
        lines.append(rf"\tanh({named} + b) &= \tanh({number(fit)} + {factor(read.bias)}) = {number(product)}")
    score, power = float(run.scores[0, key]), float(run.exponentials[0, key])
    total = float(run.exponentials[0].sum())
    mixed, _value = products(run.weights[0], v[:, 0])
    result = r"\text{" + _("result") + "}"
    with st.container(key="lab-digits"):
        show_equations(
            *lines,
            rf"e_{{1,{place}}} &= \frac{{{number(product)}}}{{{divisor}}} = {number(score)}",
            rf"a_{{1,{place}}} &= \frac{{{number(power)}}}{{{number(total)}}} = {number(weight)}",
            rf"{result}_{{1,1}} &= {mixed} = {number(float(run.result[0, 0]))}",
            available=available,
        )
