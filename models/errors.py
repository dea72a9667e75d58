"""Errors that are for the person who typed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from models.messages import Message

EMPTY: Mapping[str, Message] = MappingProxyType(
    {
        "sentence": Message("The sentence is empty: type at least one word."),
        "text": Message("The text is empty: type at least one word."),
        "second text": Message("The second text is empty: type at least one word."),
        "translation": Message("The translation is empty: type at least one word."),
    }
)
"""What is said of each kind of text that has no word."""


MOST_SAID = 80
"""Characters of a wrong value that an error quotes."""


class InputError(ValueError):
    """A text, a number or a model that cannot be taken; the message says in the reader's words what to change.

    Parameters
    ----------
    message : Message
        The English sentence with its values, so that a page can say it in another language.

    Examples
    --------
    >>> error = InputError(Message("The text has {tokens} tokens; {most} at most.", tokens=700, most=512))
    >>> str(error)
    'The text has 700 tokens; 512 at most.'
    >>> error.args[0].values["tokens"]
    700
    """

    def __init__(self, message: Message) -> None:
        super().__init__(message)


class EditError(InputError):
    """An edit that the model, or the text, cannot take."""


class UnknownModelError(InputError, KeyError):
    """A key of no model."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would quote it


def shortly(value: object) -> str:
    """Return a value as Python writes it, cut where it is long, for an error."""
    try:
        said = repr(value)
    except Exception:  # what a stranger's class does, or a number of too many digits
        said = type(value).__name__
    return cut(said)


def cut(text: str) -> str:
    """Return a text cut to what an error quotes."""
    return text if len(text) <= MOST_SAID else f"{text[: MOST_SAID - 1]}…"


def check_text(text: object) -> None:
    """Raise InputError if `text` is no string."""
    if not isinstance(text, str):
        raise InputError(Message("A text is a string; got {given}.", given=shortly(text)))


class CaptureError(RuntimeError):
    """A session that cannot give what it was asked for."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
