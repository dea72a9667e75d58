"""The list of lessons: one of the reader's own is shown and kept nowhere, a broken one is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

FOLDERS = "ATTENTION_BENCH_LESSONS"

PATIENCE = 100
OWN = "title: Our own\nlanguage: en\nsteps:\n  - {text: Look here., page: lessons}\n  - {text: There., page: lessons}\n"


def opened() -> AppTest:
    def script() -> None:
        from tests.support.lesson_pages import PAGES
        from viz.pages.lessons.page import PAGE
        from viz.widgets import session
        from viz.widgets.frame import KNOWN

        session.keep(KNOWN, PAGES)
        PAGE.show()

    app = AppTest.from_function(script, default_timeout=PATIENCE).run()
    assert not app.exception
    return app


def test_a_lesson_of_the_readers_own_is_read_and_a_broken_one_is_named() -> None:
    app = opened()
    assert not app.error
    app.file_uploader[0].upload("own.yaml", OWN.encode()).run()
    assert [each.label for each in app.button if each.key == "begin-uploaded"] == ["Begin “Our own”"]
    app.file_uploader[0].upload("own.yaml", OWN.replace("steps", "stepps").encode()).run()
    assert "own.yaml, line 3, stepps: unknown key; known keys: " in app.error[0].value.replace("\\", "")
    assert not [each for each in app.button if each.key == "begin-uploaded"]


def test_a_school_adds_a_folder_and_what_is_wrong_in_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours.yaml").write_text(OWN, encoding="utf8")
    (tmp_path / "bad.yaml").write_text("title: Bad", encoding="utf8")
    monkeypatch.setenv(FOLDERS, str(tmp_path))
    app = opened()
    assert any(each.key == "begin-ours" for each in app.button)
    assert "bad.yaml, line 1: the key “language” is missing" in app.error[0].value.replace("\\", "")


@pytest.mark.parametrize(("language", "title"), [("en", "Why attention?"), ("zh", "为什么需要注意力？")])
def test_lessons_are_listed_in_the_language_of_the_page(
    language: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viz.pages.lessons.page.current_language", lambda: language)
    assert any(title in "".join(each.value.split("\\")) for each in opened().markdown)
