"""The models that one process of the service has: loaded when they are first asked for, the least used let go."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from models.huggingface.embedded import local_models
from models.huggingface.hub_settings import HubSettings
from models.registry import catalog, load_pretrained, load_translator

if TYPE_CHECKING:
    from models.model import Model

MOST_MODELS = 64
"""Models that a process keeps: all that are shipped."""


class Shelf:
    """Models by their keys: those that are shipped, and pretrained ones on this machine; none is ever fetched.

    Parameters
    ----------
    folders : iterable of Path, optional
        Of pretrained models that are served beside those.
    most : int, optional
        How many are kept.
    """

    def __init__(self, folders: Iterable[Path] = (), most: int = MOST_MODELS) -> None:
        self._settings = HubSettings(enabled=False, folders=tuple(folders))
        self._most, self._lock, self._loading = most, Lock(), Lock()
        self._models: OrderedDict[str, Model] = OrderedDict()  # the one used last at the end

    def keys(self) -> tuple[str, ...]:
        """Return what is served: our own models, then the pretrained ones."""
        return (*catalog(), *local_models(self._settings.folders))

    def titles(self) -> dict[str, str]:
        """Return the pretrained models that are served, by their keys."""
        return {key: each.title for key, each in local_models(self._settings.folders).items()}

    def model(self, key: str) -> Model:
        """Return the model of `key`, ready to run.

        Parameters
        ----------
        key : str

        Raises
        ------
        KeyError
            If none is served under it.
        CheckpointError, InputError
            If it cannot be opened; says why.
        """
        if (found := self._kept(key)) is not None:
            return found
        with self._loading:
            return self._kept(key) or self._load(key)

    def _kept(self, key: str) -> Model | None:
        with self._lock:
            if key in self._models:
                self._models.move_to_end(key)
            return self._models.get(key)

    def _load(self, key: str) -> Model:
        if key not in self.keys():
            message = f"no model {key!r} is served here; there are {', '.join(self.keys())}"
            raise KeyError(message)
        model: Model = load_pretrained(key, settings=self._settings) if key in self.titles() else load_translator(key)
        model.attend("A first run.")
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
        """Forget the model of `key`, until it is asked for again.

        Parameters
        ----------
        key : str
        """
        with self._lock:
            self._models.pop(key, None)

    def warm_up(self) -> None:
        """Load what is served, as much as is kept, so that nobody waits for it."""
        for key in self.keys()[: self._most]:
            try:
                self.model(key)
            except (KeyError, ValueError, RuntimeError):  # whoever asks for it is told
                continue
