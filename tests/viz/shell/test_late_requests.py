"""A request for a part of a page that was left is not answered; all others are."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from tests.support.coroutines import run_apart
from viz.shell.late_requests import ignore_late_requests


class Session(AppSession):
    """A session without a server, which notes what it answers and sends."""

    def __init__(self) -> None:
        self.answered: list[ClientState | None] = []
        self.sent: list[ForwardMsg] = []
        self._fragment_storage: Any = SimpleNamespace(contains="part".__eq__)

    def __del__(self) -> None:
        """Leave no server, as it has none."""


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    return session_of(monkeypatch)


def session_of(monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(AppSession, "request_rerun", lambda self, client_state: self.answered.append(client_state))
    monkeypatch.setattr(AppSession, "_enqueue_forward_msg", lambda self, msg: self.sent.append(msg))
    for whose, name in ((AppSession, "_create_scriptrunner"), (WebsocketSessionManager, "connect_session")):
        monkeypatch.setattr(whose, name, getattr(whose, name))  # as it is, and so again afterwards
    ignore_late_requests()
    return Session()


def asked(page: str, fragment: str = "") -> ClientState:
    return ClientState(page_script_hash=page, fragment_id=fragment)


def test_a_part_of_a_page_is_answered_until_the_next_page_is_asked_for(session: Session) -> None:
    for state, count in [
        (asked("one"), 1),
        (asked("one", "part"), 2),
        (asked("two"), 3),
        (asked("one", "part"), 3),
        (asked("two", "part"), 4),
        (None, 5),
    ]:
        session.request_rerun(state)
        assert len(session.answered) == count


@pytest.mark.parametrize("kind", ["new_session", "navigation"])
def test_a_part_of_a_page_is_not_answered_when_the_server_has_turned_the_page(session: Session, kind: str) -> None:
    session.request_rerun(asked("one"))
    message = ForwardMsg()
    getattr(message, kind).page_script_hash = "two"
    session._enqueue_forward_msg(message)
    assert session.sent == [message]
    for state in (asked("one", "part"), asked("two", "part")):
        session.request_rerun(state)
    assert session.answered == [asked("one"), asked("two", "part")]


@pytest.mark.parametrize(
    ("existing", "given", "told"), [(None, "new", False), ("old", "old", False), ("old", "new", True)]
)
def test_the_page_of_a_server_that_has_ended_is_told_to_ask_and_answered_once(
    monkeypatch: pytest.MonkeyPatch, existing: str | None, given: str, told: bool
) -> None:
    monkeypatch.setattr(WebsocketSessionManager, "connect_session", lambda *_who, **_how: given)
    request, manager = session_of(monkeypatch), object.__new__(WebsocketSessionManager)
    monkeypatch.setattr(manager, "get_active_session_info", lambda _name: SimpleNamespace(session=request))
    manager.connect_session(existing_session_id=existing)  # type: ignore[call-arg]
    assert bool(request.sent) is told
    for _tick in range(2 * told):
        request.request_rerun(asked("one", request.sent[0].auto_rerun.fragment_id))
    assert request.answered == [asked("one")] * told


@pytest.mark.usefixtures("session")
def test_it_is_done_once() -> None:
    before = AppSession.request_rerun
    ignore_late_requests()
    assert AppSession.request_rerun is before


def test_a_part_that_a_new_server_does_not_know_lets_the_whole_app_run(session: Session) -> None:
    session.request_rerun(asked("one", "of before"))
    session.request_rerun(asked("one", "part"))
    assert session.answered == [asked("one"), asked("one", "part")]


class Runner:
    """A run that has been begun for a request."""

    def __init__(self, first: str) -> None:
        self.asked = [first]

    def request_rerun(self, rerun: str) -> bool:
        self.asked.append(rerun)
        return True


async def let_runs_begin() -> None:
    await asyncio.sleep(0.02)


@pytest.mark.parametrize("ends", [False, True], ids=["goes on", "is shut down"])
def test_no_run_begins_before_what_the_one_of_before_has_drawn_is_sent(
    monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    def create(session: Any, request: str) -> None:
        session._scriptrunner = Runner(request)

    async def ask_as_a_run_ends() -> Any:
        session: Any = session_of(monkeypatch)
        session._event_loop, session._state = asyncio.get_running_loop(), AppSessionState.APP_IS_RUNNING
        ending = session._scriptrunner = object()
        session._create_scriptrunner("first")
        await let_runs_begin()
        session._create_scriptrunner("second")
        assert session._scriptrunner is ending
        if ends:
            session._state = AppSessionState.SHUTDOWN_REQUESTED
        session._scriptrunner = None  # its last message has come
        if not ends:
            session._create_scriptrunner("third")
        await let_runs_begin()
        return session._scriptrunner

    monkeypatch.setattr(AppSession, "_create_scriptrunner", create)
    runner = run_apart(ask_as_a_run_ends())
    assert (runner and runner.asked) == (None if ends else ["first", "second", "third"])
