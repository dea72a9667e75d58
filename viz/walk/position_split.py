"""Walk part of the first layer: a score split into products of words and of positions."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk.block import EPSILON
from viz.walk.digits import factor, number, waterfall
from viz.walk.scene import Scene
from viz.walk.scores import Built, exact, scores_strip
from viz.walk.steps import Part, Worked

Vectors = NDArray[np.float64]

_SIDES = tuple(f"{name}.{part}" for name in ("query", "key") for part in ("weight", "bias"))
_TOKEN = ("network.embedding.weight", "network.positions")
_NORM = ("norm.weight", "norm.bias")


def _split(scene: Scene, name: str, row: int, *, normalised: bool) -> tuple[Vectors, Vectors]:
    """Return the part of a token's query or key that is its word's and the part that is its position's, each [d_head].

    A layer norm is linear once its divisor is given: here that of word and position together.
    """
    embedding, positions = (scene.parameters[each] for each in _TOKEN)
    word = exact(embedding[scene.queries.ids[row]]) * embedding.shape[1] ** 0.5
    place = exact(positions[row])
    if normalised:
        scale, shift = (exact(scene.parameters[each]) for each in _NORM)
        by = scale / np.sqrt((word + place).var() + EPSILON)
        word, place = (word - word.mean()) * by + shift, (place - place.mean()) * by
    size = len(scene.of_query("query"))
    rows = slice(scene.head * size, (scene.head + 1) * size)
    matrix, bias = exact(scene.parameters[f"{name}.weight"][rows]), exact(scene.parameters[f"{name}.bias"][rows])
    return matrix @ word + bias, matrix @ place


def score_parts(scene: Scene, *, normalised: bool) -> Vectors:
    """Return the four parts of each key's score, query first: word-word, word-position, and so on.

    Shapes: returns [part, key].
    """
    query = _split(scene, "query", scene.row, normalised=normalised)
    keys = [_split(scene, "key", row, normalised=normalised) for row in range(scene.count)]
    root = len(query[0]) ** 0.5
    return np.array([[one @ key[other] / root for key in keys] for one in query for other in (0, 1)])


def _build(scene: Scene, *, normalised: bool) -> Built | None:
    if scene.map.site.kind != "self" or scene.map.site.layer:
        return None  # what comes from another layer has word and position mixed
    parts = score_parts(scene, normalised=normalised)
    own = parts[:, scene.column]
    names = (_("word-word"), _("word-position"), _("position-word"), _("position-position"))
    says = _(
        "Query and key each have a part from the word and a part from the position. So the score of “{key}” is the "
        "sum of four products: {parts}. The query's part is named first. Biases count with the words.",
        key=scene.key_word,
        parts=", ".join(f"{name} {value:.3f}" for name, value in zip(names, own, strict=True)),
    )
    if normalised:
        says += " " + _(
            "LayerNorm divides both parts by the standard deviation of their sum. Its shift counts with the words."
        )
    made = _("parts of each score, the query's first")
    strips = (
        scores_strip(scene),
        Strip(made, "e", parts, rows=names, columns=scene.keys, marked=(None, scene.column), made=True),
    )
    computed = float(own.sum())
    digits = " + ".join(factor(float(value)) for value in own)
    line = rf"e_{scene.pair} &= {digits} = {number(computed, 4)}"
    fall = waterfall(_("The score of “{key}”, the query's part first", key=scene.key_word), own, names.__getitem__)
    return says, strips, Worked((line,), computed, float(scene.of_query("scores")[scene.column]), fall)


_TITLE = mark("Score: words and positions")
SPLIT = Part("split", _TITLE, partial(_build, normalised=False), (*_TOKEN, *_SIDES))
SPLIT_OF_NORMALISED = Part("split", _TITLE, partial(_build, normalised=True), (*_TOKEN, *_SIDES, *_NORM))
