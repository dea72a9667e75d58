"""Requests of a walk to a model beyond traces: parameters, decoder states, positions."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import models
from models.experiments.path_lengths import Paths
from models.experiments.states import DecoderRun, Numbers
from models.huggingface.block_form import BlockForm
from models.sites import Site
from models.trace import AttentionTrace
from models.translation.hypothesis import Hypothesis
from models.waiting import asking
from viz.server.caching import BoundedCache
from viz.server.queueing import one_at_a_time
from viz.shell.script_run import leave_if_asked

if TYPE_CHECKING:
    from models.translation.translator import Translator
    from viz.server.runtime import Host


_TURN = Lock()
_PATHS: BoundedCache[Paths] = BoundedCache(16 * 2**20)
_BEAMS: BoundedCache[tuple[Hypothesis, ...]] = BoundedCache(16 * 2**20)


@runtime_checkable
class Introspection(Protocol):
    """The inside of one of our own models."""

    def parameters_at(self, place: Site | None, names: tuple[str, ...]) -> Mapping[str, Numbers]:
        """Return parameters by their names, as `models.experiments.arithmetic.parameters_at` does."""

    def block_form(self, place: Site) -> BlockForm | None:
        """Return how a causal language model computes its block at `place`; None where that is not known."""

    def decoder_run(self, trace: AttentionTrace) -> DecoderRun:
        """Return the states of the decoder, as `models.experiments.arithmetic.decoder_run` does."""

    def encodings(self, count: int) -> Numbers:
        """Return what a Transformer adds to its first `count` tokens, [count, d_model]."""

    def without_positions(self, source: str) -> AttentionTrace:
        """Return the trace of `source` through a Transformer whose encoder is not told where its words stand."""

    def paths(self, source: str) -> Paths:
        """Return what is between the words of `source` and the encoder states, as `models.experiments.paths` does."""

    def beam(self, source: str, width: int) -> tuple[Hypothesis, ...]:
        """Return the hypotheses of a beam search, best first, as `models.beam_search` does."""


def inside_of(host: Host, key: str) -> Introspection:
    """Return the inside of a model."""
    model = host.model(key)
    return model if isinstance(model, Introspection) else _Here(cast("Translator", model))


def without_positions(host: Host, key: str, source: str) -> AttentionTrace:
    """Return what `Introspection.without_positions` does, from the cache if it was run before."""
    identity = ("without positions", models.describe(key).sha256, source)
    return host.traces.get(identity, lambda: inside_of(host, key).without_positions(source))


def paths_of(host: Host, key: str, source: str) -> Paths:
    """Return what `Introspection.paths` does, one at a time on this machine; kept for whoever asks for the same."""

    def work_out() -> Paths:
        with one_at_a_time(_TURN):
            return inside_of(host, key).paths(source)

    return _PATHS.get((models.describe(key).sha256, source), work_out)


def beam_of(host: Host, key: str, source: str, width: int) -> tuple[Hypothesis, ...]:
    """Return what `Introspection.beam` does, one at a time on this machine; kept for whoever asks for the same."""

    def work_out() -> tuple[Hypothesis, ...]:
        with one_at_a_time(_TURN):
            return inside_of(host, key).beam(source, width)

    return _BEAMS.get((models.describe(key).sha256, source, width), work_out)


class _Here:
    """The inside of a model in this process; see `Introspection`. What needs torch is imported when it is asked for."""

    def __init__(self, model: Translator) -> None:
        self._model = model

    def parameters_at(self, place: Site | None, names: tuple[str, ...]) -> Mapping[str, Numbers]:
        from models.experiments import arithmetic

        return arithmetic.parameters_at(self._model, place, names)

    def block_form(self, place: Site) -> BlockForm | None:
        from models.experiments import arithmetic

        return arithmetic.block_form(self._model, place)

    def decoder_run(self, trace: AttentionTrace) -> DecoderRun:
        from models.experiments import arithmetic

        return arithmetic.decoder_run(self._model, trace)

    def encodings(self, count: int) -> Numbers:
        from models.experiments import positions

        added: Numbers = positions.encodings(self._model, count).numpy()
        return added

    def without_positions(self, source: str) -> AttentionTrace:
        from models.experiments import positions

        return positions.without_positions(self._model).attend(source)

    def paths(self, source: str) -> Paths:
        from models.experiments import paths

        with asking(leave_if_asked):
            return paths.paths_of(self._model, source)

    def beam(self, source: str, width: int) -> tuple[Hypothesis, ...]:
        with asking(leave_if_asked):
            return models.beam_search(self._model, source, width)
