"""A parameter of the link to which a text box is bound: Streamlit lets nobody else write it.

Until Streamlit takes the value and passes it on to the box, and does not say an older one when a newer was typed; the
error is public, when it is raised is not, nor how Streamlit itself writes one.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import suppress

from streamlit.errors import StreamlitAPIException
from streamlit.runtime.state import get_session_state


def put_unless_bound(link: MutableMapping[str, str], name: str, value: str) -> None:
    """Put a value into the link, where no box is bound to it."""
    with suppress(StreamlitAPIException):
        link[name] = value


def say_bound(name: str, value: str | None) -> None:
    """Let the link say what stands in a box that is bound to it, None for nothing, and tell the browser.

    The browser writes what is typed into its address. What an earlier run says of the link can come after that: it
    takes the last letters out again, and the browser's next question may already say so.
    """
    with get_session_state().query_params() as link:
        link.discard_param_no_forward_msg(name)
        if value is not None:
            link.set_with_no_forward_msg(name, value)
        link.update()  # this tells the browser
