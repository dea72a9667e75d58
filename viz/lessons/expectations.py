"""Checks of a lesson's `expect` entries against the models: words, weights, measured figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import models
from models.edits import Edit, read_edit
from viz.lessons.lesson import Lesson, LessonStep
from viz.lessons.quantities import AskedQuantity, Values, values_of
from viz.lessons.reading import GIVEN
from viz.views.view import View, choose_view

if TYPE_CHECKING:
    from models.model import Model
    from models.trace import AttentionTrace

_MEASURES = ("bleu", "aer")
_COMPARED = ("is", "least", "most", "rank")
_OF_A_PAIR = "error-runs"
"""The quantity that is computed for one name: others have the values of all."""


def unmet(lesson: Lesson, load: Callable[[str], Model] = models.load) -> list[str]:
    """Return what a lesson says and its models do not: the line of the file, what is expected, what was found."""
    computed = _Computed(load)
    return [
        f"{lesson.name}, line {each.line}: {dict(each.claims)}: found {found}"
        for step in lesson.steps
        for each in step.expect
        for found in _found_otherwise(step, each.claims, computed)
    ]


class _Computed:
    """What the models of a lesson say: computed once, however many numbers of it are claimed."""

    def __init__(self, load: Callable[[str], Model]) -> None:
        self.load = cache(load)
        self.trace = cache(self._trace)
        self._values: dict[tuple[frozenset[tuple[str, str]], str, tuple[Edit, ...]], Values] = {}

    def _trace(self, key: str, sentence: str, edits: tuple[Edit, ...]) -> AttentionTrace:
        return self.load(key).attend(sentence, edits=edits)

    def values(self, claims: Mapping[str, str], sentence: str, edits: tuple[Edit, ...]) -> Values:
        """Return the values of the quantity that claims name."""
        compared = _COMPARED if claims["quantity"] == _OF_A_PAIR else (*_COMPARED, "of")
        asked = frozenset(item for item in claims.items() if item[0] not in compared), sentence, edits
        if asked not in self._values:
            model = self.load(claims["model"]) if "model" in claims else None
            self._values[asked] = values_of(AskedQuantity(claims, model, sentence, edits))
        return self._values[asked]


def _found_otherwise(step: LessonStep, claims: Mapping[str, str], computed: _Computed) -> Iterator[object]:
    """Return what was found in place of what `claims` say."""
    if GIVEN in claims:
        return
    if "quantity" in claims:
        yield from _of_quantity(step, claims, computed)
        return
    for measure in _MEASURES:
        if measure in claims:
            value = _measured(claims["model"], measure, claims[measure])
            if value is None or not _is(value, claims):
                yield value
            return
    sentence = claims.get("sentence", step.link.get("sentence", ""))
    trace = computed.trace(claims["model"], sentence, _edits(step, claims))
    if "writes" in claims and trace.output_text != claims["writes"]:
        yield trace.output_text
    if "word" in claims:
        yield from _of_row(_view(trace, claims.get("head", "")), claims)


def _of_quantity(step: LessonStep, claims: Mapping[str, str], computed: _Computed) -> Iterator[object]:
    """Return the value of a quantity, or its names, if it is not what `claims` say."""
    sentence = claims.get("sentence", step.link.get("sentence", ""))
    values = computed.values(claims, sentence, _edits(step, claims))
    name = claims.get("of", "")
    if name not in values:
        yield sorted(values)
        return
    if "rank" in claims:
        extreme = {"least": min, "most": max}[claims["rank"]](values, key=lambda each: values[each])
        if name != extreme:
            yield extreme, values[extreme]
    if not _is(values[name], claims):
        yield values[name]


def _measured(key: str, measure: str, file: str) -> float | None:
    figure: Any = models.describe(key).card.get(measure, {}).get(file)
    return None if figure is None else float(figure["bleu"] if measure == "bleu" else figure)


def _edits(step: LessonStep, claims: Mapping[str, str]) -> tuple[Edit, ...]:
    if claims.get("edited") != "yes":
        return ()
    return tuple(read_edit(each) for each in step.link["edits"].replace("~", " ").split())


def _view(trace: Any, head: str) -> View:
    """Return the map that a claim is about: that of the card, or of a layer and head of cross-attention."""
    if not head:
        return choose_view(trace)
    layer, number = head.split(".")
    return choose_view(
        trace, site=f"decoder.{layer}.cross", head="mean" if number == "mean" else int(number), reading="written"
    )


def _of_row(view: View, claims: Mapping[str, str]) -> Iterator[object]:
    """Return what a row reads if it is not what `claims` say."""
    words, keys = (list(tokens.texts) for tokens in (view.shown.query_tokens, view.shown.key_tokens))
    if claims["word"] not in words or claims["reads"] not in keys:
        yield words, keys
        return
    row = view.weights[words.index(claims["word"])]
    weight = float(row[keys.index(claims["reads"])])
    if not {"least", "most", "is"} & claims.keys() and keys[int(row.argmax())] != claims["reads"]:
        yield keys[int(row.argmax())]
    if not _is(weight, claims):
        yield weight


def _is(value: float, claims: Mapping[str, str]) -> bool:
    """Return whether a number lies where `claims` say; ``is`` means as rounded to so many digits."""
    exact = claims.get("is")
    rounded = exact is None or f"{value:.{len(exact.partition('.')[2])}f}" == exact
    return rounded and float(claims.get("least", "-inf")) <= value <= float(claims.get("most", "inf"))
