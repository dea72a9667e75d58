"""Walk parts of relative positions: learnt vectors on keys and values."""

from __future__ import annotations

import numpy as np

from viz.text.language import _, _n, mark
from viz.views.strips import Strip
from viz.walk.digits import Numbers, factor, number, products, products_fall, waterfall
from viz.walk.scene import Scene, piece_of
from viz.walk.scores import Built, exact, query_strip, scores_strip
from viz.walk.steps import Part, Worked
from viz.walk.weights import context_strip, weights_strip

_KEYS, _VALUES = "distance_key.weight", "distance_value.weight"


def _of_distances(scene: Scene, name: str) -> Numbers:
    """Return the vector of each key's distance from the query, [key, d_head]."""
    table = exact(scene.parameters[name])
    reach = len(table) // 2
    return np.asarray(table[(np.arange(scene.count) - scene.row).clip(-reach, reach) + reach])


def _where(scene: Scene) -> str:
    """Say where the chosen key stands, and which vector that is."""
    reach = len(scene.parameters[_KEYS]) // 2
    distance = scene.column - scene.row
    count = abs(distance)
    if not distance:
        return _("“{key}” is the query itself: distance 0.", key=scene.key_word)
    if distance < 0:
        said = _n(
            "“{key}” is {count} token before the query.",
            "“{key}” is {count} tokens before the query.",
            count,
            key=scene.key_word,
        )
    else:
        said = _n(
            "“{key}” is {count} token after the query.",
            "“{key}” is {count} tokens after the query.",
            count,
            key=scene.key_word,
        )
    if count > reach:
        said = f"{said} " + _("Distances beyond {reach} use the vector of {reach}.", reach=reach)
    return said


def _embed(scene: Scene) -> Built | None:
    if scene.map.site.kind != "self" or scene.map.site.layer:
        return None  # what comes from another layer
    embedding = scene.parameters["network.embedding.weight"]
    root = embedding.shape[1] ** 0.5
    row, after = exact(embedding[scene.queries.ids[scene.row]]), scene.of_query("input")
    k = int(np.abs(after).argmax())
    says = _(
        "The input for “{word}” is its embedding row times the square root of {size}. No position is added: equal "
        "words have equal inputs everywhere.",
        word=scene.query_word,
        size=len(after),
    )
    strips = (
        Strip(_("embedding"), "E", row[None], marked=(None, k)),
        Strip(_("the token's own vector"), "x", after[None], marked=(None, k), made=True),
    )
    computed = float(row[k]) * root
    digits = rf"{number(root)} \cdot {factor(float(row[k]))}"
    line = rf"x_{{{scene.row_name},[{k}]}} &= {digits} = {number(computed, 4)}"
    return says, strips, Worked((line,), computed, float(after[k]))


def _by_distance(scene: Scene) -> Numbers:
    """Return the query times the vector of each key's distance, [key]."""
    return np.asarray(_of_distances(scene, _KEYS) @ exact(scene.of_query("query")))


def _products_strip(scene: Scene, *, made: bool = False) -> Strip:
    name, place = _("products with the distances, computed here"), (None, scene.column)
    return Strip(name, "q a^K", _by_distance(scene)[None], columns=scene.keys, marked=place, made=made)


def _distance(scene: Scene) -> Built:
    query, vectors = scene.of_query("query"), _of_distances(scene, _KEYS)
    digits, computed = products(query, vectors[scene.column])
    says = _(
        "{where} The query is also multiplied with the learned vector of that distance, whatever the word is.",
        where=_where(scene),
    )
    table = Strip(
        _("parameters: the vector of each key's distance"),
        "a^K",
        vectors.astype(np.float32),
        rows=scene.keys,
        marked=(scene.column, None),
    )
    line = rf"q_{{{scene.row_name}}} (a^K_{scene.pair})^\top &= {digits} = {number(computed, 4)}"
    went_on = float(scene.of_query("by_distance")[scene.column]) * len(query) ** 0.5
    fall = products_fall(_("Query times the vector of the distance"), query, vectors[scene.column])
    strips = (query_strip(scene), table, _products_strip(scene, made=True))
    return says, strips, Worked((line,), computed, went_on, fall)


def _scaling(scene: Scene) -> Built:
    root = len(scene.of_query("query")) ** 0.5
    content = exact(scene.of_keys("key")) @ exact(scene.of_query("query"))
    parts = np.array([content[scene.column], _by_distance(scene)[scene.column]])
    computed = float(parts.sum()) / root
    says = _(
        "The two products are added and divided by the square root of {size}. The score of “{key}” is {content} "
        "from the words and {distance} from the distance.",
        size=len(scene.of_query("query")),
        key=scene.key_word,
        content=f"{parts[0] / root:.3f}",
        distance=f"{parts[1] / root:.3f}",
    )
    place = (None, scene.column)
    strips = (
        Strip(_("products, computed here"), "q k'", content[None], columns=scene.keys, marked=place),
        _products_strip(scene),
        scores_strip(scene, made=True),
    )
    above = rf"{number(float(parts[0]))} + {factor(float(parts[1]))}"
    line = rf"e_{scene.pair} &= \frac{{{above}}}{{{number(root)}}} = {number(computed, 4)}"
    names = (_("words"), _("distance"))
    fall = waterfall(_("The score of “{key}”", key=scene.key_word), parts / root, names.__getitem__)
    return says, strips, Worked((line,), computed, float(scene.of_query("scores")[scene.column]), fall)


def _context(scene: Scene) -> Built:
    weights, context = scene.of_query("weights"), scene.of_query("context")
    values, vectors = exact(scene.of_keys("value")), _of_distances(scene, _VALUES)
    k = int(np.abs(context).argmax())
    handed = values + vectors  # [key, d_head]
    digits, computed = products(weights, handed[:, k])
    says = _(
        "Each word passes on its value plus the vector of its distance. The weights mix these: {share} of the "
        "result is “{key}”.",
        share=f"{float(weights[scene.column]):.1%}",
        key=scene.key_word,
    )
    mark_at = (scene.column, k)
    names = _("values: what is passed on"), _("parameters: the vector of each key's distance")
    strips = (
        weights_strip(scene),
        Strip(names[0], "v", scene.of_keys("value"), rows=scene.keys, marked=mark_at),
        Strip(names[1], "a^V", vectors.astype(np.float32), rows=scene.keys, marked=mark_at),
        context_strip(scene, marked=k, made=True),
    )
    line = rf"{scene.letters.context}_{{{scene.row_name},[{k}]}} &= {digits} = {number(computed, 4)}"

    def label(key: int) -> str:
        both = f"({values[key, k]:.3g} + {vectors[key, k]:.3g})"
        return f"{piece_of(scene.map.key_tokens, key)}: {weights[key]:.3g} \u00d7 {both}"

    fall = waterfall(_("Component {place} of the context vector", place=k), exact(weights) * handed[:, k], label)
    return says, strips, Worked((line,), computed, float(context[k]), fall)


EMBED = Part("embed", mark("Embedding, no position"), _embed, ("network.embedding.weight",))
DISTANCE = Part("distance", mark("Score: query times distance"), _distance, (_KEYS,))
SCALING = Part("scaling", mark("Sum and scaling"), _scaling, (_KEYS,))
CONTEXT = Part("context", mark("Context"), _context, (_VALUES,))
