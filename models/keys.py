"""What the key of a model says: whether it is a pretrained one, and which. The one place that spells ``hf:``."""

from __future__ import annotations

import re

from models.errors import InputError, shortly
from models.messages import Message

MOST_CHARACTERS = 200
"""Of a key: more than the hub allows for owner and name together."""

_PREFIX = "hf:"

MINILM = f"{_PREFIX}minilm"
"""The pretrained model that a Python package carries."""


KEY = re.compile(r"(hf:)?[A-Za-z0-9][\w-]*(\.[\w-]+)*(/[A-Za-z0-9][\w-]*(\.[\w-]+)*|@\d\d)?", re.ASCII)
"""How a key is written: no path of a file is one."""

_AT_POINT = re.compile(r"(?P<base>[^@]+)@(?P<point>\d\d)", re.ASCII)


def check_key(key: object) -> None:
    """Raise InputError if `key` cannot be the key of a model, whatever models there are."""
    if not isinstance(key, str) or len(key) > MOST_CHARACTERS:
        message = Message(
            "The key of a model is a string of at most {most} characters, such as bahdanau-en-fr; got {given}.",
            most=MOST_CHARACTERS,
            given=shortly(key),
        )
        raise InputError(message)


def is_pretrained(key: str) -> bool:
    """Return whether `key` is of a pretrained model, and not of one of ours.

    Parameters
    ----------
    key : str
        What `models.load` takes.

    Raises
    ------
    InputError
        If it can be no key.

    Examples
    --------
    >>> is_pretrained("hf:minilm"), is_pretrained("bahdanau-en-fr")
    (True, False)
    """
    check_key(key)
    return key.startswith(_PREFIX)


def pretrained_key(identity: str) -> str:
    """Return the key of the pretrained model `identity`."""
    return _PREFIX + identity


def identity_of(key: str) -> str:
    """Return what `key` names: ``owner/name``, or a name on this machine; a key of ours as it is."""
    return key.removeprefix(_PREFIX)


def is_of_hub(key: str) -> bool:
    """Return whether `key` is of a pretrained model of the hub, by its form."""
    return is_pretrained(key) and "/" in key


def at_point(key: str, point: int) -> str:
    """Return the key of the model `key` as it was at one of the points of its training that are kept."""
    return f"{key}@{point:02}"


def split_point(key: str) -> tuple[str, int | None]:
    """Return the key without its point of training, and the point; None of a model as it is shipped."""
    found = _AT_POINT.fullmatch(key)
    return (found["base"], int(found["point"])) if found else (key, None)


def pair_of(key: str) -> str:
    """Return the pair of the key of a translation model."""
    return "-".join(split_point(key)[0].rsplit("-", 2)[1:])


def mechanism_of(key: str) -> str:
    """Return the mechanism of the key of a translation model."""
    return split_point(key)[0].removesuffix(f"-{pair_of(key)}")
