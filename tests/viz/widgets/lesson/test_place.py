"""The steps of a lesson in the whole app: each brings its page, sentence and settings, and nothing of the last."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

PATIENCE = 200  # seconds: the first run loads the models
APP = str(Path(__file__).parents[4] / "app.py")
LONG, WHITE, SHORT = (
    "The agreement on the European Economic Area was signed in August 1992.",
    "My sister bought a white house.",
    "The cat drank the milk.",
)


def said(app: AppTest) -> dict[str, str]:
    assert not app.exception
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def test_steps_on_one_page_and_across_pages_bring_all_that_is_theirs() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lesson"], app.query_params["step"] = "bahdanau-and-luong", "3"
    app.run()
    assert said(app) == {
        "lesson": "bahdanau-and-luong.3",
        "mechanisms": "bahdanau luong-general",
        "sentence": LONG,
    }
    assert app.text_input(key="sentence").value == LONG
    app.button(key="lesson-next").click().run()
    walk = {"mechanism": "bahdanau", "second": "luong-general", "step": "scores"}
    assert said(app) == {"lesson": "bahdanau-and-luong.4", "sentence": SHORT, **walk}
    app.button(key="lesson-next").click().run()
    shown = {"sentence": WHITE, "mechanisms": "bahdanau luong-general luong-concat"}
    assert said(app) == {"lesson": "bahdanau-and-luong.5", **shown}
    app.button(key="lesson-next").click().run()  # the same page, whose box Streamlit has bound to the link
    assert said(app) == {
        "lesson": "bahdanau-and-luong.6",
        "sentence": SHORT,
        "mechanisms": "luong-general luong-location",
    }
    assert app.text_input(key="sentence").value == SHORT
    app.button(key="lesson-close").click().run()
    assert "lesson" not in said(app)
    assert not [each for each in app.button if each.key == "lesson-next"]
