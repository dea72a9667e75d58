"""Questions before a lesson and after it: asked twice, compared once both are answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PATIENCE = 200
APP = str(Path(__file__).parents[4] / "app.py")
LESSON = """
title: Milk
language: en
steps:
  - {text: The only step., page: lessons}
questions:
  - {ask: What is white?, choices: [milk, coal], right: 1}
  - {ask: What purrs?, choices: [a dog, a cat], right: 2}
"""


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    (tmp_path / "milk.yaml").write_text(LESSON, encoding="utf8")
    monkeypatch.setenv("ATTENTION_BENCH_LESSONS", str(tmp_path))
    return AppTest.from_file(APP, default_timeout=PATIENCE)


def radios(app: AppTest) -> list[str]:
    return [each.label for each in app.radio if str(each.key).startswith("stage-")]


def html(app: AppTest) -> str:
    return " ".join(str(each.proto.body) for each in app.get("html"))


def test_a_reader_sees_what_has_changed_once_both_are_answered(app: AppTest) -> None:
    app.query_params.update({"lesson": "milk", "step": "0"})
    app.run()
    assert not app.exception
    assert radios(app) == ["What is white?", "What purrs?"]
    assert app.button(key="lesson-previous").disabled
    app.radio(key="stage-milk.before.1").set_value(2)
    app.radio(key="stage-milk.before.2").set_value(2).run()
    app.button(key="lesson-next").click().run()
    assert radios(app) == []
    assert any("The only step." in each.value for each in app.markdown)
    app.button(key="lesson-next").click().run()
    assert app.button(key="lesson-next").disabled
    assert radios(app) == ["What is white?", "What purrs?"]
    assert '"lesson-change"' not in html(app)
    app.radio(key="stage-milk.after.1").set_value(1)
    app.radio(key="stage-milk.after.2").set_value(2).run()
    assert not app.exception
    changed = html(app).split('<div class="lesson-change">')[1]
    assert '<b>0</b><i style="--share:1.000"></i><b>1</b>' in changed
    assert '<b>1</b><i style="--share:1.000"></i><b>1</b>' in changed


def test_a_lesson_without_questions_has_neither_place(app: AppTest) -> None:
    app.query_params.update({"lesson": "mask-a-word", "step": "0"})
    app.run()
    assert radios(app) == []
    assert app.button(key="lesson-previous").disabled
