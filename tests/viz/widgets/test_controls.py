"""Controls whose choices stand in the address bar, in stable words; what is not a choice is named; starting anew."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest


def choices() -> None:
    import streamlit as st

    from viz.widgets.controls import segmented, select, several, show_unknown

    labels = {"a": "Erste", "b": "Zweite", "c": "Dritte"}
    text = st.text_input("Sentence", key="text")
    place = st.container()
    st.session_state.got = (
        segmented("one", labels, title="One"),
        select("box", labels, title="Box", default="b"),
        several("some", labels, title="Some", default=("a", "b"), least=1, drops=("box",)),
        several("any", labels, title="Any", default=()),
    )
    show_unknown(place, sentence=text)


def sliders() -> None:
    import streamlit as st

    from viz.widgets.controls import discard, show_unknown, slide, start_anew, switch

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


DEFAULTS = ("a", "b", ("a", "b"), ())
SLIDER_DEFAULTS = ("a", "2", "x", True, False)


def opened(script: Callable[[], None] = choices, **link: str) -> AppTest:
    app = AppTest.from_function(script)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def test_without_a_link_the_defaults_are_shown_and_the_address_is_clean() -> None:
    app = opened()
    assert app.session_state.got == DEFAULTS
    assert not app.query_params
    assert not app.warning


def test_a_choice_stands_in_the_address_in_its_stable_word() -> None:
    app = opened()
    app.button_group(key="one").set_value("c").run()
    app.selectbox(key="box").set_value("a").run()
    app.button_group(key="any").set_value(["c", "a"]).run()
    assert app.session_state.got == ("c", "a", ("a", "b"), ("a", "c"))
    assert app.query_params == {"one": "c", "box": "a", "any": "a c"}
    assert opened(**app.query_params).session_state.got == app.session_state.got


def test_a_default_leaves_the_address() -> None:
    app = opened(one="c", some="c", any="b")
    app.button_group(key="one").set_value("a").run()
    app.button_group(key="some").set_value(["b", "a"]).run()
    app.button_group(key="any").set_value([]).run()
    assert app.session_state.got == DEFAULTS
    assert not app.query_params


def test_the_address_wins_over_what_was_chosen_before() -> None:
    """As when somebody goes back in the history of the browser."""
    app = opened()
    app.button_group(key="one").set_value("c").run()
    app.query_params["one"] = "b"
    app.run()
    assert app.session_state.got[0] == "b"
    assert app.button_group(key="one").value == "b"


def test_the_last_of_what_must_be_shown_stays() -> None:
    app = opened(some="c")
    app.button_group(key="some").set_value([]).run()
    assert app.session_state.got[2] == ("c",)
    assert app.button_group(key="some").value == ["c"]


def test_a_control_can_let_others_start_anew() -> None:
    app = opened(box="c")
    app.button_group(key="some").set_value(["a"]).run()
    assert app.session_state.got[1] == "b"
    assert "box" not in app.query_params


@pytest.mark.parametrize(
    ("link", "said", "got"),
    [
        ({"one": "<x>"}, "one=<x>", DEFAULTS),
        ({"box": "Zweite"}, "box=Zweite", DEFAULTS),
        ({"one": ""}, "one=", DEFAULTS),
        ({"some": "b z"}, "some=z", ("a", "b", ("b",), ())),
        ({"some": "z"}, "some=z", DEFAULTS),
        ({"some": ""}, "some=", DEFAULTS),
        ({"any": "c y z"}, "any=y z", ("a", "b", ("a", "b"), ("c",))),
        ({"one": "x", "any": "y"}, "one=x, any=y", DEFAULTS),
    ],
    ids=str,
)
def test_what_is_not_a_choice_is_named_and_replaced(link: dict[str, str], said: str, got: tuple[object, ...]) -> None:
    app = opened(**link)
    assert app.session_state.got == got
    (warning,) = app.warning
    assert f"there is not: {said}." in warning.value.replace("\\", "")
    app.run()
    assert len(app.warning) == 1


def test_the_message_goes_when_something_else_is_done() -> None:
    for act in (
        lambda app: app.text_input(key="text").set_value("new").run(),
        lambda app: app.button_group(key="one").set_value("c").run(),
        lambda app: app.button_group(key="any").set_value(["a"]).run(),
    ):
        app = opened(box="nonsense")
        assert app.warning
        act(app)
        assert not app.warning


def test_sliders_at_their_defaults_leave_the_address_clean_and_a_single_choice_has_none() -> None:
    app = opened(sliders)
    assert app.session_state.got == SLIDER_DEFAULTS
    assert not app.query_params
    assert [each.key for each in app.select_slider] == ["step", "size"]


def test_what_is_moved_stands_in_the_address_and_a_link_restores_it() -> None:
    app = opened(sliders)
    app.select_slider(key="step").set_value("c").run()
    app.select_slider(key="size").set_value("4").run()
    app.toggle(key="on").set_value(False).run()
    app.toggle(key="off").set_value(True).run()
    want = ("c", "4", "x", False, True)
    assert app.session_state.got == want
    assert app.query_params == {"step": "c", "size": "4", "on": "off", "off": "on"}
    again = opened(sliders, **app.query_params)
    assert again.session_state.got == want
    assert again.select_slider(key="step").value == "c"
    assert again.toggle(key="on").value is False
    app.select_slider(key="step").set_value("a").run()
    app.toggle(key="on").set_value(True).run()
    assert set(app.query_params) == {"size", "off"}


def test_the_address_wins_over_where_a_slider_was_before() -> None:
    app = opened(sliders, step="b", off="on")
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
def test_what_is_nowhere_on_a_slider_is_named_and_replaced(link: dict[str, str], said: str) -> None:
    app = opened(sliders, **link)
    assert app.session_state.got == SLIDER_DEFAULTS
    assert said in app.warning[0].value.replace("\\", "")
    assert len(app.warning[0].value) < 300


def test_a_link_is_kept_at_the_first_visit_and_what_belongs_to_another_starts_anew() -> None:
    app = opened(sliders, step="b", on="off", size="4")
    assert app.session_state.got == ("b", "4", "x", False, False)
    app.text_input(key="owner").set_value("second").run()
    assert app.session_state.got == ("a", "4", "x", True, False)
    assert set(app.query_params) == {"size"}


def folded() -> None:
    from viz.widgets.controls import unfolded

    fold = unfolded("Numbers", "numbers")
    if fold is not None:
        fold.dataframe([{"a": 1}])


def test_what_is_in_a_fold_is_made_once_it_is_opened() -> None:
    app = AppTest.from_function(folded).run()
    assert [each.label for each in app.expander] == ["Numbers"]
    assert not app.dataframe
    app.session_state["numbers"] = True
    app.run()
    assert len(app.expander[0].dataframe) == 1
