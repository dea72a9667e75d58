"""Walk parts up to the scores: projections, features, products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz.text.language import _, _n, mark
from viz.views.strips import Strip
from viz.walk.digits import Numbers, factor, number, products, products_fall
from viz.walk.scene import Scene
from viz.walk.steps import Part, Worked

Built = tuple[str, tuple[Strip, ...], Worked | None]


def exact(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return `values` in the precision in which digits are added up."""
    return np.asarray(values, dtype=np.float64)


def query_strip(scene: Scene) -> Strip:
    """Return the vector that reads."""
    return Strip(_("query"), scene.letters.plain("query"), scene.of_query("query")[None])


def keys_strip(scene: Scene, *, marked: int | None = None, made: bool = False) -> Strip:
    """Return the vectors that scores are computed on, a row a word."""
    place = (scene.column, marked)
    return Strip(_("keys"), scene.letters.key, scene.of_keys("key"), rows=scene.keys, marked=place, made=made)


def scores_strip(scene: Scene, *, made: bool = False) -> Strip:
    """Return one score a key."""
    name = _("scores: how well each word fits")
    values = scene.of_query("scores")[None]
    return Strip(name, scene.letters.score, values, columns=scene.keys, marked=(None, scene.column), made=made)


def row_of(matrix: Numbers, row: int, symbol: str) -> Strip:
    """Return the row of a matrix of parameters that one component needs.

    Shapes: `matrix` [row, column].
    """
    name = _("parameters: row {row} of a matrix", row=row)
    return Strip(name, symbol, matrix[row][None], whole=tuple(matrix.shape))


def _fit(scene: Scene) -> str:
    return _(
        "Each word gets a score: how well it fits what {reader} looks for. “{key}” gets {score}.",
        reader=scene.reader,
        key=scene.key_word,
        score=f"{scene.of_query('scores')[scene.column]:.3f}",
    )


def _score_worked(scene: Scene, *lines: str, left: Numbers, right: Numbers, term: str) -> Worked:
    """Work out a score that is the sum of the products of two vectors."""
    digits, computed = products(left, right)
    last = rf"{scene.letters.score}_{scene.pair} &= {term} = {digits} = {number(computed, 4)}"
    fall = products_fall(_("The score of “{key}”, a sum of products", key=scene.key_word), left, right)
    return Worked((*lines, last), computed, float(scene.of_query("scores")[scene.column]), fall)


# Additive: Bahdanau, and Luong's concat.


def deciding(scene: Scene) -> int:
    """Return the component of the hidden layer that adds most to the chosen pair's score."""
    share = scene.parameters["score_vector"] * scene.features[scene.column]
    return int(np.abs(share).argmax())


def project_key(scene: Scene, says: str, states: Strip, *, matrix: str, product: str) -> Built:
    """Work out one number of a key: a row of a matrix with what stands at the chosen token."""
    rows, k = scene.parameters["key_weight.weight"], deciding(scene)
    state = states.values[scene.column]
    digits, computed = products(rows[k], state)
    strips = (states, row_of(rows, k, matrix), keys_strip(scene, marked=k, made=True))
    line = rf"({product}_{{{scene.column_name}}})_{{{k}}} &= {digits} = {number(computed, 4)}"
    name = _("Component {place} of the key of “{key}”", place=k, key=scene.key_word)
    fall = products_fall(name, rows[k], state)
    return says, strips, Worked((line,), computed, float(scene.of_keys("key")[scene.column, k]), fall)


def encoder_states(scene: Scene, letter: str, states: Numbers) -> Strip:
    """Return what the encoder leaves at each word."""
    name = _("encoder states: one for each word")
    return Strip(name, letter, states, rows=scene.keys, marked=(scene.column, None))


def _project_keys(scene: Scene) -> Built:
    says = _("Each encoder state becomes a key. This is computed once per sentence.")
    states = encoder_states(scene, "h", scene.of_keys("value"))
    return project_key(scene, says, states, matrix="U", product="U h")


