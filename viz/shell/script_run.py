"""Private context of a script run: its page, its session, whether Back began it, and whether its visitor still waits.

``st.context`` has none of these; it replaces this file when it has them, and a public way to end a run that nobody
waits for.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from streamlit.runtime.scriptrunner import RerunException, StopException, get_script_run_ctx

ENDINGS = (StopException, RerunException)
"""With what Streamlit ends a run; none is an `Exception`."""


def page_hash() -> str:
    """Return Streamlit's name for the page that runs; empty outside a run."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def session_id() -> str:
    """Return the server's name for the visitor's session; empty outside a run."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def is_by_history() -> bool:
    """Return whether the browser's Back or Forward began this run."""
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


def link_of_run() -> dict[str, str]:
    """Return the link with which the run began, before Streamlit filters it for the page that is shown."""
    context = get_script_run_ctx()
    return dict(parse_qsl(context.query_string, keep_blank_values=True)) if context else {}


def leave_if_asked() -> None:
    """End the run if its visitor has left the page or typed something new; else do nothing."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        context.yield_check()
