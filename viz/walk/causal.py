"""Walk parts of a block of a causal language model: projections, rotary turn, shared keys, mask."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from models.huggingface.block_form import BlockForm, may_attend, turned
from viz.text.language import _, _n, mark
from viz.views.strips import Strip
from viz.walk import block, causal_feed, output, scores, weights
from viz.walk.causal_feed import norm_name
from viz.walk.digits import bias_of, factor, from_zero, number, products, products_fall, waterfall
from viz.walk.scene import Letters, Scene
from viz.walk.scores import Built, exact, keys_strip, row_of
from viz.walk.steps import Part, Walk, Worked


def _embed(form: BlockForm, scene: Scene) -> Built:
    word, after = exact(scene.parameters["embedding.weight"][scene.queries.ids[scene.row]]), scene.of_query("input")
    k = int(np.abs(after).argmax())
    row = Strip(_("embedding"), "E", word[None], marked=(None, k))
    made = scene.strip("input", _("the token's own vector"), "x", k, made=True)
    left = rf"x_{{{scene.row_name},[{k}]}}"
    if not form.has_positions:
        says = _(
            "The input for “{word}” is its embedding row. No position is added: equal tokens have equal inputs.",
            word=scene.query_word,
        )
        return says, (row, made), Worked((rf"{left} &= {number(word[k], 4)}",), float(word[k]), float(after[k]))
    place = exact(scene.parameters["positions.weight"][scene.row])
    says = _(
        "The input for “{word}” is its embedding row plus the learned vector of position {row}.",
        word=scene.query_word,
        row=scene.row_name,
    )
    strips = (row, Strip(_("position encoding"), "P", place[None], marked=(None, k)), made)
    line = rf"{left} &= {number(word[k])} + {factor(place[k])} = {number(word[k] + place[k], 4)}"
    names = (_("embedding"), _("position"))
    fall = waterfall(_("Component {place} of the vector", place=k), np.array([word[k], place[k]]), names.__getitem__)
    return says, strips, Worked((line,), float(word[k] + place[k]), float(after[k]), fall)


def _normalise(form: BlockForm, scene: Scene) -> Built:
    given, made = (_("the token's own vector"), "x"), (_("normalised input of the attention"), "x\u0302")
    return causal_feed.normalise(form, scene, "norm", ("input", *given), ("read", *made))


def _project(form: BlockForm, scene: Scene) -> Built:
    """Work out one number of the query, and of the chosen token's key and value."""
    given, before = exact(scene.of_keys("read")), "unrotated_" if form.turned else ""
    read = exact(scene.of_query("read"))
    made = {
        "query": (read, scene.of_query(f"{before}query"), scene.head, scene.row_name),
        "key": (given[scene.column], scene.of_keys(f"{before}key")[scene.column], _shared(form, scene), ""),
        "value": (given[scene.column], scene.of_keys("value")[scene.column], _shared(form, scene), ""),
    }
    names = {"query": _("query"), "key": _("key of the chosen word"), "value": _("value of the chosen word")}
    strips, lines, worked = [scene.strip("read", _("input of the attention"), "x\u0302")], [], []
    for name, (vector, after, head, place) in made.items():
        matrix, bias = scene.parameters[f"{name}.weight"], exact(scene.parameters[f"{name}.bias"])
        k, letter = int(np.abs(after).argmax()), name[0]
        row = head * form.d_head + k
        digits, total = products(matrix[row], vector)
        shift, added = bias_of(bias, row)
        computed = total + float(bias[row])
        lines.append(rf"{letter}_{{{place or scene.column_name},[{k}]}} &= {digits}{shift} = {number(computed, 4)}")
        strips += [
            row_of(matrix, row, f"W_{letter.upper()}"),
            Strip(names[name], letter, after[None], marked=(None, k), made=name == "query"),
        ]
        fall = products_fall(_("Component {place} of the query", place=k), matrix[row], vector, bias=added)
        worked.append((computed, float(after[k]), fall))
    says = _(
        "Three matrices give three vectors: what {reader} looks for (query), how each word is found (key), and "
        "what it passes on (value).",
        reader=scene.reader,
    )
    return says, tuple(strips), Worked(tuple(lines), *worked[0])