def hidden_layer(
    scene: Scene, row: Numbers, given: Numbers, product: str, key: float | None = None
) -> tuple[tuple[Strip, ...], Worked]:
    """Work out one number of the hidden layer, `row` with `given` and the key squashed; `key` if not the scene's."""
    k = deciding(scene)
    digits, projected = products(row, given)
    key = float(scene.of_keys("key")[scene.column, k]) if key is None else key
    made = bool(scene.features[scene.column].any())  # a decoder makes none for what is not written yet
    computed = float(np.tanh(projected + key)) if made else 0.0
    layer = Strip(
        _("hidden layer: one row per pair"), "f", scene.features, rows=scene.keys, marked=(scene.column, k), made=True
    )
    feature = rf"f_{{{scene.row_name},{scene.column_name},{k}}}"
    squashed = rf"\tanh({number(projected)} + {factor(key)}) = {number(computed, 4)}" if made else "0"
    lines = (rf"({product})_{{{k}}} &= {digits} = {number(projected, 4)}", f"{feature} &= {squashed}")
    fall = products_fall(_("Component {place} of the projected query", place=k), row, given)
    worked = Worked(lines, computed, float(scene.features[scene.column, k]), fall)
    return (keys_strip(scene, marked=k), layer), worked


def _features(scene: Scene) -> Built:
    matrix, query, k = scene.parameters["query_weight.weight"], scene.of_query("query"), deciding(scene)
    says = _(
        "The projected query of {reader} and the key of each word are added. A tanh keeps values between -1 and 1: "
        "a hidden layer for each word.",
        reader=scene.reader,
    )
    strips, worked = hidden_layer(scene, matrix[k], query, f"W {scene.letters.query}")
    return says, (query_strip(scene), row_of(matrix, k, "W"), *strips), worked


def _additive_scores(scene: Scene) -> Built:
    vector = scene.parameters["score_vector"]
    strips = (
        Strip(_("hidden layer: one row per pair"), "f", scene.features, rows=scene.keys, marked=(scene.column, None)),
        Strip(_("parameters: a vector"), "v", vector[None]),
        scores_strip(scene, made=True),
    )
    worked = _score_worked(scene, left=vector, right=scene.features[scene.column], term=rf"v^\top f_{scene.pair}")
    return _fit(scene), strips, worked


KEYS = Part("keys", mark("Keys of the source"), _project_keys, ("key_weight.weight", "score_vector"))
FEATURES = Part("features", mark("Hidden layer"), _features, ("query_weight.weight", "score_vector"))
ADDITIVE = Part("scores", mark("Score"), _additive_scores, ("score_vector",))


# Multiplicative: dot and general; by location; scaled dot products.


def _dot_scores(scene: Scene) -> Built:
    strips = (query_strip(scene), keys_strip(scene), scores_strip(scene, made=True))
    worked = _score_worked(
        scene,
        left=scene.of_query("query"),
        right=scene.of_keys("key")[scene.column],
        term=rf"{scene.letters.query}^\top {scene.letters.key}_{{{scene.column_name}}}",
    )
    return _fit(scene), strips, worked


def _general_scores(scene: Scene) -> Built:
    matrix, query, keys = scene.parameters["general_weight"], scene.of_query("query"), scene.of_keys("key")
    asked = exact(query) @ exact(matrix)  # [d_key]
    k = int(np.abs(asked * keys[scene.column]).argmax())
    inner, value = products(query, matrix[:, k])
    name = _("parameters: column {column} of a matrix", column=k)
    strips = (
        query_strip(scene),
        Strip(name, "W_a", matrix[:, k][None], whole=tuple(matrix.shape)),
        Strip(_("query projected to the keys' space, computed here"), "s' W_a", asked[None], marked=(None, k)),
        keys_strip(scene, marked=k),
        scores_strip(scene, made=True),
    )
    first = rf"({scene.letters.query}^\top W_a)_{{{k}}} &= {inner} = {number(value, 4)}"
    term = rf"{scene.letters.query}^\top W_a h_{{{scene.column_name}}}"
    return _fit(scene), strips, _score_worked(scene, first, left=asked, right=keys[scene.column], term=term)


