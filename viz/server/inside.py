"""What a walk asks of a model beyond its traces: named parameters, a decoder's states, positions; wherever it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

import models
from models.experiments.states import DecoderRun, Numbers
from models.sites import Site
from models.trace import AttentionTrace
from viz.server.service_model import ServedModel

if TYPE_CHECKING:
    from models.translation.translator import Translator
    from viz.server.runtime import Host


def parameters_at(host: Host, key: str, place: Site | None, names: Iterable[str]) -> Mapping[str, Numbers]:
    """Return parameters by their names, as `models.experiments.arithmetic.parameters_at` does.

    Parameters
    ----------
    host : Host
    key : str
        Of one of our own models.
    place : Site or None
    names : iterable of str
    """
    model, wanted = host.model(key), tuple(names)
    if isinstance(model, ServedModel):
        return model.parameters_at(place, wanted)
    from models.experiments import arithmetic

    return arithmetic.parameters_at(cast("Translator", model), place, wanted)


def decoder_run(host: Host, key: str, trace: AttentionTrace) -> DecoderRun:
    """Return the states of a decoder, as `models.experiments.arithmetic.decoder_run` does.

    Parameters
    ----------
    host : Host
    key : str
        Of one of our own models.
    trace : AttentionTrace
        Of it, without edits.
    """
    model = host.model(key)
    if isinstance(model, ServedModel):
        return model.decoder_run(trace)
    from models.experiments import arithmetic

    return arithmetic.decoder_run(cast("Translator", model), trace)


def encodings(host: Host, key: str, count: int) -> Numbers:
    """Return what a Transformer adds to its first `count` tokens, [count, d_model].

    Parameters
    ----------
    host : Host
    key : str
        Of a Transformer.
    count : int
    """
    model = host.model(key)
    if isinstance(model, ServedModel):
        return model.encodings(count)
    from models.experiments import positions

    added: Numbers = positions.encodings(cast("Translator", model), count).numpy()
    return added


def without_positions(host: Host, key: str, source: str) -> AttentionTrace:
    """Return the trace of `source` through a Transformer whose encoder is not told where its words stand.

    Parameters
    ----------
    host : Host
    key : str
        Of a Transformer.
    source : str
    """

    def run() -> AttentionTrace:
        model = host.model(key)
        if isinstance(model, ServedModel):
            return model.without_positions(source)
        from models.experiments import positions

        return positions.without_positions(cast("Translator", model)).attend(source)

    return host.traces.get(("without positions", models.describe(key).sha256, source), run)