def _shared(form: BlockForm, scene: Scene) -> int:
    """Return the key-value head that the query head reads."""
    return scene.head // form.group


def _moved_most(form: BlockForm, scene: Scene) -> int:
    """Return the pair of numbers whose part of the score the turn changes most."""

    def by_pair(query: str, key: str) -> NDArray[np.float64]:
        terms = exact(scene.of_query(query)) * exact(scene.of_keys(key)[scene.column])
        return np.asarray(terms[: form.turned].reshape(2, -1).sum(axis=0))

    return int(np.abs(by_pair("query", "key") - by_pair("unrotated_query", "unrotated_key")).argmax())


def _rotate(form: BlockForm, scene: Scene) -> Built:
    """Work out one number of the turned query, and the same of the chosen token's key."""
    frequencies = exact(scene.parameters["frequencies"])
    half, pair = form.turned // 2, _moved_most(form, scene)
    k = max((pair, pair + half), key=lambda place: abs(scene.of_query("query")[place]))
    sides = {
        "q": (scene.row, exact(scene.of_query("unrotated_query")), scene.of_query("query"), scene.row_name),
        "k": (
            scene.column,
            exact(scene.of_keys("unrotated_key")[scene.column]),
            scene.of_keys("key")[scene.column],
            scene.column_name,
        ),
    }
    names = {"q": (_("query"), _("query, turned")), "k": (_("key of the chosen word"), _("its key, turned"))}
    strips, lines, worked = [], [], []
    for letter, (position, before, after, place) in sides.items():
        angle = position * float(frequencies[pair])
        one, other = float(before[k]), float(before[pair + half if k < half else pair])
        signed = -other if k < half else other
        computed = float(turned(form, before[None], np.array([position]), frequencies)[0, k])
        turn = rf"{number(one)} \cdot \cos({number(angle)}) + {factor(signed)} \cdot \sin({number(angle)})"
        lines += [
            rf"\theta_{{{place}}} &= {position} \cdot {number(float(frequencies[pair]), 5)} = {number(angle)}"
            rf" \quad {from_zero()}",
            rf"\tilde{{{letter}}}_{{{place},[{k}]}} &= {turn} = {number(computed, 4)}",
        ]
        strips += [
            Strip(names[letter][0], letter, before[None], marked=(None, k)),
            Strip(names[letter][1], f"{letter}\u0303", after[None], marked=(None, k), made=letter == "q"),
        ]
        terms = np.array([one * np.cos(angle), signed * np.sin(angle)])
        labels = (f"{one:.3g} \u00d7 cos({angle:.3g})", f"{signed:.3g} \u00d7 sin({angle:.3g})")
        fall = waterfall(_("Component {place} of the rotated query", place=k), terms, labels.__getitem__)
        worked.append((computed, float(after[k]), fall))
    says = _(
        "Components {one} and {other} of a vector form a pair. Each pair rotates by {angle} radians per token. "
        "“{query}” and “{key}” are {distance} apart. Only this distance counts in their dot product.",
        one=pair,
        other=pair + half,
        angle=f"{float(frequencies[pair]):.3g}",
        query=scene.query_word,
        key=scene.key_word,
        distance=_n("{count} token", "{count} tokens", abs(scene.row - scene.column)),
    )
    return says, tuple(strips), Worked(tuple(lines), *worked[0])


def _share(form: BlockForm, scene: Scene) -> Built:
    """Hold the key of the query head against that of the first head of its group."""
    first = _shared(form, scene) * form.group
    keys = scene.map.companions["key"][first : first + form.group, scene.column]  # [head of the group, d_head]
    k = int(np.abs(keys[0]).argmax())
    says = _(
        "{heads} query heads share {shared} key-value heads. Heads {first} to {last} use the keys and values of "
        "key-value head {own}. Head {head} is one of them.",
        heads=form.heads,
        shared=form.key_heads,
        first=first,
        last=first + form.group - 1,
        own=_shared(form, scene),
        head=scene.head,
    )
    heads = tuple(_("head {head}", head=head) for head in range(first, first + form.group))
    strips = (
        Strip(_("key of the chosen word, in each head of the group"), "k", keys, rows=heads, marked=(None, k)),
        keys_strip(scene, marked=k, made=True),
    )
    lines = (
        rf"\lfloor {scene.head} / {form.group} \rfloor &= {_shared(form, scene)}",
        rf"k^{{({scene.head})}}_{{{scene.column_name},[{k}]}} = k^{{({first})}}_{{{scene.column_name},[{k}]}} &= "
        rf"{number(float(keys[0, k]), 4)}",
    )
    return says, strips, Worked(lines, float(keys[0, k]), float(scene.of_keys("key")[scene.column, k]))


