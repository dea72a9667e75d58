"""Picture of a walk: its fixed parts, and which of them each step highlights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.trace import TokenSequence
from viz.text.counting import position_name
from viz.text.language import _, _n
from viz.text.tokens import visible
from viz.views.view import Unit
from viz.walk.digits import Waterfall
from viz.walk.formula import mathml, terms_of
from viz.walk.scene import Scene, spoken
from viz.walk.steps import Walk, WalkStep

LIKELIEST = 5
"""Words of the vocabulary that are named at the end."""

CURVE = 41
"""Points in which a Gaussian is drawn."""

_LIT = {
    "keys": ("words",),
    "features": ("words", "state"),
    "product": ("state", "score"),
    "distance": ("state", "score"),
    "scores": ("state", "score"),
    "scaling": ("score",),
    "split": ("state", "score"),
    "mask": ("score",),
    "centre": ("state", "window"),
    "gaussian": ("window", "weight"),
    "choose": ("weight",),
    "vector": ("words", "vector"),
    "embed": ("state",),
    "normalise": ("state",),
    "project": ("words", "state"),
    "rotate": ("words", "state"),
    "share": ("words",),
    "convolve": ("state",),
    "gate": ("state",),
    "value": ("words",),
}
"""The parts of the picture that a step lights, where they are not named as the step."""

_BESIDE = ("words", "state", "score", "window", "softmax", "weight", "context", "vector", "predict")
"""Parts that have a place of their own; any other step has a box behind the context."""

_APART = r" \quad "
"""What stands between the parts of a line of a formula, which may stand one below the other."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SentenceLabel:
    """What is said before the words that a reader can choose, and how these are written."""

    said: str
    language: str  # of the words
    apart: bool = False  # whether there is a space before each


def sentence_of(tokens: TokenSequence, row: int, unit: Unit, lead: SentenceLabel) -> dict[str, Any]:
    """Return the words, or the pieces, that a reader can choose: each with the row that it stands for."""
    shown: list[dict[str, Any]] = []
    for pieces in _groups(tokens.words, unit):
        first = tokens.texts[pieces[0]]
        text = first if unit == "piece" else tokens.word_texts[tokens.words[pieces[0]]]
        starts = pieces[0] == tokens.words.index(tokens.words[pieces[0]])
        space = bool(shown) and starts and (lead.apart or first[:1].isspace() or pieces[0] in tokens.specials)
        shown.append({"text": spoken(text), "row": row if row in pieces else pieces[0], "space": space})
    return {"text": shown, "lead": lead.said, "language": lead.language}


def picture_of(walk: Walk, scene: Scene, steps: Sequence[WalkStep], unit: Unit) -> dict[str, Any]:
    """Return what the browser draws of a scene: `viz/canvas/walk.js` reads it.

    Of a word of several pieces the exponentials and the weights are sums, and the score is the one whose exponential
    is that sum: what stands in a column still follows from what stands above it.
    """
    read = scene.trace.source if scene.shown is None else scene.map.key_tokens
    seen = range(scene.count if scene.shown else len(read))
    if walk.back:
        seen = range(max(0, scene.row + 1 - walk.back), scene.row + 1)
    groups = _groups(read.words, unit, seen)
    pieces = [group[0] for group in groups]
    names = [spoken(read.texts[each] if unit == "piece" else read.word_texts[read.words[each]]) for each in pieces]
    picture: dict[str, Any] = {
        "title": _(scene.trace.provenance.title),
        "codes": [
            [mathml(part) for part in line.split(_APART)]
            for line in walk.formula
            if set(terms_of(line)) & {step.key for step in steps}
        ],
        "note": _(walk.note),
        "columns": [{"text": name, "pieces": len(group)} for name, group in zip(names, groups, strict=True)],
        "state": _state(scene, unit),
        "steps": [_step(step) for step in steps],
        "boxes": [{"part": step.key, "text": step.title} for step in steps if _lit(step.key)[-1] not in _BESIDE],
        "words": _likeliest(scene),
        "ending": _(walk.ending),
        "rows": [],
        "vector": _vector(scene, walk),
    }
    if scene.shown is not None:
        picture |= _attention(scene, groups)
    return picture


