"""The language of the interface: every string that a person reads passes through `_`.

A message is its own English text. Which language is meant is resolved when `_` is called, from a
`ContextVar` that each rerun sets: visitors of two languages share a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType

ENGLISH = "en"

MESSAGES: Mapping[str, Mapping[str, str]] = MappingProxyType({ENGLISH: MappingProxyType({})})
"""For each language its messages, by English text. A message that is missing is shown in English."""

_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def use_language(code: str) -> None:
    """Set the language of the current context (one rerun of one visitor).

    Parameters
    ----------
    code : str
        A key of `MESSAGES`.

    Raises
    ------
    ValueError
        If there are no messages in that language.
    """
    if code not in MESSAGES:
        message = f"no messages in language {code!r}; there are {', '.join(MESSAGES)}"
        raise ValueError(message)
    _current.set(code)


def current_language() -> str:
    """Return the code of the language in use, such as ``en``."""
    return _current.get()


def mark(message: str) -> str:
    """Return `message` as it is, marked for translation: for constants, which are translated where they are shown."""
    return message


def _(message: str, /, **values: object) -> str:
    """Return `message` in the language in use, its ``{names}`` filled with `values`.

    Parameters
    ----------
    message : str
        The English text.
    **values : object
        What stands for each ``{name}`` of the message. Without values nothing is filled in, so that a
        text with braces of its own (a formula) passes unharmed.

    Returns
    -------
    str

    Examples
    --------
    >>> _("{count} words", count=3)
    '3 words'
    """
    text = MESSAGES[_current.get()].get(message, message)
    return text.format(**values) if values else text
