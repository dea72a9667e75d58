"""Requests of a page that was left, which Streamlit would answer on the next page, and of a server that has ended.

A client that drops what its page no longer shows, and asks each new server anew, would replace this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState

_PAGE = "_attention_bench_page"
"""Under which a session holds the page that its visitor is on once all is there that was asked for or sent."""

_AGAIN = "attention-bench-again"
"""The fragment that the page of a server that has ended is told to ask for."""

_SOON = 0.1
"""Seconds after which it does."""


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
