"""What the key of a model says: whether it is a pretrained one, and which. The one place that spells ``hf:``."""

from __future__ import annotations

import re

_PREFIX = "hf:"

MINILM = f"{_PREFIX}minilm"
"""The pretrained model that a Python package carries."""


KEY = re.compile(r"(hf:)?[A-Za-z0-9][\w-]*(\.[\w-]+)*(/[A-Za-z0-9][\w-]*(\.[\w-]+)*)?", re.ASCII)
"""How a key is written: no path of a file is one."""


def is_pretrained(key: str) -> bool:
    """Return whether `key` is of a pretrained model, and not of one of ours.

    Parameters
    ----------
    key : str
        What `models.load` takes.

    Examples
    --------
    >>> is_pretrained("hf:minilm"), is_pretrained("bahdanau-en-fr")
    (True, False)
    """
    return key.startswith(_PREFIX)


def pretrained_key(identity: str) -> str:
    """Return the key of the pretrained model `identity`.

    Parameters
    ----------
    identity : str
        ``owner/name`` of the hub, or the name of a model on this machine.

    Examples
    --------
    >>> pretrained_key("owner/name")
    'hf:owner/name'
    """
    return _PREFIX + identity


def identity_of(key: str) -> str:
    """Return what `key` names: ``owner/name``, or a name on this machine; a key of ours as it is.

    Parameters
    ----------
    key : str
        What `models.load` takes.

    Examples
    --------
    >>> identity_of("hf:owner/name")
    'owner/name'
    """
    return key.removeprefix(_PREFIX)


def is_of_hub(key: str) -> bool:
    """Return whether `key` is of a pretrained model of the hub, by its form.

    Parameters
    ----------
    key : str
        What `models.load` takes.

    Examples
    --------
    >>> is_of_hub("hf:owner/name"), is_of_hub("hf:minilm")
    (True, False)
    """
    return is_pretrained(key) and "/" in key
