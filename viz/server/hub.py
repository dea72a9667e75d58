"""What this server opens of the Hugging Face hub: what its owner says, and what is safe if nothing is said."""

from __future__ import annotations

import streamlit as st

from models.huggingface.hub_settings import HubSettings
from models.huggingface.trial import can_limit

LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))
"""Addresses that no other machine reaches."""


def hub_settings() -> HubSettings:
    """Return what may be opened; ValueError, naming the variable, if the owner said something that cannot be."""
    public = st.get_option("server.address") not in LOCAL
    return HubSettings.from_environment(public=public, limited=can_limit())