def _groups(words: Sequence[int], unit: Unit, seen: range | None = None) -> list[list[int]]:
    """Return which pieces each column stands for; of those `seen` alone, if not of all."""
    pieces = range(len(words)) if seen is None else seen
    if unit == "piece":
        return [[piece] for piece in pieces]
    owners = dict.fromkeys(words[piece] for piece in pieces)
    return [[piece for piece in pieces if words[piece] == word] for word in owners]


def _lit(key: str) -> tuple[str, ...]:
    return _LIT.get(key, (key,))


def _step(step: WalkStep) -> dict[str, Any]:
    fall = step.worked.fall if step.worked else None
    return {"key": step.key, "title": step.title, "says": step.says, "lit": _lit(step.key), "fall": _fall(fall)}


def _fall(fall: Waterfall | None) -> dict[str, Any] | None:
    if fall is None:
        return None
    parts = list(fall.parts)
    if fall.others:
        parts.append((_n("{count} other", "{count} others", fall.others), fall.rest))
    return {"says": fall.says, "parts": parts, "total": fall.total, "sum": _("sum")}


def _state(scene: Scene, unit: Unit) -> dict[str, str]:
    """Return who reads, and what it knows by then; of a word of several pieces, which of them the walk is about."""
    if scene.shown is not None and scene.shown.site.kind == "hops":
        return {"name": scene.reader, "says": _("a learned vector, the same for every sentence")}
    if scene.shown is not None and scene.shown.site.kind == "self":
        layer = scene.shown.site.layer
        return {"name": _("the query of {reader}", reader=scene.reader), "says": _("in layer {layer}", layer=layer)}
    if not len(scene.trace.target):
        return {"name": _("after {reader}", reader=f"“{scene.query_word}”"), "says": _("the next subword is predicted")}
    target = scene.trace.target
    so_far = visible_text("".join(target.texts[: scene.row]).strip()) or _("nothing yet")
    name = _("the decoder at step {place}", place=position_name(scene.row))
    state = {"name": name, "says": _("written so far:"), "text": so_far}
    pieces = target.words.count(target.words[scene.row])
    if unit == "word" and pieces > 1:
        place = scene.row - target.words.index(target.words[scene.row])
        state["piece"] = _(
            "writes {piece}: subword {place} of {count}",
            piece=scene.query_word,
            place=position_name(place),
            count=pieces,
        )
    return state


def visible_text(text: str) -> str:
    """Return a text as it is read: its spaces stay, everything else that one cannot see is made visible."""
    return " ".join(visible(word) for word in text.split(" ") if word)


def _vector(scene: Scene, walk: Walk) -> str:
    if walk.back:
        return _n("slice of {count} output", "slices of {count} outputs", min(walk.back, scene.row + 1))
    if scene.vector is None:
        return ""
    size = len(scene.vector)
    if len(scene.states) > 1:
        return _("state and cell: {count} numbers", count=size)
    return _n("one vector: {count} number", "one vector: {count} numbers", size)


def _likeliest(scene: Scene) -> list[dict[str, Any]]:
    """Return the likeliest words of a decoder's step, and the written one if it is none of them."""
    if scene.trace.classes:
        best = sorted(scene.trace.classes, key=lambda each: -each[1])[:LIKELIEST]
        return [{"text": _(name), "share": share, "written": not place} for place, (name, share) in enumerate(best)]
    if scene.trace.predictions:
        next_ones = scene.prediction.alternatives[:LIKELIEST] if scene.prediction else ()
        return [{"text": spoken(text), "share": p, "written": not place} for place, (text, p) in enumerate(next_ones)]
    if scene.trace.provenance.decoding == "none" or (scene.shown is not None and scene.shown.site.kind == "self"):
        return []
    step = scene.trace.steps[scene.row]
    found = list(step.alternatives[:LIKELIEST])
    if step.text not in [text for text, _share in found]:
        found.append((step.text, step.probability))
    return [{"text": spoken(text), "share": share, "written": text == step.text} for text, share in found]


