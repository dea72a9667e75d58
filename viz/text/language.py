"""Translation of the interface: every string passes through `_`, `_n` or `say`.

A message is its own English text, with named places for values. Which language is meant is resolved when it is called,
from a `ContextVar` that each run of a page sets: visitors of two languages share a process, so that `gettext.install`,
which is process-wide, is out of the question. A language is a gettext catalogue in `CATALOGUES`, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from models.messages import CountMessage, Message, mark

__all__ = [
    "COMMA",
    "ENGLISH",
    "SEMICOLON",
    "_",
    "_n",
    "broken_title",
    "closest_language",
    "current_language",
    "languages",
    "listed",
    "mark",
    "own_name",
    "parted",
    "say",
    "use_language",
]

ENGLISH = "en"
CATALOGUES = Path(__file__).parent / "locale"
"""Where catalogues lie: ``fr/LC_MESSAGES/bench.mo`` is French. English, the language of the code, needs none."""

_FILE = "LC_MESSAGES/bench.mo"
_OWN_NAME = mark("the name of this language in this language")
_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def languages() -> tuple[str, ...]:
    """Return the codes of the languages that there are, English first."""
    return tuple(_found(CATALOGUES))


@lru_cache(maxsize=4)
def _found(folder: Path) -> Mapping[str, NullTranslations]:
    """Read the catalogues in `folder`, once; they are only read from then on, so that threads may share them."""
    read: dict[str, NullTranslations] = {ENGLISH: NullTranslations()}
    for path in sorted(folder.glob(f"*/{_FILE}")):
        with path.open("rb") as file:
            read[path.parents[1].name] = GNUTranslations(file)
    return read


def own_name(code: str) -> str:
    """Return what a language calls itself: its catalogue says so."""
    return "English" if code == ENGLISH else _found(CATALOGUES)[code].gettext(_OWN_NAME)


def use_language(code: str) -> None:
    """Set the language of the current context: one run of one visitor's page, in the thread that runs it."""
    if code not in _found(CATALOGUES):
        message = f"no messages in language {code!r}; there are {', '.join(languages())}"
        raise ValueError(message)
    _current.set(code)


def current_language() -> str:
    """Return the code of the language in use, such as ``en``."""
    return _current.get()


def closest_language(wanted: str | None) -> str:
    """Return the language that there is for what a browser asks for; English if there is none."""
    parts = (wanted or ENGLISH).replace("-", "_").split("_")
    tried = ("_".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((code for code in tried if code in _found(CATALOGUES)), ENGLISH)


def _catalogue() -> NullTranslations:
    return _found(CATALOGUES)[_current.get()]


def _filled(text: str, values: Mapping[str, object]) -> str:
    """Fill in `values`, those that are messages or errors said in the language in use."""
    if not values:
        return text
    said = {name: say(each) if isinstance(each, Message | Exception) else each for name, each in values.items()}
    return text.format(**said)


def _(message: str, /, **values: object) -> str:
    """Return `message` in the language in use, its ``{names}`` filled with `values`."""
    return _filled(_catalogue().gettext(message) if message else "", values)


def _n(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the form of a message that goes with `count`, in the language in use."""
    return _filled(_catalogue().ngettext(one, many, count), {"count": count, **values})


COMMA = mark(", ")
SEMICOLON = mark("; ")


def listed(parts: Iterable[str], between: str = COMMA) -> str:
    """Return `parts` one after the other, with the mark between them that the language in use writes."""
    return _(between).join(parts)


def parted(title: str) -> tuple[str, str]:
    """Return what stands before and after the first colon of a title, as the language in use writes it."""
    head, colon, rest = re.match("(?s)(.*?)(: |\uff1a|$)(.*)", title).groups()  # type: ignore[union-attr]
    return head + colon.rstrip(), rest


def broken_title(title: str) -> str:
    """Return a title with a new line after its first colon."""
    return "\n".join(filter(None, parted(title)))


def say(message: object) -> str:
    """Return what the models tell, in the language in use."""
    if isinstance(message, BaseException):
        first = message.args[0] if message.args else None
        return say(first) if isinstance(first, Message) else str(message)
    if isinstance(message, CountMessage):
        return _filled(_catalogue().ngettext(message.text, message.many, message.number), message.values)
    if isinstance(message, Message):
        return _(message.text, **message.values)
    return str(message)
