"""Client of the model service, if the owner has set one: the only import of `scale`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from models.errors import InputError
from models.messages import Message
from viz.server.configuration import configuration

if TYPE_CHECKING:
    from models.model import Model
    from viz.server.worker_pool import Elsewhere

_CLIENT = "scale.client"
_LACKING = Message(
    "This server runs its models in a service ({variable}), but its client is not installed: folder {folder}.",
    variable="ATTENTION_BENCH_SERVE",
    folder="scale",
)


class Remote(Protocol):
    """The models of a service."""

    @property
    def crew(self) -> Elsewhere:
        """What answers runs."""

    def titles(self) -> Mapping[str, str]:
        """Return the titles of the pretrained models that are served, by key."""

    def model(self, key: str) -> Model:
        """Return the model of `key`; raises where the service has no such model, or other weights."""


def remote() -> Remote | None:
    """Return the models of the service that the owner set; None where models run on this machine."""
    said = configuration()
    if not said.serve:
        return None
    if find_spec(_CLIENT.partition(".")[0]) is None:
        raise InputError(_LACKING)
    found: Remote = import_module(_CLIENT).remote_at(said.serve, said.serve_token)
    return found
