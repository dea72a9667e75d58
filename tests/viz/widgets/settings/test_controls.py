"""Controls whose choices stand in the address bar, in stable words; what is not a choice is named; starting anew."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest


def choices() -> None:
    import streamlit as st

    from viz.widgets.settings import Choice, Several, choose, choose_several, link, unknown

    labels = {"a": "Erste", "b": "Zweite", "c": "Dritte"}
    one, box = Choice("one", title="One"), Choice("box", title="Box", shape="box", default="b", anew_with=("some",))
    some, any_ = Several("some", title="Some", least=1), Several("any", title="Any")
    text = st.text_input("Sentence", key="text")
    link.enter((one, box, some, any_))
    place = st.container()
    st.session_state.got = (
        choose(one, labels),
        choose(box, labels),
        choose_several(some, labels, default=("a", "b")),
        choose_several(any_, labels, default=()),
    )
    unknown.show(place, sentence=text)


def sliders() -> None:
    import streamlit as st

    from viz.widgets.settings import Choice, Switch, choose, link, switch, unknown

    step = Choice("step", title="Step", shape="slider", anew_with=("owner of these",))
    size = Choice("size", title="Size", shape="slider", default="2")
    alone = Choice("alone", title="Alone", shape="slider")
    on, off = Switch("on", title="On", anew_with=("owner of these",)), Switch("off", title="Off")
    owner = st.text_input("Owner", "first", key="owner")
    link.enter((step, size, alone, on, off))
    place = st.container()
    link.belong("owner of these", of=owner)
    st.session_state.got = (
        choose(step, {"a": "1. first", "b": "2. second", "c": "3. third"}),
        choose(size, {"1": "1", "2": "2", "4": "4"}),
        choose(alone, {"x": "X"}),
        switch(on, default=True),
        switch(off, default=False),
    )
    unknown.show(place, sentence=owner)


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
    assert f"a setting we don't know: {said}." in warning.value.replace("\\", "")
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


def in_a_language() -> None:
    import streamlit as st

    from viz.text.language import use_language
    from viz.widgets.settings import Choice, choose, link, select, unknown

    use_language(st.session_state.get("language", "en"))
    labels = {"en": {"a": "First", "b": "Second"}, "zh": {"a": "第一", "b": "第二"}}[
        st.session_state.get("language", "en")
    ]
    box = Choice("box", title="Box", shape="box")
    link.enter((box,))
    place = st.container()
    st.session_state.got = choose(box, labels), select("Plain", {None: labels["a"], 1: labels["b"]}, key="plain")
    unknown.show(place, sentence="")


@pytest.mark.parametrize(("label", "got"), [("Second", ("b", 1)), ("\u7b2c\u4e8c", ("b", 1)), ("Third", ("a", None))])
def test_a_label_of_any_language_that_was_shown_is_its_code(label: str, got: tuple[str, int | None]) -> None:
    app = opened(in_a_language)
    app.session_state["language"] = "zh"
    if label not in app.selectbox(key="box").options:
        app.run()
    reported = app._tree.get_widget_states()  # what a browser reports that has not drawn this run yet
    for each in reported.widgets:
        each.string_value = label
    app._run(reported)
    assert not app.exception
    assert not app.warning
    assert app.session_state.got == got
    assert "".join(app.query_params.get("box", "")) == ("b" if got[0] == "b" else "")
