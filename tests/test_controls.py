"""Controls whose choices stand in the address bar, in stable words; what is not a choice is named."""

import pytest
from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from viz.controls import segmented, select, several, show_unknown

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


DEFAULTS = ("a", "b", ("a", "b"), ())


def opened(**link: str) -> AppTest:
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
