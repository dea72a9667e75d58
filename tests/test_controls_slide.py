"""Sliders and switches whose choices stand in the address bar, and controls that start anew."""

import pytest
from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from viz.controls import discard, show_unknown, slide, start_anew, switch

    owner = st.text_input("Owner", "first", key="owner")
    place = st.container()
    start_anew(("step", "on"), of=owner, mark="owner-of")
    if "bad" in st.query_params:
        discard("bad")
    st.session_state.got = (
        slide("step", {"a": "1. first", "b": "2. second", "c": "3. third"}, title="Step"),
        slide("size", {"1": "1", "2": "2", "4": "4"}, title="Size", default="2"),
        slide("alone", {"x": "X"}, title="Alone"),
        switch("on", title="On", default=True),
        switch("off", title="Off", default=False),
    )
    show_unknown(place, sentence=owner)


DEFAULTS = ("a", "2", "x", True, False)


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def test_defaults_leave_the_address_clean_and_a_single_choice_has_no_slider() -> None:
    app = opened()
    assert app.session_state.got == DEFAULTS
    assert not app.query_params
    assert [each.key for each in app.select_slider] == ["step", "size"]


def test_what_is_moved_stands_in_the_address_and_a_link_restores_it() -> None:
    app = opened()
    app.select_slider(key="step").set_value("c").run()
    app.select_slider(key="size").set_value("4").run()
    app.toggle(key="on").set_value(False).run()
    app.toggle(key="off").set_value(True).run()
    want = ("c", "4", "x", False, True)
    assert app.session_state.got == want
    assert app.query_params == {"step": "c", "size": "4", "on": "off", "off": "on"}
    again = opened(**app.query_params)
    assert again.session_state.got == want
    assert again.select_slider(key="step").value == "c"
    assert again.toggle(key="on").value is False
    app.select_slider(key="step").set_value("a").run()
    app.toggle(key="on").set_value(True).run()
    assert set(app.query_params) == {"size", "off"}


def test_the_address_wins_over_what_was_chosen_before() -> None:
    app = opened(step="b", off="on")
    app.query_params["step"] = "c"
    app.query_params["off"] = "off"
    app.run()
    assert app.session_state.got == ("c", "2", "x", True, False)
    assert app.select_slider(key="step").value == "c"
    assert app.toggle(key="off").value is False


@pytest.mark.parametrize(
    ("link", "said"),
    [({"step": "z"}, "step=z"), ({"on": "yes"}, "on=yes"), ({"size": "3"}, "size=3"), ({"bad": "q" * 500}, "bad=qqq")],
    ids=str,
)
def test_what_is_no_choice_is_named_and_replaced(link: dict[str, str], said: str) -> None:
    app = opened(**link)
    assert app.session_state.got == DEFAULTS
    assert said in app.warning[0].value.replace("\\", "")
    assert len(app.warning[0].value) < 300


def test_a_link_is_kept_at_the_first_visit_and_what_belongs_to_another_starts_anew() -> None:
    app = opened(step="b", on="off", size="4")
    assert app.session_state.got == ("b", "4", "x", False, False)
    app.text_input(key="owner").set_value("second").run()
    assert app.session_state.got == ("a", "4", "x", True, False)
    assert set(app.query_params) == {"size"}
