"""Walk step of hard attention: one key is chosen."""

from __future__ import annotations

import numpy as np

from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk.digits import number
from viz.walk.scene import Scene, piece_of
from viz.walk.scores import Built, exact
from viz.walk.steps import Part, Worked
from viz.walk.weights import weights_strip


def _choose(scene: Scene) -> Built:
    probabilities, noise = (exact(scene.of_query(name)) for name in ("probabilities", "noise"))
    with np.errstate(divide="ignore"):
        logarithms = np.log(probabilities)
    noisy = logarithms + noise
    best = int(noisy.argmax())
    says = _(
        "Only one word gets attention: the likeliest, “{key}”, with probability {share}. With a seed it would be "
        "sampled: noise g is added to each logarithm, then the largest is taken.",
        key=piece_of(scene.map.key_tokens, best),
        share=f"{float(probabilities[best]):.1%}",
    )
    strips = (
        weights_strip(scene, "probabilities"),
        Strip(
            _("log-probability plus noise; empty: hidden"),
            "log",
            np.where(np.isfinite(noisy), noisy, np.nan)[None],
            columns=scene.keys,
            marked=(None, scene.column),
        ),
        weights_strip(scene, made=True),
    )
    letter = scene.letters.weight
    mine = number(float(noisy[scene.column])) if np.isfinite(noisy[scene.column]) else r"-\infty"
    sign = "=" if scene.column == best else "<"
    chosen, largest = float(scene.column == best), _("the largest")
    lines = (
        rf"\log {letter}_{scene.pair} + g_{scene.pair} &= \log({number(float(probabilities[scene.column]))}) + "
        rf"{number(float(noise[scene.column]))} = {mine}",
        rf"{mine} &{sign} {number(float(noisy[best]))} \quad \text{{{largest}}}",
        rf"z_{scene.pair} &= {chosen:g}",
    )
    return says, strips, Worked(lines, chosen, float(scene.of_query("weights")[scene.column]))


CHOICE = Part("choose", mark("The choice"), _choose)
