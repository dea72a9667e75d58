"""What the app takes from Streamlit's private context is there, in a run and outside of one."""

from __future__ import annotations

import json
from dataclasses import fields

from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest

from tests.support.bundle import bundle
from viz.shell import script_run


def show_context() -> None:
    import streamlit as st

    from viz.shell import script_run

    st.json([script_run.page_hash(), script_run.session_id(), script_run.link_of_run(), script_run.is_by_history()])


def test_a_run_says_its_page_session_and_link() -> None:
    app = AppTest.from_function(show_context)
    app.query_params["sentence"] = "a b"
    app.query_params["empty"] = ""
    app.run()
    assert not app.exception
    page, session, link, by_history = json.loads(app.json[0].value)
    assert page
    assert session
    assert link == {"sentence": "a b", "empty": ""}
    assert by_history is False


def test_outside_a_run_there_is_nothing() -> None:
    assert (script_run.page_hash(), script_run.session_id(), script_run.link_of_run()) == ("", "", {})
    assert not script_run.is_by_history()
    script_run.leave_if_asked()


def test_the_browser_tells_of_back_and_a_run_hears_of_it() -> None:
    assert "isHistoryNavigation" in bundle()
    assert "is_history_navigation" in {each.name for each in fields(RerunData)}


def test_a_run_that_is_asked_to_end_ends_where_it_waits() -> None:
    def wait() -> None:
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        from viz.shell.script_run import leave_if_asked

        get_script_run_ctx().script_requests.request_stop()  # type: ignore[union-attr]
        while True:
            leave_if_asked()

    assert not AppTest.from_function(wait, default_timeout=20).run().exception


def test_what_ends_a_run_is_no_error() -> None:
    assert not any(issubclass(each, Exception) for each in script_run.ENDINGS)