def _attention(scene: Scene, groups: list[list[int]]) -> dict[str, Any]:
    letters = scene.letters
    chance = _("probability {letter}", letter=letters.plain("weight"))
    before = {"raw_weights": _("share before the Gaussian"), "probabilities": chance}
    raw = next((each for each in before if each in scene.map.companions), "")
    allowed, scores = scene.of_query("mask").astype(bool), scene.of_query("scores").astype(np.float64)
    powers = np.where(allowed, scores, -np.inf)
    joined = np.array([np.logaddexp.reduce(powers[group]) for group in groups])
    exponentials = np.exp(joined - joined.max())
    shares = _summed(scene.of_query("weights"), groups)
    score, weight = letters.plain("score"), "z" if scene.is_chosen else letters.plain("weight")
    crossed = [scene.map.causal and not allowed[group].any() for group in groups]
    would_be = np.array([np.logaddexp.reduce(scores[group]) for group in groups])
    rows = [
        _row("score", _("score {letter}", letter=score), np.where(crossed, would_be, joined))
        | ({"crossed": list(map(bool, crossed))} if any(crossed) else {}),
        _row("softmax", _("exp ({letter} \u2212 the largest)", letter=score), exponentials),
    ]
    if raw:
        rows.append(_row("softmax", before[raw], _summed(scene.of_query(raw), groups)))
    last = _row("weight" if raw else "softmax", _("weight {letter}", letter=weight), shares)
    rows.append(last | _moved(scene, groups))
    return {
        "rows": rows,
        "chosen": next(place for place, group in enumerate(groups) if scene.column in group),
        "picks": [max(group, key=lambda piece: powers[piece]) for group in groups],
        "context": _("context {letter}", letter=letters.plain("context")),
        "window": _window(scene, groups),
    }


def _row(part: str, title: str, values: Numbers) -> dict[str, Any]:
    """Return a row of bars; what the mask hides has none."""
    numbers = [float(value) if np.isfinite(value) else None for value in values]
    return {"part": part, "title": title, "values": numbers}


def _moved(scene: Scene, groups: list[list[int]]) -> dict[str, Any]:
    """Return what stands beside the weights: what is moved, and how long values are; nothing where it is not known."""
    if scene.moved is None:
        return {}
    moved, lengths = scene.moved
    means = [float(lengths[group].mean(dtype=np.float64)) for group in groups]
    return {
        "beside": {"title": _("moved"), "values": _summed(moved, groups).tolist()},
        "lengths": {"title": _("length of the value (mean 1)"), "values": means},
    }


def _summed(values: NDArray[Any], groups: list[list[int]]) -> Numbers:
    return np.array([values[group].sum(dtype=np.float64) for group in groups])


def _window(scene: Scene, groups: list[list[int]]) -> dict[str, Any] | None:
    """Return where a window stands, in columns from the left edge of the first, and its Gaussian; None without one."""
    if "centre" not in scene.map.companions:
        return None
    centre, width = map(float, scene.of_query("centre"))
    edges = [0.0]
    for place, group in enumerate(groups):
        edges += [place + (piece + 1) / len(group) for piece in range(len(group))]
    pieces = np.arange(scene.count + 1) - 0.5

    def across(positions: Sequence[float] | Numbers) -> list[float]:
        return [float(each) for each in np.interp(positions, pieces, edges)]

    window: dict[str, Any] = dict(
        zip(("centre", "from", "to"), across((centre, centre - width, centre + width)), strict=True)
    )
    if "raw_weights" in scene.map.companions:
        places = np.linspace(max(centre - width, pieces[0]), min(centre + width, pieces[-1]), CURVE)
        shares = np.exp(-((places - centre) ** 2) / (2 * max(width / 2, 1e-3) ** 2))
        window["curve"] = [[place, float(share)] for place, share in zip(across(places), shares, strict=True)]
    return window
