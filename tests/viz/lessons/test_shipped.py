"""What the lessons of this repository say is true: of the models, of the numbers, in both languages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

import models
from models.keys import at_point
from tests.support.lesson_pages import PAGES
from viz.lessons.expectations import unmet
from viz.lessons.lesson import Lesson, LessonStep
from viz.lessons.library import SHIPPED, library_of
from viz.lessons.quantities import BY_NAME
from viz.lessons.reading import GIVEN, QUANTITIES
from viz.views.view import choose_view

pytestmark = pytest.mark.usefixtures("smollm2")

PATIENCE = 200
LIBRARY = library_of((SHIPPED,), PAGES)
ENGLISH = [each for each in LIBRARY.lessons.values() if each.language == "en"]


def test_every_file_is_a_lesson_and_each_has_its_twin() -> None:
    assert LIBRARY.errors == {}
    assert len([each for each in ENGLISH if each.kind == "lesson"]) == 8
    assert len([each for each in ENGLISH if each.kind == "exercise"]) == 9
    assert {f"{each.name}-zh" for each in ENGLISH} | {each.name for each in ENGLISH} == set(LIBRARY.lessons)
    assert 40 <= sum(each.minutes for each in ENGLISH if each.kind == "lesson") <= 60


def shown(step: LessonStep) -> object:
    question = step.question
    asked = question and (len(question.choices), question.right, question.mark)
    return step.page, step.link, step.point, asked, bool(step.hint), bool(step.answer)


@pytest.mark.parametrize("lesson", ENGLISH, ids=lambda each: each.name)
def test_both_languages_show_the_same_and_state_the_same_numbers(lesson: Lesson) -> None:
    twin = LIBRARY.lessons[f"{lesson.name}-zh"]
    assert (twin.language, twin.kind, twin.number, twin.minutes) == ("zh", lesson.kind, lesson.number, lesson.minutes)
    asked = [[(len(each.choices), each.right) for each in lesson_of.questions] for lesson_of in (lesson, twin)]
    assert asked[0] == asked[1]
    assert len(lesson.questions) == (3 if lesson.kind == "lesson" else 0)
    assert [shown(each) for each in twin.steps] == [shown(each) for each in lesson.steps]
    assert numbers_of(twin) == numbers_of(lesson)
    for step in twin.steps:
        assert re.search("[\u4e00-\u9fff]", step.text)
        assert not re.search("[\u4e00-\u9fff][,;:?!]", step.text), step.text  # punctuation of another script


@pytest.mark.parametrize("lesson", [each for each in ENGLISH if each.kind == "lesson"], ids=lambda each: each.name)
def test_a_lesson_of_the_tour_takes_minutes_and_ends_with_two_questions(lesson: Lesson) -> None:
    assert 5 <= lesson.minutes <= 10
    assert [step.question is not None for step in lesson.steps[-2:]] == [True, True]
    for step in lesson.steps:
        assert step.question is None or (step.hint and step.answer)
        assert len(step.text.split()) < 110, "nobody reads that from a wall"


@pytest.mark.parametrize("lesson", ENGLISH, ids=lambda each: each.name)
def test_what_a_lesson_expects_of_its_models_is_so(lesson: Lesson) -> None:
    assert unmet(lesson) == []


def texts_of(lesson: Lesson) -> str:
    parts = [lesson.about]
    for step in lesson.steps:
        parts += [step.text, step.hint, step.answer]
        parts += [step.question.ask, *step.question.choices] if step.question else []
    return "\n".join(parts)


NAMED = re.compile(
    r"Question \d+|[Ll]ayer \d+|[Hh]ead \d+|figure \d+\w?|table \d+|\b(?:19|20)\d\d\b"
    r"|第 ?\d+ ?层|头 ?\d+|第 ?\d+ ?(?:个|号)?头|图 ?\d+\w?|表 ?\d+"
)
"""Numbers that are names: of layers, heads, figures, tables, years."""


def numbers_of(lesson: Lesson) -> set[str]:
    """Return the numbers that a lesson states, without a sign: decimals everywhere, others outside of formulas.

    Those that are names are none, and 0 and 1, between which shares lie.
    """
    text = texts_of(lesson)
    outside = NAMED.sub(" ", re.sub(r"\$[^$]*\$", " ", text))
    whole = set(re.findall(r"(?<![\d.])\d+(?![\d]|\.\d)", outside)) - {"0", "1"}
    return set(re.findall(r"\d+\.\d+", text)) | whole


def held_by(lesson: Lesson) -> set[str]:
    """Return the numbers that a lesson's expectations hold."""
    claims = [each.claims for step in lesson.steps for each in step.expect]
    return {each[name].lstrip("-") for each in claims for name in ("is", "least", "most", GIVEN) if name in each}


