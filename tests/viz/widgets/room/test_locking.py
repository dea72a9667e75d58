"""The teacher's switch that keeps newcomers out: who is in comes back, who is not is told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from viz.server.rooming import Rooming, shared_rooming


@pytest.fixture
def rooming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rooming:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", str(tmp_path))
    return shared_rooming()


@pytest.fixture(autouse=True)
def cookies(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the cookies of the browser."""
    kept: dict[str, str] = {}
    context = SimpleNamespace(cookies=kept, ip_address="school", url="http://bench/", locale="en")
    monkeypatch.setattr(st, "context", context)
    return kept


def visit() -> None:
    """Show nothing but the room."""
    from types import SimpleNamespace

    import streamlit as st

    from viz.widgets.room.bar import show_room
    from viz.widgets.room.here import enter, open_room

    enter({}, SimpleNamespace(url_path="bench"), {})  # type: ignore[arg-type]
    st.button("Open", on_click=open_room)
    show_room()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(visit)
    app.query_params.update(link)
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def said(app: AppTest) -> str:
    return " ".join(each.value for each in app.warning)


def test_a_teacher_keeps_newcomers_out_and_lets_them_in_again(rooming: Rooming, cookies: dict[str, str]) -> None:
    teacher = opened()
    teacher.button[0].click()
    run(teacher)
    (code,) = rooming.store.codes()
    student = opened(room=code)
    name, _is, text = student.session_state["room-here"].cookie.partition("=")
    teacher.toggle(key="room-locked").set_value(True)
    run(teacher)
    assert rooming.store.room(code).is_locked
    assert teacher.toggle(key="room-locked").value
    assert "accepts no new members. Ask your teacher" in said(opened(room=code)).replace("\\", "")
    assert said(run(student)) == ""
    cookies[name] = text
    assert said(opened(room=code)) == ""  # in another tab, or after the page was loaded again
    cookies.clear()
    assert rooming.store.room(code).joined == 1
    teacher.toggle(key="room-locked").set_value(False)
    run(teacher)
    assert said(opened(room=code)) == ""
    assert rooming.store.room(code).joined == 2


def test_a_student_who_made_room_joins_again_and_goes_on(rooming: Rooming) -> None:
    code, _key = rooming.open_room("school")
    student = opened(room=code)
    before = student.session_state["room-here"].member
    rooming.store.leave(code, before)
    assert said(run(student)) == ""
    after = student.session_state["room-here"].member
    assert rooming.store.is_member(code, after)
    assert after != before
