"""The client of the model service, which `viz.server.elsewhere` finds when the server's owner names a service."""

from __future__ import annotations

from models.model import Model
from scale.client.model import ServedModel
from scale.client.service import Service, service_at
from scale.client.workers import ServiceWorkers

__all__ = ["RemoteModels", "Service", "remote_at"]


class RemoteModels:
    """The models of a service; see `viz.server.elsewhere.Remote`."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.crew = ServiceWorkers(service)

    def titles(self) -> dict[str, str]:
        """Return the titles of the pretrained models that are served, by key."""
        return self.service.titles()

    def model(self, key: str) -> Model:
        """Return the model of `key`; raises where the service has no such model, or other weights."""
        return ServedModel(self.service, key)


def remote_at(address: str, token: str) -> RemoteModels:
    """Return the models of the service at an address."""
    return RemoteModels(service_at(address, token))
