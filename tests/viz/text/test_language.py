"""The language of the interface is that of the run, whatever other visitors read."""

import pickle
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from threading import Barrier, Thread

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from models.errors import InputError
from models.messages import CountMessage, Message, mark
from viz.text import language
from viz.text.language import _, _n, say

FRENCH = {
    "words": "mots",
    "{count} words": "{count} mots",
    "The {name} is empty.": "Il n'y a rien dans {name}.",
    "the first text": "le premier texte",
}


Plurals = dict[tuple[str, str], tuple[str, ...]]


def put_catalogue(folder: Path, code: str, messages: dict[str, str], plurals: Plurals) -> None:
    """Write what adding a language takes: one catalogue."""
    catalogue = Catalog(locale=code)
    for text, translation in messages.items():
        catalogue.add(text, translation)
    for texts, forms in plurals.items():
        catalogue.add(texts, forms)
    path = folder / code / "LC_MESSAGES" / "bench.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalogue)


@pytest.fixture
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put_catalogue(tmp_path, "fr", FRENCH, {("{count} token", "{count} tokens"): ("{count} jeton", "{count} jetons")})
    # Polish has three forms: for 1, for 2 to 4 (but not 12 to 14), for the others.
    forms = ("{count} wyraz", "{count} wyrazy", "{count} wyrazów")
    put_catalogue(tmp_path, "pl", {}, {("{count} token", "{count} tokens"): forms})
    monkeypatch.setattr(language, "CATALOGUES", tmp_path)
    return tmp_path


def within(code: str, speak: Callable[..., str], *texts: object, **values: object) -> str:
    """Speak in a context of its own whose language is `code`."""

    def run() -> str:
        language.use_language(code)
        return speak(*texts, **values)

    return copy_context().run(run)


@pytest.mark.usefixtures("catalogues")
def test_a_catalogue_is_all_that_a_language_takes() -> None:
    assert language.languages() == ("en", "fr", "pl")
    assert within("fr", _, "words") == "mots"


@pytest.mark.usefixtures("catalogues")
def test_a_message_is_translated_when_it_is_called() -> None:
    constant = mark("words")
    assert within("fr", _, constant) == "mots"
    assert within("fr", _, "{count} words", count=3) == "3 mots"
    assert _(constant) == "words"


@pytest.mark.usefixtures("catalogues")
def test_a_message_without_translation_is_shown_in_english() -> None:
    assert within("fr", _, "subwords") == "subwords"
    assert within("pl", _, "words") == "words"


@pytest.mark.usefixtures("catalogues")
def test_no_text_stays_none() -> None:
    """The empty text is the header's in a catalogue."""
    assert within("fr", _, "") == ""


@pytest.mark.parametrize(
    ("count", "english", "polish"),
    [(0, "tokens", "wyrazów"), (1, "token", "wyraz"), (2, "tokens", "wyrazy"), (12, "tokens", "wyrazów")],
)
@pytest.mark.usefixtures("catalogues")
def test_a_count_takes_the_form_of_its_language(count: int, english: str, polish: str) -> None:
    assert _n("{count} token", "{count} tokens", count) == f"{count} {english}"
    assert within("pl", _n, "{count} token", "{count} tokens", count) == f"{count} {polish}"
    assert within("pl", say, CountMessage("{count} token", "{count} tokens", count)) == f"{count} {polish}"


@pytest.mark.usefixtures("catalogues")
def test_what_models_tell_is_translated_with_its_values() -> None:
    told = Message("The {name} is empty.", name=Message("the first text"))
    error = InputError(told)
    assert str(error) == "The the first text is empty."
    assert within("fr", say, error) == "Il n'y a rien dans le premier texte."
    assert within("fr", say, ValueError("of a library")) == "of a library"
    assert within("fr", _, "{count} words", count=CountMessage("{count} token", "{count} tokens", 1)) == "1 jeton mots"


@pytest.mark.parametrize("told", [Message("{a} and {b}", a=1, b="{c}"), CountMessage("{count} of {a}", "", 1, a="x")])
def test_a_message_survives_a_cache(told: Message) -> None:
    again = pickle.loads(pickle.dumps(told))
    assert type(again) is type(told)
    assert (again, again.text, dict(again.values)) == (told, told.text, dict(told.values))
    error = pickle.loads(pickle.dumps(InputError(told)))
    assert error.args[0].text == told.text


@pytest.mark.usefixtures("catalogues")
def test_two_visitors_at_once_keep_their_own_languages() -> None:
    both = Barrier(2)
    seen: dict[str, set[str]] = {"fr": set(), "en": set()}

    def visit(code: str) -> None:
        language.use_language(code)
        for _turn in range(200):
            both.wait(timeout=10)
            seen[code].add(_("words"))

    threads = [Thread(target=visit, args=(code,)) for code in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"fr": {"mots"}, "en": {"words"}}
    assert language.current_language() == language.ENGLISH


@pytest.mark.parametrize(
    ("wanted", "there"),
    [("fr", "fr"), ("fr-CA", "fr"), ("pl_PL", "pl"), ("en-US", "en"), ("zh-Hans-CN", "en"), ("", "en"), (None, "en")],
)
@pytest.mark.usefixtures("catalogues")
def test_a_browser_gets_the_closest_language(wanted: str | None, there: str) -> None:
    assert language.closest_language(wanted) == there


def test_braces_of_a_message_without_values_are_left_alone() -> None:
    assert _(r"\frac{Q K^\top}{\sqrt{d}}") == r"\frac{Q K^\top}{\sqrt{d}}"


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(ValueError, match="no messages in language 'xx'"):
        language.use_language("xx")
