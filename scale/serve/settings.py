"""How the service is set up: what its command line and its one environment variable say, checked before it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from models.huggingface.embedded import is_model
from models.huggingface.hub_settings import is_identity
from models.huggingface.placement import ON_CPU, Placement
from models.keys import pretrained_key
from models.loading import find_pretrained
from scale.serve.handler import MOST_WAITING, RequestHandler
from scale.serve.model_cache import MOST_MODELS, ModelCache, hub_settings

TOKEN = "ATTENTION_BENCH_SERVE_TOKEN"
"""The environment variable with the token, on the service and on the servers of pages."""

SHORTEST_TOKEN = 16


class SettingsError(ValueError):
    """The service cannot be started so; the message says why."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How the service is set up."""

    host: str = "127.0.0.1"  # address at which it listens
    port: int = 8600
    token: str = field(default="", repr=False)  # that every request must bring
    folders: tuple[Path, ...] = ()  # of pretrained models, or GGUF files, served beside those that are shipped
    hub: tuple[str, ...] = ()  # ``owner/name`` of models of the hub, served as well
    placement: Placement = ON_CPU  # where transformers models compute, and with which numbers
    most_models: int = MOST_MODELS  # how many models a process keeps
    most_waiting: int = MOST_WAITING  # how many requests may wait at one
    batched: bool = True  # whether sentences that wait are run together
    workers: int = 1  # processes; the most of them where Ray decides

    def __post_init__(self) -> None:
        """Check what can be wrong."""
        wrong = []
        if not is_loopback(self.host) and not self.token:
            wrong.append(f"other machines reach {self.host}: set {TOKEN}, or listen at 127.0.0.1")
        if self.token and (len(self.token) < SHORTEST_TOKEN or not self.token.isascii() or " " in self.token):
            wrong.append(f"{TOKEN} is at least {SHORTEST_TOKEN} letters of ASCII without spaces")
        wrong += [f"{each} is no folder and no GGUF file" for each in self.folders if not is_model(each)]
        wrong += [f"{each} is no owner/name of a model of the hub" for each in self.hub if not is_identity(each)]
        if not 0 < self.port < 2**16:
            wrong.append(f"there is no port {self.port}: ports go from 1 to 65535")
        if min(self.most_models, self.most_waiting, self.workers) < 1:
            wrong.append("counts of models, waiting requests and workers begin with 1")
        if wrong:
            raise SettingsError("; ".join(wrong))

    def fetch(self) -> None:
        """Fetch the models of the hub that are named, and open each in a process of its own, within its limits."""
        for each in self.hub:
            find_pretrained(pretrained_key(each), settings=hub_settings((each,)), tried=True)

    def desk(self) -> RequestHandler:
        """Return what answers in this process."""
        return RequestHandler(
            ModelCache(self.folders, self.most_models, self.hub, self.placement),
            self.most_waiting,
            batched=self.batched,
        )


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the address `host`."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
