"""Requests at a bad moment: of a page that was left, of a server that has ended, or just when a run has ended.

A client that drops what its page no longer shows, and asks each new server anew, and a server that sends what a run
has drawn before it begins another, would replace this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

_PAGE = "_attention_bench_page"
"""Under which a session holds the page that its visitor is on once all is there that was asked for or sent."""

_AGAIN = "attention-bench-again"
"""The fragment that the page of a server that has ended is told to ask for."""

_SOON = 0.1
"""Seconds after which it does."""

_WAITING = "_attention_bench_waiting"
"""Under which a session holds what was asked when a run had ended and its last messages were not yet sent."""

_MOMENT = 0.002
"""Seconds between two looks whether they are."""


def ignore_late_requests() -> None:
    """Answer no request for a fragment that comes from another page than the one that is shown or on its way.

    A widget or a component can ask until the first message of the next page is there. Streamlit would run the fragment
    after that page, which has one of the same name, and announce the page that was left: the browser clears what it
    shows, cannot place what comes then ("Bad delta path index"), and stays white. What asked is gone by then.
    Of a fragment that the session does not have, as in a server that was started again, the whole app is run.
    """
    ask, send = AppSession.request_rerun, AppSession._enqueue_forward_msg
    if ask.__name__ == "request_in_time":
        return

    def request_in_time(self: AppSession, client_state: ClientState | None) -> None:
        page = client_state.page_script_hash if client_state else ""
        if client_state and client_state.fragment_id and page != getattr(self, _PAGE, page):
            return
        if client_state and client_state.fragment_id == _AGAIN and hasattr(self, _PAGE):
            return  # it has asked by itself
        if client_state and client_state.fragment_id and not self._fragment_storage.contains(client_state.fragment_id):
            client_state.fragment_id = ""  # after a restart of the server, of which the page does not know yet
        if page:
            setattr(self, _PAGE, page)
        ask(self, client_state)

    def send_and_note(self: AppSession, msg: ForwardMsg) -> None:
        kind = msg.WhichOneof("type")
        if kind in ("new_session", "navigation"):
            setattr(self, _PAGE, getattr(msg, kind).page_script_hash)
        send(self, msg)

    AppSession.request_rerun = request_in_time  # type: ignore[method-assign]
    AppSession._enqueue_forward_msg = send_and_note  # type: ignore[method-assign]
    _have_lost_requests_repeated()
    _send_what_was_drawn_first()


def _send_what_was_drawn_first() -> None:
    """Begin no run before what the one of before has drawn is sent.

    A run that ends hands its last messages to the server's loop. Streamlit begins another, in another thread, for what
    is asked at that moment, and drops what still comes from the thread of before: the page stays as it was.
    """
    create = AppSession._create_scriptrunner

    def create_once_sent(self: AppSession, initial_rerun_data: RerunData) -> None:
        self.__dict__.setdefault(_WAITING, []).append(initial_rerun_data)
        begin(self)

    def begin(self: AppSession) -> None:
        waiting: list[RerunData] = self.__dict__.get(_WAITING, [])
        if self._state == AppSessionState.SHUTDOWN_REQUESTED:
            waiting.clear()
        elif waiting and self._scriptrunner is not None:  # its thread's last message takes it away
            self._event_loop.call_later(_MOMENT, begin, self)
        elif waiting:
            first, *others = waiting
            waiting.clear()
            create(self, first)
            runner: Any = self._scriptrunner
            for each in others:
                runner.request_rerun(each)

    AppSession._create_scriptrunner = create_once_sent  # type: ignore[method-assign]


def _have_lost_requests_repeated() -> None:
    """Have the page of a server that has ended ask the new one, whether or not it saw its last request answered."""
    connect: Any = WebsocketSessionManager.connect_session

    def connect_and_ask(
        self: WebsocketSessionManager, *who: Any, existing_session_id: str | None = None, **how: Any
    ) -> str:
        name: str = connect(self, *who, existing_session_id=existing_session_id, **how)
        if existing_session_id not in (None, name) and (info := self.get_active_session_info(name)):
            message = ForwardMsg()
            message.auto_rerun.fragment_id, message.auto_rerun.interval = _AGAIN, _SOON
            info.session._enqueue_forward_msg(message)
        return name

    WebsocketSessionManager.connect_session = connect_and_ask  # type: ignore[method-assign]
