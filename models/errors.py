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


class CaptureError(RuntimeError):
    """A session that cannot give what it was asked for.

    Parameters
    ----------
    message : Message
        The English sentence with its values.
    """

    def __init__(self, message: Message) -> None:
        super().__init__(message)
