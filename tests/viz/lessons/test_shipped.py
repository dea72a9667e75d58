"""What the lessons of this repository say is true: of the models, of the numbers, in both languages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import models
from models.edits import Edit, mask_key, zero_head
from models.experiments.lab_presets import book, random_vectors
from models.keys import at_point
from models.trace import AttentionTrace
from models.training.twins import FIGURES
from tests.support.lesson_pages import PAGES
from viz.lessons.expectations import unmet
from viz.lessons.lesson import Lesson, Step
from viz.lessons.library import SHIPPED, library_of
from viz.measures.head_profile import Profile, profiles_of
from viz.views.view import choose_view

PATIENCE = 200
LIBRARY = library_of((SHIPPED,), PAGES)
ENGLISH = [each for each in LIBRARY.lessons.values() if each.language == "en"]
SHORT, LONG = "The cat drank the milk.", "The cat drank the milk because it was hungry."


def test_every_file_is_a_lesson_and_each_has_its_twin() -> None:
    assert LIBRARY.errors == {}
    assert len([each for each in ENGLISH if each.kind == "lesson"]) == 8
    assert len([each for each in ENGLISH if each.kind == "exercise"]) == 5
    assert {f"{each.name}-zh" for each in ENGLISH} | {each.name for each in ENGLISH} == set(LIBRARY.lessons)
    assert 40 <= sum(each.minutes for each in ENGLISH if each.kind == "lesson") <= 60


def shown(step: Step) -> object:
    question = step.question
    asked = question and (len(question.choices), question.right, question.mark)
    return step.page, step.link, step.point, asked, bool(step.hint), bool(step.answer)


@pytest.mark.parametrize("lesson", ENGLISH, ids=lambda each: each.name)
def test_both_languages_show_the_same_and_state_the_same_numbers(lesson: Lesson) -> None:
    twin = LIBRARY.lessons[f"{lesson.name}-zh"]
    assert (twin.language, twin.kind, twin.number, twin.minutes) == ("zh", lesson.kind, lesson.number, lesson.minutes)
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


def numbers_of(lesson: Lesson) -> set[str]:
    """Return the numbers with a decimal point that a lesson states."""
    return set(re.findall(r"\d+\.\d+", texts_of(lesson)))


@cache
def trace_of(key: str, sentence: str, *edits: Edit, target: str | None = None) -> AttentionTrace:
    return models.load(key).attend(sentence, target, edits=edits, sites=("*.weights", "*.scores"))


def likelihood(trace: AttentionTrace) -> float:
    return float(sum(np.log(step.probability) for step in trace.steps))


def loss(sentence: str, *edits: Edit) -> float:
    """Return what edits of the Transformer cost the translation that it wrote without them."""
    own = trace_of("transformer-en-fr", sentence)
    forced = trace_of("transformer-en-fr", sentence, target=own.output_text)
    edited = trace_of("transformer-en-fr", sentence, *edits, target=own.output_text)
    return likelihood(edited) - likelihood(forced)


def additive() -> set[str]:
    """Return the numbers of a walk: scores, their exponentials, shares, the probability of the word."""
    trace = trace_of("bahdanau-en-fr", SHORT)
    row = trace.target.texts.index(" lait")
    scores = trace["decoder.0.cross"].companions["scores"][0, row]
    exponentials = np.exp(scores - scores.max())
    parts = (*exponentials[2:4], exponentials.sum(), trace.steps[row].probability)
    assert 13 < scores.min() < scores.max() < 20
    two = {f"{each:.2f}" for each in (*scores, exponentials[2:4].sum() / exponentials.sum(), parts[-1])}
    wrong = {f"{exponentials[2:4].sum():.2f}", "0.02"}  # choices that are wrong
    return two | wrong | {f"{each:.3f}" for each in parts}


def saturation() -> set[str]:
    products = [float(each) for each in (book().tables["query"] @ book().tables["key"].T)[0]]
    largest = set()
    for size in (8, 64):
        query, key = (random_vectors(size).tables[name] for name in ("query", "key"))
        for root in (1, size**0.5):
            shares = np.exp(query @ key.T / root)
            largest.add(f"{shares.max() / shares.sum():.2f}")
    return largest | {f"{each:g}" for each in np.round(products, 2)} | {"0.2"}  # a temperature to set


def of_heads() -> set[str]:
    trace = trace_of("transformer-en-fr", LONG)
    views = [choose_view(trace, site=each.site) for each in trace if each.site.stack == "encoder"]
    profiles: dict[object, Profile] = {each.place: each for each in profiles_of(views)}
    clear = next(each for place, each in profiles.items() if tuple(place) == (1, 7))  # type: ignore[arg-type]
    assert clear.label.key == "previous"
    return {f"{clear.label.score:.2f}"}


def masked() -> set[str]:
    losses = {key: loss(SHORT, mask_key("decoder.*.cross", key)) for key in (0, 1, 4, 5, 6)}
    losses[2] = loss(SHORT, mask_key("decoder.*.cross", 2), mask_key("decoder.*.cross", 3))
    assert max(losses, key=losses.__getitem__) == 4
    assert min(losses, key=losses.__getitem__) == 1
    return {f"{-losses[4]:.2f}", f"{-losses[1]:.2f}"}


def together() -> set[str]:
    edits = [zero_head("decoder.2.cross", head) for head in (1, 2, 4, 6)]
    single, joint = sum(loss(LONG, each) for each in edits), loss(LONG, *edits)
    assert trace_of("transformer-en-fr", LONG, *edits).output_text == trace_of("transformer-en-fr", LONG).output_text
    worst = min(loss(LONG, each) for each in edits)
    assert 3 < np.exp(-worst) < 4, "times less likely"
    return {f"{-single:.2f}", f"{-joint:.2f}", f"{-worst:.1f}"}


def aligning() -> set[str]:
    from models.experiments.aligning_heads import rank_heads

    found = {
        (each.site.layer, each.head, each.reading): each
        for each in rank_heads(models.load("transformer-en-fr"), "en-fr")
    }
    written = next(place for place in found if place[2] == "written")
    assert next(iter(found)) == (0, 2, "input")
    assert written == (1, 4, "written")
    assert found[0, 2, "written"].error_rate > 0.7
    return {f"{found[place].error_rate:.2f}" for place in ((0, 2, "input"), written)}


def learnt() -> set[str]:
    losses = [models.describe(at_point(key, 12)).card["held_out_loss"] for key in models.training_runs()]
    additive, general, several = (diagonal(key) for key in models.training_runs())
    assert general > 0.8 > 0.6 > max(additive, several)
    return {f"{np.floor(10 * min(losses)) / 10:.1f}", f"{np.ceil(10 * max(losses)) / 10:.1f}"}


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


def twins() -> set[str]:
    """Return the BLEU of the twins of the first lesson, which the same text taught: with attention, without."""
    runs = json.loads(FIGURES.read_text(encoding="utf8"))
    kinds = ("bahdanau", "seq2seq")
    found = [[each["bleu"]["tatoeba.test"] for each in runs if each["mechanism"] == kind] for kind in kinds]
    return {f"{np.mean(each):.1f}" for each in found}


COMPUTED: dict[str, Callable[[], set[str]]] = {
    "why-attention": twins,
    "additive-by-hand": additive,
    "scaled-dot-product": saturation,
    "swap-the-score": lambda: saturation() | {"0.6", "1.2", "1.8"},  # the query of the book's example
    "many-heads": of_heads,
    "mask-a-word": masked,
    "design-a-head-experiment": together,
    "find-the-head-that-aligns": aligning,
    "how-attention-is-learnt": learnt,
}


@pytest.mark.parametrize("lesson", ENGLISH, ids=lambda each: each.name)
def test_every_number_that_a_lesson_states_is_expected_or_computed(lesson: Lesson) -> None:
    claimed = {each.claims.get("is", "") for step in lesson.steps for each in step.expect}
    computed = COMPUTED.get(lesson.name, set[str])()
    assert numbers_of(lesson) <= claimed | computed


def test_no_single_head_changes_the_translation_of_the_lesson_on_heads() -> None:
    own = trace_of("transformer-en-fr", LONG)
    places = [(str(each.site), head) for each in own for head in range(len(each.head_names))]
    assert len(places) == 72
    model, losses = models.load("transformer-en-fr"), {}
    for site, head in places:
        edited = model.attend(LONG, edits=(zero_head(site, head),), sites=())
        assert edited.output_text == own.output_text, (site, head)
        losses[site, head] = likelihood(edited)
    assert min(losses, key=losses.__getitem__) == ("decoder.2.cross", 1)


def test_an_expectation_that_is_not_met_is_named() -> None:
    lesson = LIBRARY.lessons["is-attention-an-explanation"]
    wrong = [{"word": "lait", "reads": "cat"}, {"writes": "Le chien."}, {"word": "lait", "reads": "milk", "is": "0.57"}]
    from dataclasses import replace

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
