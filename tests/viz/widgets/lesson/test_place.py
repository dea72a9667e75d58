"""The steps of a lesson in the whole app: each brings its page, sentence and settings, and nothing of the last."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.lesson_pages import PAGES
from viz.lessons.lesson import LessonStep
from viz.lessons.library import SHIPPED, library_of
from viz.widgets.sentence import first_of

PATIENCE = 200  # seconds: the first run loads the models
APP = str(Path(__file__).parents[4] / "app.py")
LONG, WHITE, SHORT = (
    "The agreement on the European Economic Area was signed in August 1992.",
    "My sister bought a white house.",
    "The cat drank the milk.",
)


def steps() -> dict[str, LessonStep]:
    """Return the steps of all shipped lessons by their codes; of those that show the same the first."""
    found: dict[tuple[str, ...], tuple[str, LessonStep]] = {}
    for lesson in library_of((SHIPPED,), PAGES).lessons.values():
        for number, step in enumerate(lesson.steps, 1):
            shown = (step.page, *(f"{name}={text}" for name, text in sorted(step.link.items())))
            found.setdefault(shown, (f"{lesson.name}.{number}", step))
    return dict(found.values())


STEPS = steps()


def opened(**link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params.update(link)
    return app.run()


def shown(app: AppTest) -> list[str]:
    """Return what is drawn: the data of each picture, and each caption."""
    pictures = [
        f"{each.proto.component_name} {each.proto.json}{each.proto.bytes!r}" for each in app.get("bidi_component")
    ]
    return [*pictures, *(each.value for each in (*app.caption, *app.markdown, *app.text_input))]


def said(app: AppTest) -> dict[str, str]:
    assert not app.exception
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def test_steps_on_one_page_and_across_pages_bring_all_that_is_theirs() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lesson"], app.query_params["step"] = "bahdanau-and-luong", "3"
    app.run()
    assert said(app) == {
        "lesson": "bahdanau-and-luong.3",
        "mechanisms": "bahdanau luong-general",
        "sentence": LONG,
    }
    assert app.text_input(key="sentence").value == LONG
    app.button(key="lesson-next").click().run()
    walk = {"mechanism": "bahdanau", "second": "luong-general"}  # the step is the one that Steps opens on
    assert said(app) == {"lesson": "bahdanau-and-luong.4", "sentence": SHORT, **walk}
    app.button(key="lesson-next").click().run()
    shown = {"sentence": WHITE, "mechanisms": "bahdanau luong-general luong-concat"}
    assert said(app) == {"lesson": "bahdanau-and-luong.5", **shown}
    app.button(key="lesson-next").click().run()  # the same page, whose box Streamlit has bound to the link
    assert said(app) == {
        "lesson": "bahdanau-and-luong.6",
        "sentence": SHORT,
        "mechanisms": "luong-general luong-location",
    }
    assert app.text_input(key="sentence").value == SHORT
    app.button(key="lesson-close").click().run()
    assert "lesson" not in said(app)
    assert not [each for each in app.button if each.key == "lesson-next"]


@pytest.mark.parametrize("code", STEPS)
def test_the_bare_link_of_a_step_opens_what_the_step_shows(code: str) -> None:
    lesson, _dot, number = code.rpartition(".")
    bare, asked = opened(lesson=code), opened(lesson=lesson, step=number)
    assert said(bare) == said(asked)
    assert said(bare)["lesson"] == code  # nothing was changed
    assert not bare.warning
    assert shown(bare) == shown(asked)


def test_what_a_link_says_besides_its_step_wins_and_the_rest_is_the_steps() -> None:
    code = next(code for code, step in STEPS.items() if step.page == "surgery" and "edits" in step.link)
    link = STEPS[code].link
    assert {**link, "sentence": WHITE} != link
    assert said(opened(lesson=code, sentence=WHITE)) == {**link, "lesson": code, "sentence": WHITE}


def test_what_the_reader_changed_on_a_step_stays_when_the_link_is_opened_again() -> None:
    code = next(code for code, step in STEPS.items() if step.page == "bench" and "sentence" in step.link)
    app = opened(lesson=code)
    app.text_input(key="sentence").set_value(first_of("en-fr")).run()
    changed = said(app)
    assert changed["lesson"] == f"{code}~"
    assert "sentence" not in changed
    again = opened(**changed)
    assert said(again) == changed
    assert again.text_input(key="sentence").value == first_of("en-fr")
    again.button(key="lesson-next").click().run()
    again.button(key="lesson-previous").click().run()
    assert said(again) == {**STEPS[code].link, "lesson": code}


def test_a_step_without_settings_opens_on_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain.yaml").write_text("title: A\nlanguage: en\nsteps:\n  - {text: Look., page: lessons}\n", "utf8")
    monkeypatch.setenv("ATTENTION_BENCH_LESSONS", str(tmp_path))
    app = opened(lesson="plain.1")
    assert not app.exception
    assert said(app)["lesson"] == "plain.1"
    assert {"room-join", "lesson-close"} <= {each.key for each in app.button}
