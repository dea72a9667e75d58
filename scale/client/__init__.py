"""The client of the model service, which `viz.server.elsewhere` finds when the server's owner names a service."""

from __future__ import annotations

from models.model import Model
from scale.client.crew import ServedCrew
from scale.client.model import ServedModel
from scale.client.service import Service, service_at

__all__ = ["Remote", "Service", "remote_at"]


class Remote:
    """The models of a service; see `viz.server.elsewhere.Remote`."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.crew = ServedCrew(service)

    def titles(self) -> dict[str, str]:
        """Return the titles of the pretrained models that are served, by key."""
        return self.service.titles()

    def model(self, key: str) -> Model:
        """Return the model of `key`; raises where the service has no such model, or other weights."""
        return ServedModel(self.service, key)


def remote_at(address: str, token: str) -> Remote:
    """Return the models of the service at an address."""
    return Remote(service_at(address, token))
