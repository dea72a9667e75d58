"""Who a visitor is in a room: one and the same member, in whatever order rooms are visited, with cookies or without."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from viz.server.rooming import Rooming, shared_rooming
from viz.widgets.room.who import Here


@pytest.fixture
def rooming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rooming:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", str(tmp_path))
    return shared_rooming()


@pytest.fixture
def cookies(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the cookies of the browser."""
    kept: dict[str, str] = {}
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies=kept, ip_address="school"))
    return kept


def visit() -> None:
    import streamlit as st

    from viz.widgets.room.who import come

    st.session_state["found"] = come(st.query_params["room"])


def come_to(code: str, app: AppTest | None = None) -> tuple[Here, AppTest]:
    app = app or AppTest.from_function(visit)
    app.query_params["room"] = code
    app.run()
    assert not app.exception
    return app.session_state["found"], app


def test_one_visit_has_one_member_a_room_whatever_order(rooming: Rooming, cookies: dict[str, str]) -> None:
    one, two = (rooming.open_room("school")[0] for _room in range(2))
    _here, app = come_to(one)
    for code in (two, one, two, one, one):
        come_to(code, app)
    assert [rooming.store.room(code).joined for code in (one, two)] == [1, 1]
    assert cookies == {}


def test_one_browser_has_one_member_a_room_whatever_order(rooming: Rooming, cookies: dict[str, str]) -> None:
    one, two = (rooming.open_room("school")[0] for _room in range(2))
    for code in (one, two, one, two, one, one):
        name, _is, text = come_to(code)[0].cookie.partition("=")
        cookies[name] = text
    assert [rooming.store.room(code).joined for code in (one, two)] == [1, 1]


def test_whoever_has_the_key_leads(rooming: Rooming, cookies: dict[str, str]) -> None:
    code, key = rooming.open_room("school")
    cookies["attention-bench-teacher"] = f"{code}.{key}"
    assert come_to(code)[0] == Here(code, key=key)
    assert rooming.store.room(code).joined == 0
