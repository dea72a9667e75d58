"""Pretrained models that visitors may open: of the Hugging Face hub and of the server's folders."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from models.huggingface.apart import can_limit
from models.huggingface.embedded import Local, local_models
from models.huggingface.hub_settings import HubSettings
from models.huggingface.placement import Placement
from models.messages import Message
from viz.server.configuration import configuration
from viz.server.elsewhere import remote

LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))
"""Addresses that no other machine reaches."""

_PUBLIC = Message(
    "Hub models are off, because this server is open to other machines. The owner can turn them on: {variable}=on "
    "for all, or names for some.",
    variable="ATTENTION_BENCH_HUB",
)
_ELSEWHERE = Message("Hub models are off. The models of this server run elsewhere, and are chosen there.")
_NOT_LIMITED = Message(
    "Hub models are off, because this server cannot limit their memory. The owner can name folders of models "
    "instead: {variable}.",
    variable="ATTENTION_BENCH_MODELS",
)


def hub_settings() -> HubSettings:
    """Return what may be opened, and if nothing of the hub, why: on where only this machine reaches the server."""
    said = configuration()
    public = st.get_option("server.address") not in LOCAL
    why_off = _NOT_LIMITED if not can_limit() else _PUBLIC if public and said.hub is None else None
    why_off = _ELSEWHERE if said.serve else why_off
    return HubSettings(
        enabled=said.hub is not False and why_off is None,
        allowed=said.hub if isinstance(said.hub, tuple) else (),
        largest=said.hub_largest,
        disk=said.hub_disk,
        why_off=None if said.hub is False else why_off,
        folders=said.folders,
        placement=Placement(said.device, said.dtype),
    )


def own_models() -> dict[str, Local]:
    """Return the pretrained models that lie on this machine, or where the models run, by key."""
    served = remote()
    if served is not None:
        return {key: Local(key, title, Path()) for key, title in served.titles().items()}
    return local_models(configuration().folders)
