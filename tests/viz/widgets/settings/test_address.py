"""Links that are off: what a link brings holds, what is typed and chosen is kept, and the address bar stays empty."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def script() -> None:
    from viz.widgets.frame import Frame, Page
    from viz.widgets.settings import Choice, TextSetting, choose, text_box
    from viz.widgets.settings.address import said

    sentence = TextSetting("sentence", travels=True)
    colour = Choice("colour", choices={"red": "Red", "blue": "Blue"})

    def fill(frame: Frame) -> None:
        import streamlit as st

        frame.messages = st.container()
        typed = text_box(sentence, "Sentence", default="usual")
        chosen = choose(colour)
        st.text(f"{typed}|{chosen}|{sorted(said().items())}")

    Page("A page", "a", fill, (sentence, colour)).show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=60)
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


@pytest.fixture
def off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_LINKS", "off")


@pytest.mark.usefixtures("off")
def test_what_a_link_brings_holds_and_leaves_the_address_bar() -> None:
    app = opened(sentence="brought", colour="blue")
    assert not app.exception
    assert app.text[0].value == "brought|blue|[('colour', 'blue'), ('sentence', 'brought')]"
    assert not app.query_params


@pytest.mark.usefixtures("off")
def test_what_is_typed_and_chosen_stays_in_the_visit_alone() -> None:
    app = opened()
    assert app.text[0].value == "usual|red|[]"
    assert any("Your sentence is not in this page's link. It is" in each.value for each in app.caption)
    app.text_input(key="sentence").set_value("typed").run()
    app.segmented_control(key="colour").set_value("blue").run()
    assert app.text[0].value == "typed|blue|[('colour', 'blue'), ('sentence', 'typed')]"
    assert not app.query_params
    app.text_input(key="sentence").set_value("usual").run()
    assert app.text[0].value == "usual|blue|[('colour', 'blue')]"


@pytest.mark.usefixtures("off")
def test_what_a_link_asks_for_in_vain_is_named_and_leaves_it_too() -> None:
    app = opened(nonsense="1", colour="green")
    named = [each.value for each in app.warning]
    assert len(named) == 1
    assert "nonsense" in named[0]
    assert "green" in named[0]
    assert not app.query_params


def test_links_are_open_if_nobody_says_otherwise() -> None:
    app = opened(sentence="brought")
    assert any("Your sentence is part of this page's link. Anyone with" in each.value for each in app.caption)
    app.segmented_control(key="colour").set_value("blue").run()
    assert app.query_params["sentence"] in ("brought", ["brought"])
    assert app.query_params["colour"] in ("blue", ["blue"])
