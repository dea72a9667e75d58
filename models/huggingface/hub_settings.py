"""Which models of the hub this server opens, and how they are called. Importing it imports nothing of the hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from models.errors import InputError
from models.huggingface.placement import ON_CPU, Placement
from models.messages import Message

_IDENTITY = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9_]|-(?![-/])){0,95}/[A-Za-z0-9](?:[A-Za-z0-9_]|[.](?![.])|-(?!-)){0,95}(?<![.-])(?<![.]git)"
)


NO_NAME = Message("A hub model is named owner/name, such as google-bert/bert-base-uncased.")


class HubError(InputError):
    """A model of the hub that cannot be had; the message says in the reader's words why."""


class OfflineError(HubError):
    """The hub cannot be reached."""


@dataclass(frozen=True, slots=True)
class HubSettings:
    """What a deployment allows."""

    enabled: bool = True
    allowed: tuple[str, ...] = ()  # the only models that may be opened; empty for any
    largest: int = 1_500_000_000  # bytes that a model's files may have together
    disk: int = 6_000_000_000  # bytes that all models together may take on disk; those used least recently go
    # why models are not opened, and what the owner of the server can do, where nobody switched them off
    why_off: Message | None = None
    folders: tuple[Path, ...] = ()  # models that lie on this machine beside the hub's, each called ``hf:<folder name>``
    placement: Placement = ON_CPU  # where they compute, and with which numbers


def is_identity(text: str) -> bool:
    """Return whether `text` is well formed as ``owner/name``."""
    return _IDENTITY.fullmatch(text) is not None


def check_identity(text: str, settings: HubSettings) -> str:
    """Return the ``owner/name`` that somebody typed; HubError if it is none, or not one that may be opened here."""
    identity = text.strip()
    if not settings.enabled:
        raise HubError(settings.why_off or Message("Hub models are off on this server."))
    if not is_identity(identity):
        raise HubError(NO_NAME)
    if settings.allowed and identity not in settings.allowed:
        message = Message("This server opens only these models: {names}.", names=", ".join(settings.allowed))
        raise HubError(message)
    return identity
