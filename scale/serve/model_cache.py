"""The models that one process of the service has: loaded when they are first asked for, the least used let go."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from models.captioning.entry import captioners, first_text
from models.ending import before_end
from models.huggingface.embedded import local_models
from models.huggingface.hub_settings import HubSettings
from models.huggingface.placement import ON_CPU, Placement
from models.keys import pretrained_key, split_point
from models.loading import load, load_pretrained
from models.registry import catalog, training_runs

if TYPE_CHECKING:
    from models.model import Model

MOST_MODELS = 64
"""Models that a process keeps: all that are shipped."""


def hub_settings(hub: Iterable[str], folders: Iterable[Path] = (), placement: Placement = ON_CPU) -> HubSettings:
    """Return what may be opened: folders, and of the hub only what is named."""
    names = tuple(hub)
    return HubSettings(enabled=bool(names), allowed=names, folders=tuple(folders), placement=placement)


class ModelCache:
    """Models by their keys: those that are shipped, pretrained ones on this machine, and of the hub what is named."""

    def __init__(
        self,
        folders: Iterable[Path] = (),
        most: int = MOST_MODELS,
        hub: Iterable[str] = (),
        placement: Placement = ON_CPU,
    ) -> None:
        self._settings = hub_settings(hub, folders, placement)
        self._most, self._lock, self._loading = most, Lock(), Lock()
        self._models: OrderedDict[str, Model] = OrderedDict()  # the one used last at the end

    def keys(self) -> tuple[str, ...]:
        """Return what is served: our own models, then the pretrained ones; points of training beside them."""
        return (*catalog(), *captioners(), *self.titles())

    def titles(self) -> dict[str, str]:
        """Return the pretrained models that are served, by their keys."""
        here = {key: each.title for key, each in local_models(self._settings.folders).items()}
        return here | {pretrained_key(identity): identity for identity in self._settings.allowed}

    def model(self, key: str) -> Model:
        """Return the model of `key`, ready to run."""
        if (found := self._kept(key)) is not None:
            return found
        with self._loading, before_end():
            return self._kept(key) or self._load(key)

    def _kept(self, key: str) -> Model | None:
        with self._lock:
            if key in self._models:
                self._models.move_to_end(key)
            return self._models.get(key)

    def _load(self, key: str) -> Model:
        base, point = split_point(key)
        if key not in self.keys() and (point is None or base not in training_runs()):
            message = f"no model {key!r} is served here; there are {', '.join(self.keys())}"
            raise KeyError(message)
        pretrained = key in self.titles()
        model: Model = load_pretrained(key, settings=self._settings, tried=True) if pretrained else load(key)
        model.attend(first_text(key))
        with self._lock:
            self._models[key] = model
            gone = [self._models.popitem(last=False) for _ in range(len(self._models) - self._most)]
        if gone:
            gc.unfreeze()
            del gone
        gc.collect()
        gc.freeze()
        return model

    def let_go(self, key: str) -> None:
        """Forget the model of `key`, until it is asked for again."""
        with self._lock:
            self._models.pop(key, None)

    def warm_up(self) -> None:
        """Load what is served, as much as is kept, so that nobody waits for it."""
        for key in self.keys()[: self._most]:
            try:
                self.model(key)
            except (KeyError, ValueError, RuntimeError):  # whoever asks for it is told
                continue
