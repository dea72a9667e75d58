"""Walk parts from scores to the context vector: mask, softmax, Gaussian window, weighted sum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from viz.text.counting import position_number
from viz.text.language import _, _n, mark
from viz.views.strips import Strip
from viz.walk.digits import factor, from_zero, number, products, sum_of, waterfall
from viz.walk.scene import Scene, piece_of
from viz.walk.scores import Built, exact, scores_strip
from viz.walk.steps import Part, Worked

Allowed = NDArray[np.bool_]

MOST_BACK = 15
"""How many tokens back the shipped language models with a window read."""


def _masked(scene: Scene) -> NDArray[np.float64]:
    """Return the scores, NaN where the mask hides a word."""
    return np.where(scene.of_query("mask"), exact(scene.of_query("scores")), np.nan)


def _masked_strip(scene: Scene, *, made: bool = False) -> Strip:
    return Strip(
        _("remaining scores; empty: hidden"),
        "e + m",
        _masked(scene)[None],
        columns=scene.keys,
        marked=(None, scene.column),
        made=made,
    )


def weights_strip(scene: Scene, quantity: str = "weights", *, made: bool = False) -> Strip:
    """Return the share of each key."""
    chosen = scene.is_chosen and quantity == "weights"
    names = {
        "weights": _("attention weights: 1 for the chosen word") if chosen else _("attention weights"),
        "raw_weights": _("weights before the Gaussian"),
        "probabilities": _("probabilities from which the word is chosen"),
    }
    name, values = names[quantity], scene.of_query(quantity)[None]
    symbol = "z" if chosen else scene.letters.plain("weight")
    return Strip(name, symbol, values, "weights", columns=scene.keys, marked=(None, scene.column), made=made)


# Masks: what may be read, by rule.


def _everything(scene: Scene) -> tuple[Allowed, str]:
    return np.ones(scene.count, dtype=bool), r"\text{" + _("every word is visible") + "}"


def _back(scene: Scene) -> tuple[Allowed, str]:
    if not scene.map.causal:
        return _everything(scene)
    relation = r"\leq" if scene.column <= scene.row else ">"
    return np.arange(scene.count) <= scene.row, rf"{scene.column_name} {relation} {scene.row_name}"


def _known(scene: Scene) -> tuple[Allowed, str]:
    rows = len(scene.parameters["location_weight.weight"])
    relation = r"\leq" if scene.column < rows else ">"
    return np.arange(scene.count) < rows, rf"{scene.column_name} {relation} {rows}"


def _window(scene: Scene) -> tuple[Allowed, str]:
    centre, width = map(float, scene.of_query("centre"))
    distance = np.abs(np.arange(scene.count) - centre)
    relation = r"\leq" if distance[scene.column] <= width else ">"
    shown = rf"|{scene.column} - {number(centre)}| = {number(float(distance[scene.column]))} {relation} {width:g}"
    return distance <= width, rf"{shown} \quad {from_zero()}"


def _before(most: int | None) -> Callable[[Scene], tuple[Allowed, str]]:
    """Return the rule of a memory: the tokens before the one that reads, at most `most`; the first reads itself."""

    def rule(scene: Scene) -> tuple[Allowed, str]:
        back = scene.row - np.arange(scene.count)
        allowed = (back == 0) if not scene.row else (back >= 1) & (back <= (most or scene.count))
        relation = "<" if scene.column < scene.row else r"\geq"
        near = "" if most is None else rf", \quad {scene.row_name} - {scene.column_name} \text{{ / }} {most}"
        return allowed, rf"{scene.column_name} {relation} {scene.row_name}{near}"

    return rule


def mask_by(rule: Callable[[Scene], tuple[Allowed, str]]) -> Callable[[Scene], Built]:
    """Return what builds the step of a mask from its rule: what may be read, and why, in LaTeX."""

    def build(scene: Scene) -> Built:
        allowed, reason = rule(scene)
        hidden = int((~scene.of_query("mask")).sum())
        if hidden:
            says = _n(
                "{hidden} of {count} token is hidden from this row.",
                "{hidden} of {count} tokens are hidden from this row.",
                scene.count,
                hidden=hidden,
            )
            if scene.map.causal:
                says += " " + _("They come later. Crossed out: the scores that they would have had.")
        elif scene.count < len(scene.map.key_tokens):
            says = _(
                "The tokens after “{query}” are not written yet: there is nothing to hide.", query=scene.query_word
            )
        else:
            says = _("Nothing is hidden here: the mask changes nothing.")
        strips = (
            scores_strip(scene),
            Strip(
                _("mask: 1 where a word is visible"),
                "m",
                scene.of_query("mask")[None].astype(np.float32),
                "mask",
                columns=scene.keys,
                marked=(None, scene.column),
            ),
            _masked_strip(scene, made=True),
        )
        read = bool(allowed[scene.column])
        score = number(float(scene.of_query("scores")[scene.column]))
        total = rf"{score} + 0 = {score}" if read else rf"{score} - \infty = -\infty"
        lines = (rf"&{reason}", rf"&{scene.letters.score}_{scene.pair} + m_{scene.pair} = {total}")
        return says, strips, Worked(lines, float(read), float(scene.of_query("mask")[scene.column]))

    return build


MASK = Part("mask", mark("Mask"), mask_by(_back))
KNOWN_MASK = Part("mask", mark("Mask"), mask_by(_known), ("location_weight.weight",))
WINDOW = Part("mask", mark("Mask: the window"), mask_by(_window))
BEFORE = Part("mask", mark("Mask"), mask_by(_before(None)))
WINDOW_BEFORE = Part("mask", mark("Mask: the window"), mask_by(_before(MOST_BACK)))


def _softmax_to(quantity: str) -> Callable[[Scene], Built]:
    def build(scene: Scene) -> Built:
        scores = _masked(scene)
        largest = float(np.nanmax(scores))
        exponentials = np.nan_to_num(np.exp(scores - largest))
        total = float(exponentials.sum())
        mine = float(exponentials[scene.column])
        computed = mine / total
        weights = weights_strip(scene, quantity, made=True)
        says = _(
            "Exponentials make every score positive. Divided by their sum, they add up to 1: “{key}” gets {share}.",
            key=scene.key_word,
            share=f"{float(weights.values[0, scene.column]):.1%}",
        )
        name = _("exponentials of score minus the largest, computed here")
        strips = (
            _masked_strip(scene),
            Strip(name, "exp", exponentials[None], "weights", columns=scene.keys, marked=(None, scene.column)),
            weights,
        )
        shown, _total = sum_of([(float(each), number(float(each))) for each in exponentials])
        score = scores[scene.column]
        power = r"-\infty" if np.isnan(score) else rf"{number(float(score))} - {factor(largest)}"
        share = rf"\frac{{{number(mine)}}}{{{number(total)}}}"
        lines = (
            rf"\exp({power}) &= {number(mine)}",
            rf"{shown} &= {number(total)}",
            rf"{scene.letters.weight}_{scene.pair} &= {share} = {number(computed, 4)}",
        )
        fall = waterfall(
            _("The sum of the exponentials"), exponentials, lambda key: piece_of(scene.map.key_tokens, key)
        )
        return says, strips, Worked(lines, computed, float(weights.values[0, scene.column]), fall)

    return build


SOFTMAX = Part("softmax", mark("Softmax"), _softmax_to("weights"))
RAW_SOFTMAX = Part("softmax", mark("Softmax"), _softmax_to("raw_weights"))
PROBABILITIES = Part("softmax", mark("Softmax"), _softmax_to("probabilities"))


def _gaussian(scene: Scene) -> Built:
    centre, width = map(float, scene.of_query("centre"))
    sigma = max(width / 2, 1e-3)
    factors = np.exp(-((np.arange(scene.count) - centre) ** 2) / (2 * sigma**2))
    before = float(scene.of_query("raw_weights")[scene.column])
    computed = before * float(factors[scene.column])
    says = _(
        "Words near the centre {centre} count in full, words further away less. The row then need not sum to 1 "
        "(here to {total}).",
        centre=f"{position_number(centre):.2f}",
        total=f"{float(scene.of_query('weights').sum()):.3f}",
    )
    strips = (
        weights_strip(scene, "raw_weights"),
        Strip(
            _("Gaussian around the centre, computed here"),
            "exp",
            factors[None],
            "weights",
            columns=scene.keys,
            marked=(None, scene.column),
        ),
        weights_strip(scene, made=True),
    )
    power = rf"-\frac{{({scene.column} - {number(centre)})^2}}{{2 \cdot {number(sigma)}^2}}"
    lines = (
        rf"\exp\left({power}\right) &= {number(float(factors[scene.column]))} \quad {from_zero()}",
        rf"a_{scene.pair} &= {number(before)} \cdot {number(float(factors[scene.column]))} = {number(computed, 4)}",
    )
    return says, strips, Worked(lines, computed, float(scene.of_query("weights")[scene.column]))


GAUSSIAN = Part("gaussian", mark("Gaussian"), _gaussian)


def context_strip(scene: Scene, *, marked: int | None = None, made: bool = False) -> Strip:
    """Return the weighted sum of the values."""
    name = _("context vector")
    return Strip(name, scene.letters.context, scene.of_query("context")[None], marked=(None, marked), made=made)


def _context(scene: Scene) -> Built:
    weights, values, context = scene.of_query("weights"), scene.of_keys("value"), scene.of_query("context")
    k = int(np.abs(context).argmax())
    digits, computed = products(weights, values[:, k])
    says = _(
        "The values are mixed by their weights into one vector: {share} of it is “{key}”.",
        share=f"{float(weights[scene.column]):.1%}",
        key=scene.key_word,
    )
    if scene.moved is not None:
        moved, lengths = (float(each[scene.column]) for each in scene.moved)
        said = {"share": f"{moved:.1%}", "times": f"{lengths:.2f}"}
        says += " " + _("It moves {share}: its value is {times} times the mean length.", **said)
    strips = (
        weights_strip(scene),
        Strip(
            _("values: what is passed on"),
            scene.letters.value,
            values,
            rows=scene.keys,
            marked=(scene.column, k),
        ),
        context_strip(scene, marked=k, made=True),
    )
    line = rf"{scene.letters.context}_{{{scene.row_name},[{k}]}} &= {digits} = {number(computed, 4)}"
    shares = np.asarray(weights, dtype=np.float64) * exact(values[:, k])

    def label(key: int) -> str:
        return f"{piece_of(scene.map.key_tokens, key)}: {weights[key]:.3g} \u00d7 {values[key, k]:.3g}"

    fall = waterfall(_("Component {place} of the context vector", place=k), shares, label)
    return says, strips, Worked((line,), computed, float(context[k]), fall)


CONTEXT = Part("context", mark("Context"), _context)
