"""Loading of models: a skeleton while waiting, and a message for each failure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.translation.checkpoints import CheckpointError
from models.translation.entry import Entry
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import Host
from viz.text.language import _, listed, say
from viz.text.markup import plain

SKELETON_HEIGHT = 620


def usable(host: Host, keys: Sequence[str], messages: DeltaGenerator) -> tuple[str, ...]:
    """Return the keys of the models that can run, waiting until all are loaded; the others are named, by reason.

    The place of the skeleton is there when nothing waits, too: what follows keeps its place, and its focus. It is in no
    container: one in which nothing is left moves what follows by a gap.
    """
    are_settled = all(map(host.is_settled, keys))
    with st.empty() if are_settled else st.skeleton(height=SKELETON_HEIGHT):
        failures = {key: error for key in keys if (error := _failure(host, key))}
    alike: dict[str, list[str]] = {}
    for key, error in failures.items():
        alike.setdefault(say(error.reason), []).append(key)
    for reason, (key, *more) in alike.items():
        if more:
            names = listed((key, *more))
            messages.warning(plain(_("Models could not be loaded. {names}: {reason}", names=names, reason=reason)))
        else:
            _tell(failures[key], messages)
    return tuple(key for key in keys if key not in failures)


def described(keys: Iterable[str], messages: DeltaGenerator | None) -> dict[str, Entry]:
    """Return what the card of each of our models says; one whose card is not whole is named in `messages`."""
    found = {}
    for key in keys:
        try:
            found[key] = models.describe(key)
        except CheckpointError as error:
            if messages is not None:
                messages.warning(plain(_("A model could not be loaded. {reason}", reason=say(error))))
    return found


def loads(host: Host, key: str, messages: DeltaGenerator) -> bool:
    """Return whether the model of `key` can run, waiting until it is loaded; if not, it is named in `messages`."""
    if error := _failure(host, key):
        _tell(error, messages)
    return error is None


def _failure(host: Host, key: str) -> ModelUnavailableError | None:
    """Return why a model cannot run, waiting until it is loaded."""
    try:
        host.model(key)
    except ModelUnavailableError as error:
        return error
    return None


def _tell(error: ModelUnavailableError, messages: DeltaGenerator) -> None:
    messages.warning(plain(_("A model could not be loaded. {reason}", reason=error)))
