"""Which models of the hub this server opens, and how they are called. Importing it imports nothing of the hub."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from models.errors import InputError
from models.messages import Message

HUB_VARIABLE, SIZE_VARIABLE = "ATTENTION_BENCH_HUB", "ATTENTION_BENCH_HUB_MEGABYTES"
DISK_VARIABLE = "ATTENTION_BENCH_HUB_DISK_MEGABYTES"


_IDENTITY = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9_]|-(?![-/])){0,95}/[A-Za-z0-9](?:[A-Za-z0-9_]|[.](?![.])|-(?!-)){0,95}(?<![.-])(?<![.]git)"
)


NO_NAME = Message("A model of the hub is called owner/name, such as google-bert/bert-base-uncased.")


_PUBLIC = Message(
    "This server opens no models of the hub, because other machines reach it. Its owner can allow all of them, or "
    "some: {variable}=on, or their names.",
    variable=HUB_VARIABLE,
)
_NOT_LIMITED = Message(
    "This server opens no models of the hub, because its system cannot limit the memory that they take. Its owner can "
    "name folders of models instead: {variable}.",
    variable="ATTENTION_BENCH_MODELS",
)


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
    disk : int
        Bytes that all models together may take on disk; those used least recently go.
    why_off : Message or None
        Why models are not opened, and what the owner of the server can do, where nobody switched them off.
    """

    enabled: bool = True
    allowed: tuple[str, ...] = ()
    largest: int = 1_500_000_000
    disk: int = 6_000_000_000
    why_off: Message | None = None

    @classmethod
    def from_environment(
        cls, variables: Mapping[str, str] | None = None, *, public: bool = False, limited: bool = True
    ) -> HubSettings:
        """Read the settings; ValueError, naming the variable, if one is neither of what it may be.

        Parameters
        ----------
        variables : mapping of str to str, optional
            Those of the process if left out.
        public : bool, optional
            Whether other machines reach the server: then models are opened only if its owner says so.
        limited : bool, optional
            Whether the memory that opening a model takes can be limited; no models are opened where it cannot.
        """
        values = os.environ if variables is None else variables
        switch = values.get(HUB_VARIABLE, "").strip()
        largest, disk = (
            _megabytes(values, name, usual)
            for name, usual in ((SIZE_VARIABLE, cls().largest), (DISK_VARIABLE, cls().disk))
        )
        allowed = tuple(each.strip() for each in switch.split(",")) if switch.lower() not in ("", "on", "off") else ()
        if wrong := [each for each in allowed if not _IDENTITY.fullmatch(each)]:
            message = f"{HUB_VARIABLE} is on, off, or models as owner/name separated by commas; got {wrong[0]!r}"
            raise ValueError(message)
        why_off = _NOT_LIMITED if not limited else _PUBLIC if public and not switch else None
        if switch.lower() == "off":
            return cls(False, (), largest, disk)
        return cls(why_off is None, allowed, largest, disk, why_off)


def _megabytes(variables: Mapping[str, str], name: str, usual: int) -> int:
    """Return the bytes that a variable says in megabytes; `usual` if it is not set."""
    text = variables.get(name, "").strip()
    if text and not (text.isascii() and text.isdigit() and int(text)):
        message = f"{name} is a whole number of megabytes; got {text!r}"
        raise ValueError(message)
    return int(text) * 1_000_000 if text else usual


def check_identity(text: str, settings: HubSettings) -> str:
    """Return the ``owner/name`` that somebody typed; HubError if it is none, or not one that may be opened here.

    Parameters
    ----------
    text : str
    settings : HubSettings
    """
    identity = text.strip()
    if not settings.enabled:
        raise HubError(settings.why_off or Message("This server opens no models of the hub."))
    if not _IDENTITY.fullmatch(identity):
        raise HubError(NO_NAME)
    if settings.allowed and identity not in settings.allowed:
        message = Message("This server opens only {names}.", names=", ".join(settings.allowed))
        raise HubError(message)
    return identity
