"""A teacher's own lesson in a room: the class sees its text and question, hint and answer once they are revealed."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.lesson_pages import PAGES as KNOWN
from viz.lessons.library import SHIPPED, library_of
from viz.rooms.room import Room
from viz.server.rooming import shared_rooming

PATIENCE = 200  # seconds: the first run loads the models
OWN = """
title: Our milk
language: en
steps:
  - text: A choice.
    page: bench
    link: sentence=The cat drank the milk.&mechanisms=bahdanau
    question: {ask: "Which word is most?", choices: [milk, cat], right: 1}
    hint: Think of the hint.
    answer: Here is the answer.
  - text: A row.
    page: bench
    link: sentence=The cat drank the milk.&mechanisms=bahdanau
    question: {ask: "What is expected?", mark: {mechanism: bahdanau, word: lait}}
    answer: Here is the answer.
  - text: Nothing is asked.
    page: bench
    link: sentence=The cat drank the milk.&mechanisms=bahdanau
    answer: Here is the answer.
"""
ANSWERS = ("Think of the hint.", "Here is the answer.")


def steps_with_help() -> list[str]:
    """Return a step of each kind that shipped lessons have, with a hint or an answer: asking or not, and how."""
    found: dict[tuple[bool, ...], str] = {}
    for lesson in library_of((SHIPPED,), KNOWN).lessons.values():
        for number, step in enumerate(lesson.steps, 1):
            if step.hint or step.answer:
                kind = (bool(step.question), bool(step.question and step.question.mark), bool(step.hint))
                found.setdefault((*kind, bool(step.answer)), f"{lesson.name}.{number}")
    return list(found.values())


def visit() -> None:
    """Show the app, in which a file may have been uploaded."""
    import streamlit as st

    from app import PAGES
    from tests.support.lesson_pages import PAGES as KNOWN
    from viz.widgets.frame import show_app
    from viz.widgets.lesson.place import open_uploaded
    from viz.widgets.lesson.uploaded import read_uploaded

    file = st.session_state.pop("test-file", None)
    if file:
        open_uploaded(read_uploaded(file, "own.yaml", KNOWN), file)
    show_app(PAGES, first="bench", icon=st.session_state["test-icon"])


def opened(*, file: bytes | None = None, **link: str) -> AppTest:
    app = AppTest.from_function(visit, default_timeout=PATIENCE)
    app.session_state["test-icon"] = Path(__file__).parents[4] / "viz" / "icon.svg"
    app.session_state["test-file"] = file
    app.query_params.update(link)
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def press(app: AppTest, label: str) -> None:
    next(each for each in app.button if each.label == label).click()
    run(app)


def seen(app: AppTest) -> str:
    return " ".join(str(each.value) for each in (*app.markdown, *app.caption, *app.success, *app.info, *app.warning))


def labels(app: AppTest) -> set[str]:
    return {each.label for each in app.button}


def helps(app: AppTest) -> set[str]:
    """Return which of hint and answer are offered."""
    return {"Hint", "Answer"} & {each.proto.popover.label for each in app.get("popover")}


@pytest.fixture(autouse=True)
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", str(tmp_path))


def room_of(app: AppTest) -> Room:
    code = app.query_params["room"]
    return shared_rooming().store.room(code[0] if isinstance(code, list) else code)


def leading(**about: object) -> tuple[AppTest, str]:
    teacher = opened(**about)  # type: ignore[arg-type]
    press(teacher, "Open a room")
    return teacher, room_of(teacher).code


def test_the_class_sees_what_is_asked_and_the_answer_once_it_is_revealed() -> None:
    teacher, code = leading(file=OWN.encode())
    assert all(each in seen(teacher) for each in ANSWERS)
    student = opened(room=code)
    for step, (text, ask) in enumerate(
        (("A choice.", "Which word is most?"), ("A row.", "What is expected?"), ("Nothing is asked.", "")), 1
    ):
        assert f".{step}" in str(student.query_params["lesson"])
        late = opened(room=code)
        for each in (student, late):
            assert text in seen(each)
            assert ask in seen(each)
            assert not any(answer in seen(each) for answer in ANSWERS)
        press(teacher, "Reveal to the class")
        assert "Here is the answer." in seen(run(student))
        assert "Here is the answer." in seen(opened(room=code))
        if step < 3:
            press(teacher, "Next")
            run(student)


def test_a_choice_is_not_judged_and_a_row_is_hidden_until_it_is_revealed() -> None:
    teacher, code = leading(file=OWN.encode())
    student = opened(room=code)
    student.radio[0].set_value(2)
    run(student)
    assert "Not yet" not in seen(student)
    press(student, "Send to the class")
    assert "Not yet" not in seen(student)
    press(teacher, "Reveal to the class")
    assert "Not yet" in seen(run(student))
    press(teacher, "Next")
    assert "The maps are hidden until the row is revealed." in seen(run(student))


def test_a_student_who_goes_ahead_meets_no_answer() -> None:
    _teacher, code = leading(file=OWN.encode())
    student = opened(room=code)
    for _step in range(2):
        press(student, "Next")
        assert not any(answer in seen(student) for answer in ANSWERS)
        assert "What is expected?" not in seen(student) or "not asked this yet" in seen(student)
        assert not any(each.startswith("Reveal") for each in labels(student))


@pytest.mark.parametrize("code", steps_with_help())
def test_of_a_shipped_lesson_hint_and_answer_wait_too_but_not_outside_of_the_room(code: str) -> None:
    lesson, step = code.split(".")
    teacher, room = leading(lesson=lesson, step=step)
    student, alone = opened(room=room), opened(lesson=lesson, step=step)
    assert [helps(each) for each in (teacher, student, alone)] == [helps(alone), set(), helps(alone)]
    assert helps(alone)
    press(teacher, "Reveal to the class")
    assert helps(run(student)) == helps(alone)


def test_a_room_that_is_left_or_closed_takes_its_lesson_along_and_the_teacher_keeps_it() -> None:
    teacher, code = leading(file=OWN.encode())
    student, other = opened(room=code), opened(room=code)
    press(student, "Leave the room")
    assert "A choice." not in seen(run(student))
    press(teacher, "Close it for all")
    assert "A choice." in seen(run(teacher))
    assert "A choice." not in seen(run(other))
    assert "closed" in seen(other)


def test_a_room_that_is_left_is_not_joined_by_a_request_that_still_names_it() -> None:
    _teacher, code = leading(file=OWN.encode())
    student = opened(room=code)
    press(student, "Leave the room")
    assert "Leave the room" not in labels(student)
    student.query_params["room"] = code  # as the browser sends it until it has heard of the new address
    assert "Leave the room" not in labels(run(student))
    assert "room" not in student.query_params
    assert "Leave the room" in labels(opened(room=code))


def test_a_second_lesson_takes_the_place_of_the_first_and_its_questions_are_others() -> None:
    teacher, code = leading(file=OWN.encode())
    first = room_of(teacher).asked
    teacher.session_state["test-file"] = OWN.replace("A choice.", "Another one.").encode()
    run(teacher)
    assert room_of(teacher).asked != first
    assert "Another one." in seen(opened(room=code))