def diagonal(key: str) -> float:
    """Return the share of the content words of the lesson's translation whose row reads their word most."""
    pairs = {"Ma": "My", "sœur": "sister", "livre": "book", "dans": "in", "la": "the", "cuisine": "kitchen"}
    trace = models.load(at_point(key, 12)).attend(
        "My sister is reading a book in the kitchen.", "Ma sœur lit un livre dans la cuisine."
    )
    view = choose_view(trace)
    queries, keys = (list(each.texts) for each in (view.shown.query_tokens, view.shown.key_tokens))
    found = [keys[int(view.weights[queries.index(word)].argmax())] for word in pairs]
    return sum(one == other for one, other in zip(found, pairs.values(), strict=True)) / len(pairs)


def test_where_lengths_of_training_are_compared_one_map_has_found_its_words() -> None:
    additive, general, several = (diagonal(key) for key in models.training_runs())
    assert general > 0.8 > 0.6 > max(additive, several)


@pytest.mark.parametrize("lesson", ENGLISH, ids=lambda each: each.name)
def test_every_number_that_a_lesson_states_is_held_by_an_expectation(lesson: Lesson) -> None:
    """The Chinese twin states the same numbers, which another test holds."""
    assert numbers_of(lesson) - held_by(lesson) == set()


def test_a_number_that_nothing_holds_is_found() -> None:
    lesson = LIBRARY.lessons["mask-a-word"]
    step = lesson.steps[2]
    for stale in ("8.49", "3.21", "17"):
        answer = f"{step.answer} It costs \u2212{stale}, not 1, in layer 2, table 3, of 2015."
        changed = replace(lesson, steps=(*lesson.steps[:2], replace(step, answer=answer)))
        assert numbers_of(changed) - held_by(changed) == {stale}


def test_every_quantity_that_a_lesson_can_name_is_computed() -> None:
    assert set(BY_NAME) == set(QUANTITIES)


def test_an_expectation_that_is_not_met_is_named() -> None:
    lesson = LIBRARY.lessons["is-attention-an-explanation"]
    wrong = [
        {"word": "lait", "reads": "cat"},
        {"writes": "Le chien."},
        {"word": "lait", "reads": "milk", "is": "0.57"},
        {"quantity": "probability", "of": "lait", "is": "0.57"},
        {"quantity": "probability", "of": "chien"},
        {"quantity": "score", "word": "lait", "of": "cat", "rank": "most"},
    ]
    step = lesson.steps[0]
    for claims in wrong:
        first = replace(step.expect[0], claims={"model": "bahdanau-en-fr", **claims})
        assert len(unmet(replace(lesson, steps=(replace(step, expect=(first,)),)))) == 1


LINKS = {(step.page, tuple(step.link.items())): step for each in ENGLISH for step in each.steps}


@pytest.mark.parametrize("place", sorted(LINKS), ids=lambda place: place[0])
def test_every_step_opens_on_its_page_and_nothing_of_its_link_is_asked_in_vain(place: tuple[str, object]) -> None:
    step = LINKS[place]  # type: ignore[index]
    app = AppTest.from_string(f"from viz.pages.{step.page}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    for name, value in step.link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert [each.value for each in (*app.warning, *app.error)] == []
    kept = {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}
    assert {name: kept.get(name, value) for name, value in step.link.items()} == step.link
