"""Which models of the hub this server opens, and how they are called. Importing it imports nothing of the hub."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from models.errors import InputError
from models.messages import Message

if TYPE_CHECKING:
    pass

HUB_VARIABLE, SIZE_VARIABLE = "ATTENTION_BENCH_HUB", "ATTENTION_BENCH_HUB_MEGABYTES"


_IDENTITY = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9_]|-(?![-/])){0,95}/[A-Za-z0-9](?:[A-Za-z0-9_]|[.](?![.])|-(?!-)){0,95}(?<![.-])(?<![.]git)"
)


NO_NAME = Message("A model of the hub is called owner/name, such as google-bert/bert-base-uncased.")


class HubError(InputError):
    """A model of the hub that cannot be had; the message says in the reader's words why."""


class OfflineError(HubError):
    """The hub cannot be reached."""


@dataclass(frozen=True, slots=True)
class HubSettings:
    """What a deployment allows.

    Parameters
    ----------
    enabled : bool
    allowed : tuple of str
        The only models that may be opened; empty for any.
    largest : int
        Bytes that a model's files may have together.
    """

    enabled: bool = True
    allowed: tuple[str, ...] = ()
    largest: int = 1_500_000_000

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] | None = None) -> HubSettings:
        """Read the settings; ValueError, naming the variable, if one is neither of what it may be.

        Parameters
        ----------
        variables : mapping of str to str, optional
            Those of the process if left out.
        """
        values = os.environ if variables is None else variables
        switch, size = values.get(HUB_VARIABLE, "on").strip(), values.get(SIZE_VARIABLE, "").strip()
        if size and not (size.isascii() and size.isdigit() and int(size)):
            message = f"{SIZE_VARIABLE} is a whole number of megabytes; got {size!r}"
            raise ValueError(message)
        allowed = tuple(each.strip() for each in switch.split(",")) if switch.lower() not in ("on", "off") else ()
        if wrong := [each for each in allowed if not _IDENTITY.fullmatch(each)]:
            message = f"{HUB_VARIABLE} is on, off, or models as owner/name separated by commas; got {wrong[0]!r}"
            raise ValueError(message)
        return cls(switch.lower() != "off", allowed, int(size) * 1_000_000 if size else cls().largest)


def check_identity(text: str, settings: HubSettings) -> str:
    """Return the ``owner/name`` that somebody typed; HubError if it is none, or not one that may be opened here.

    Parameters
    ----------
    text : str
    settings : HubSettings
    """
    identity = text.strip()
    if not settings.enabled:
        message = Message("This server opens no models of the hub.")
        raise HubError(message)
    if not _IDENTITY.fullmatch(identity):
        raise HubError(NO_NAME)
    if settings.allowed and identity not in settings.allowed:
        message = Message("This server opens only {names}.", names=", ".join(settings.allowed))
        raise HubError(message)
    return identity