def _location_scores(scene: Scene) -> Built:
    matrix, query = scene.parameters["location_weight.weight"], scene.of_query("query")
    says = _(
        "No source word is compared: {reader} scores positions from the decoder state alone. Position {position}, "
        "where “{key}” is, gets {score}.",
        reader=scene.reader,
        position=scene.column_name,
        key=scene.key_word,
        score=f"{scene.of_query('scores')[scene.column]:.3f}",
    )
    strips: tuple[Strip, ...] = (query_strip(scene), scores_strip(scene, made=True))
    if scene.column >= len(matrix):
        line = rf"{scene.letters.score}_{scene.pair} &= 0"
        return says, strips, Worked((line,), 0.0, float(scene.of_query("scores")[scene.column]))
    strips = (strips[0], row_of(matrix, scene.column, "W_a"), strips[1])
    term = rf"(W_a {scene.letters.query})_{{{scene.column_name}}}"
    return says, strips, _score_worked(scene, left=matrix[scene.column], right=query, term=term)


def _dot_products(scene: Scene) -> tuple[NDArray[np.float64], Strip]:
    values = exact(scene.of_keys("key")) @ exact(scene.of_query("query"))
    name = _("products, computed here")
    return values, Strip(name, "q k'", values[None], columns=scene.keys, marked=(None, scene.column))


def _products(scene: Scene) -> Built:
    query, keys = scene.of_query("query"), scene.of_keys("key")
    _values, strip = _dot_products(scene)
    digits, computed = products(query, keys[scene.column])
    says = _(
        "The query of {reader} is multiplied with every key, component by component: the more similar, the "
        "larger the sum.",
        reader=scene.reader,
    )
    made = Strip(strip.name, strip.symbol, strip.values, columns=strip.columns, marked=strip.marked, made=True)
    term = rf"q_{{{scene.row_name}}} k_{{{scene.column_name}}}^\top"
    line = rf"{term} &= {digits} = {number(computed, 4)}"
    score = float(scene.of_query("scores")[scene.column])
    if "by_distance" in scene.map.companions:
        score -= float(scene.of_query("by_distance")[scene.column])
    went_on = score * len(query) ** 0.5
    fall = products_fall(_("Query times the key of “{key}”", key=scene.key_word), query, keys[scene.column])
    return says, (query_strip(scene), keys_strip(scene), made), Worked((line,), computed, went_on, fall)


def _scaling(scene: Scene) -> Built:
    values, strip = _dot_products(scene)
    size = len(scene.of_query("query"))
    product = float(values[scene.column])
    computed = product / size**0.5
    says = _n(
        "A sum of {count} product would grow with their number, so it is divided by its square root. Otherwise the "
        "softmax would pick one word and ignore the others.",
        "Sums of {count} products grow with their number, so they are divided by its square root. Otherwise the "
        "softmax would pick one word and ignore the others.",
        size,
    )
    parts = rf"\frac{{{number(product)}}}{{\sqrt{{{size}}}}} = \frac{{{number(product)}}}{{{number(size**0.5)}}}"
    line = rf"e_{scene.pair} &= {parts} = {number(computed, 4)}"
    left, right = scene.of_query("query"), scene.of_keys("key")[scene.column]
    fall = products_fall(_("The score of “{key}”, a sum of products", key=scene.key_word), left, right, over=size**0.5)
    worked = Worked((line,), computed, float(scene.of_query("scores")[scene.column]), fall)
    return says, (strip, scores_strip(scene, made=True)), worked


DOT = Part("scores", mark("Score"), _dot_scores)
GENERAL = Part("scores", mark("Score"), _general_scores, ("general_weight",))
LOCATION = Part("scores", mark("Score"), _location_scores, ("location_weight.weight",))
PRODUCT = Part("product", mark("Score: query times key"), _products)
SCALING = Part("scaling", mark("Scaling"), _scaling)
