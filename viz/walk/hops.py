"""Walk parts of hops: keys, scores, overlap with other hops, classifier."""

from __future__ import annotations

import numpy as np

from viz.text.language import _, mark
from viz.views.strips import Strip
from viz.walk.digits import factor, number, products, products_fall
from viz.walk.scene import Letters, Scene
from viz.walk.scores import Built, exact, keys_strip, query_strip, row_of, scores_strip
from viz.walk.steps import Part, Walk, Worked
from viz.walk.weights import CONTEXT, MASK, SOFTMAX, weights_strip


def _keys(scene: Scene) -> Built:
    matrix, states, keys = scene.parameters["first.weight"], scene.of_keys("value"), scene.of_keys("key")
    k = int(np.abs(exact(scene.of_query("query")) * exact(keys[scene.column])).argmax())
    digits, total = products(matrix[k], states[scene.column])
    computed = float(np.tanh(total))
    says = _(
        "A bidirectional network reads the sentence and leaves a state at each word. Each state becomes a key, "
        "with values between -1 and 1. The keys are the same for every hop."
    )
    strips = (
        Strip(_("states: one for each word"), "h", states, rows=scene.keys, marked=(scene.column, None)),
        row_of(matrix, k, "W_s1"),
        keys_strip(scene, marked=k, made=True),
    )
    lines = (
        rf"(W_{{s1}} h_{{{scene.column_name}}})_{{{k}}} &= {digits} = {number(total, 4)}",
        rf"k_{{{scene.column_name},{k}}} &= \tanh({number(total, 4)}) = {number(computed, 4)}",
    )
    name = _("Component {place} of the key of “{key}”, before tanh", place=k, key=scene.key_word)
    fall = products_fall(name, matrix[k], states[scene.column])
    return says, strips, Worked(lines, computed, float(keys[scene.column, k]), fall)


def _scores(scene: Scene) -> Built:
    query, key = scene.of_query("query"), scene.of_keys("key")[scene.column]
    digits, computed = products(query, key)
    score = float(scene.of_query("scores")[scene.column])
    says = _(
        "{hop} is a learned vector, the same for every sentence. Each word gets a score: how well its key fits "
        "this vector. “{key}” gets {score}.",
        hop=scene.reader,
        key=scene.key_word,
        score=f"{score:.3f}",
    )
    strips = (query_strip(scene), keys_strip(scene), scores_strip(scene, made=True))
    line = (
        rf"e_{scene.pair} &= w_{{{scene.row_name}}}^\top k_{{{scene.column_name}}} = {digits} = {number(computed, 4)}"
    )
    fall = products_fall(_("The score of “{key}”, a sum of products", key=scene.key_word), query, key)
    return says, strips, Worked((line,), computed, score, fall)


def _spread(scene: Scene) -> Built | None:
    weights = exact(scene.map.weights[scene.head])  # [hop, word]
    if len(weights) < 2:
        return None
    alike = weights @ weights[scene.row]
    others = np.where(np.arange(len(alike)) == scene.row, -np.inf, alike)
    other = int(others.argmax())
    digits, computed = products(weights[scene.row], weights[other])
    names = scene.queries.texts
    says = _(
        "The hop most like {hop} is {other}: the product of their rows is {value}. The penalty counts the squares "
        "of such products. A product is 0 where two hops share no word.",
        other=names[other],
        hop=scene.reader,
        value=f"{computed:.3f}",
    )
    strips = (
        weights_strip(scene),
        Strip(_("weights of {hop}", hop=names[other]), "a", weights[other][None], "weights", columns=scene.keys),
        Strip(
            _("products with every hop: one row of A A'"),
            "A A'",
            alike[None],
            "weights",
            columns=names,
            marked=(None, other),
            made=True,
        ),
    )
    line = rf"(A A^\top)_{{{scene.row_name},{other + 1}}} &= {digits} = {number(computed, 4)}"
    fall = products_fall(_("The product of both rows"), weights[scene.row], weights[other])
    return says, strips, Worked((line,), computed, float(alike[other]), fall)


def _classes(scene: Scene) -> Built:
    read = exact(scene.map.companions["context"][scene.head]).reshape(-1)  # M, its rows side by side
    hidden_weight, hidden_bias, weight, bias = (
        exact(scene.parameters[f"{layer}.{part}"]) for layer in ("hidden", "output") for part in ("weight", "bias")
    )
    hidden = np.maximum(hidden_weight @ read + hidden_bias, 0)
    logits = weight @ hidden + bias
    total = float(logits.max()) + float(np.log(np.exp(logits - logits.max()).sum()))
    shares = np.array([share for _name, share in scene.trace.classes])
    best = int(shares.argmax())
    digits, product = products(weight[best], hidden)
    logit = product + float(bias[best])
    computed = float(np.exp(logit - total))
    names = tuple(_(name) for name, _share in scene.trace.classes)
    says = _(
        "The context vectors of all hops are concatenated. A small network turns them into a score for each kind "
        "of text: “{kind}” has probability {share}.",
        kind=names[best],
        share=f"{float(shares[best]):.1%}",
    )
    contexts = scene.map.companions["context"][scene.head]
    strips = (
        Strip(_("context vector of each hop"), "M", contexts, rows=scene.queries.texts, marked=(scene.row, None)),
        Strip(_("hidden layer of the classifier, computed here"), "r", hidden[None]),
        Strip(
            _("probabilities of the kinds of text"),
            "p",
            shares[None],
            "weights",
            columns=names,
            marked=(None, best),
            made=True,
        ),
    )
    lines = (
        rf"(V r + d)_{{{best}}} &= {digits} + {factor(float(bias[best]))} = {number(logit, 4)}",
        rf"p &= \exp({number(logit)} - {factor(total)}) = {number(computed, 4)}",
    )
    fall = products_fall(_("The score of “{kind}”", kind=names[best]), weight[best], hidden, bias=float(bias[best]))
    return says, strips, Worked(lines, computed, float(shares[best]), fall)


_CLASSIFIER = ("hidden.weight", "hidden.bias", "output.weight", "output.bias")

SELF_ATTENTIVE = Walk(
    (
        r"[[keys:k_j = \tanh(W_{s1} h_j)]], \quad "
        r"[[context:M_i = \sum_j [[softmax:\operatorname{softmax}_j\big([[scores:w_i^\top k_j]] "
        r"[[mask:+\, m_{ij}]]\big)]]\, h_j]]",
        r"[[spread:P = \lVert A A^\top - I \rVert_F^2]], \quad "
        r"[[predict:p = \operatorname{softmax}(V \max(0, U [M_1; M_2; \ldots] + b) + d)]]",
    ),
    (
        Part("keys", mark("Keys of the words"), _keys, ("first.weight",)),
        Part("scores", mark("Score"), _scores),
        MASK,
        SOFTMAX,
        CONTEXT,
        Part("spread", mark("Like the other hops?"), _spread),
        Part("predict", mark("The kind of text"), _classes, _CLASSIFIER),
    ),
    Letters(query="w", key="k", value="h", context="M"),
    ending=mark("what the classifier says"),
)
