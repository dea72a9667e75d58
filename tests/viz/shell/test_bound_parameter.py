"""Streamlit refuses to write a parameter to which a box is bound, and the box keeps it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def show() -> None:
    import streamlit as st
    from streamlit.errors import StreamlitAPIException

    from viz.shell.bound_parameter import put_unless_bound

    put_unless_bound(st.query_params, "free", "one")
    st.text_input("a", "typed", key="bound", bind="query-params")
    if "again" in st.session_state:
        put_unless_bound(st.query_params, "bound", "other")
        try:
            st.query_params["bound"] = "other"
        except StreamlitAPIException:
            st.caption("refused")
    st.session_state["again"] = True


def test_a_bound_parameter_is_left_and_a_free_one_written() -> None:
    app = AppTest.from_function(show).run().run()
    assert not app.exception
    assert [each.value for each in app.caption] == ["refused"]
    assert app.query_params["free"] == "one"
    assert app.text_input[0].value == "typed"
