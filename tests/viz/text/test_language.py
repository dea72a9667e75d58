"""The language of the interface is that of the rerun, whatever other visitors read."""

from contextvars import copy_context
from threading import Thread

import pytest

from viz.text import language


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = {"en": {}, "fr": {"words": "mots", "{count} words": "{count} mots"}}
    monkeypatch.setattr(language, "MESSAGES", messages)


def in_french(message: str, **values: object) -> str:
    language.use_language("fr")
    return language._(message, **values)


@pytest.mark.usefixtures("french")
def test_a_message_is_translated_when_it_is_called() -> None:
    constant = language.mark("words")
    assert copy_context().run(in_french, constant) == "mots"
    assert copy_context().run(in_french, "{count} words", count=3) == "3 mots"
    assert language._(constant) == "words"


@pytest.mark.usefixtures("french")
def test_a_message_without_translation_is_shown_in_english() -> None:
    assert copy_context().run(in_french, "pieces") == "pieces"


@pytest.mark.usefixtures("french")
def test_two_threads_keep_their_own_languages() -> None:
    seen: dict[str, str] = {}

    def visit(code: str) -> None:
        language.use_language(code)
        seen[code] = language._("words")

    for code in ("fr", "en"):
        thread = Thread(target=visit, args=(code,))
        thread.start()
        thread.join()
    assert seen == {"fr": "mots", "en": "words"}
    assert language.current_language() == language.ENGLISH


def test_braces_of_a_message_without_values_are_left_alone() -> None:
    assert language._(r"\frac{Q K^\top}{\sqrt{d}}") == r"\frac{Q K^\top}{\sqrt{d}}"


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(ValueError, match="no messages in language 'xx'"):
        language.use_language("xx")