def _allowed(form: BlockForm, scene: Scene) -> tuple[NDArray[np.bool_], str]:
    allowed: NDArray[np.bool_] = may_attend(form, len(scene.queries))[scene.row, : scene.count]
    if form.window and scene.column <= scene.row:
        relation = "<" if allowed[scene.column] else r"\geq"
        return allowed, rf"{scene.row_name} - {scene.column_name} {relation} {form.window}"
    relation = r"\leq" if scene.column <= scene.row else ">"
    return allowed, rf"{scene.column_name} {relation} {scene.row_name}"


@lru_cache(maxsize=64)
def causal_walk(form: BlockForm, *, is_first: bool) -> Walk:
    """Return the walk through a block: of the first one, or of a later one."""
    norm = rf"\operatorname{{{norm_name(form)}}}"
    tilde = r"\tilde" if form.turned else ""
    embed = r"[[embed:x_i = E_{w_i} + P_i]]" if form.has_positions else r"[[embed:x_i = E_{w_i}]]"
    turns = r"[[rotate:\tilde{q}_i = R_i\, q_i, \; \tilde{k}_j = R_j\, k_j]]" if form.turned else ""
    grouped = rf"[[share:(k, v)^{{(h)}} = (k, v)^{{(\lfloor h / {form.group} \rfloor)}}]]" if form.group > 1 else ""
    product = rf"[[scaling:\frac{{[[product:{tilde}{{q}}_i {tilde}{{k}}_j^\top]]}}{{\sqrt{{d_{{head}}}}}}]]"
    between = "x_i" if form.is_parallel else "x'_i"
    formula = (
        *((embed,) if is_first else ()),
        rf"[[normalise:\hat{{x}}_i = {norm}(x_i)]], \quad "
        r"[[project:q_i = W_Q \hat{x}_i, \; k_j = W_K \hat{x}_j, \; v_j = W_V \hat{x}_j]]",
        *filter(None, (r", \quad ".join(filter(None, (turns, grouped))),)),
        rf"[[context:c_i = \sum_j [[softmax:\operatorname{{softmax}}_j\Big({product} [[mask:+\, m_{{ij}}]]\Big)]]\, "
        r"v_j]], \quad [[merge:o_i = W_O\, [c_i^{(0)}; c_i^{(1)}; \ldots]]]",
        *causal_feed.formula(form, norm, between),
    )
    parameters = ("positions.weight",) if form.has_positions else ()
    parts = (
        *((Part("embed", block.EMBED.title, partial(_embed, form), ("embedding.weight", *parameters)),) * is_first),
        Part("normalise", norm_name(form), partial(_normalise, form), ("norm.weight", "norm.bias")),
        Part("project", block.PROJECT.title, partial(_project, form), block.PROJECT.parameters),
        *(
            (Part("rotate", mark("Rotary positions (RoPE)"), partial(_rotate, form), ("frequencies",)),)
            * bool(form.turned)
        ),
        *((Part("share", mark("Grouped keys"), partial(_share, form)),) * (form.group > 1)),
        scores.PRODUCT,
        scores.SCALING,
        Part("mask", weights.MASK.title, weights.mask_by(partial(_allowed, form))),
        weights.SOFTMAX,
        weights.CONTEXT,
        output.MERGE,
        *((block.ADD,) * (not form.is_parallel)),
        *causal_feed.parts(form),
    )
    return Walk(formula, parts, Letters(query="q", key="k", value="v"))
