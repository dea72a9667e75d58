"""One observed pass through a transformers network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.edits import Edit
from models.hooks import Session, capture, observe
from models.huggingface.layers import Layers, own_weights
from models.huggingface.placement import placed
from models.huggingface.reader import Reader
from models.huggingface.run import PretrainedRun, running
from models.recording import Recorder
from models.sites import Site
from models.softmax import HALF, full_precision

STATES = ("input", "final")
"""What comes to a layer and what leaves it: captured of networks of one stack, where somebody asks for it."""


@dataclass(frozen=True, slots=True)
class Pass:
    """What one observed pass left."""

    session: Session
    run: PretrainedRun
    logits: Any


@dataclass(frozen=True, eq=False)
class Observed:
    """A network that is observed, with what reads for it and what writes its runs down."""

    network: PreTrainedModel
    layers: Layers
    reader: Reader
    recorder: Recorder


def final_vectors(run: PretrainedRun) -> NDArray[np.float32] | None:
    """Return the final vectors of the text that was read, [token, d_model], if the run saw them."""
    vectors: NDArray[np.float32] | None = None if run.vectors is None else run.vectors[0].numpy()
    return vectors


def observed_pass(
    network: PreTrainedModel,
    layers: Layers,
    inputs: Mapping[str, Any],
    *,
    patterns: Iterable[str] = (),
    edits: Iterable[Edit] = (),
    whole: bool,
) -> Pass:
    """Run a network once, observed; check that every layer has fired.

    Of one stack also the states of its layers, ``input`` and ``final``, [batch, 1, token, d_model], if `patterns` name
    them: those that transformers hands out with the same run, so that what leaves the last layer has passed the
    network's closing normalisation where it has one, as GPT-2 does.
    """
    part: nn.Module = network if whole else network.base_model
    run = PretrainedRun(layers.places, layers.tried)
    with torch.inference_mode(), running(run), capture(patterns, edits, copies=False, norms=True) as session:
        places = [] if network.config.is_encoder_decoder else _places_of_states(layers.sites, session)
        wanted = {"output_attentions": not layers.observed, "output_hidden_states": bool(places)}
        output = part(**placed(part, inputs), **{name: True for name, asked in wanted.items() if asked})
        if not layers.observed:
            given = chain.from_iterable(own_weights(network, output).values())
            for site, values in zip(layers.sites, given, strict=True):
                observe(site.at("weights"), _whole_rows(values))
        _observe_states(places, layers.depth or len(layers.sites), getattr(output, "hidden_states", None) or ())
        run.check()
    logits = getattr(output, "logits", None)
    return Pass(session, run, None if logits is None else full_precision(logits).cpu())


def _whole_rows(weights: Tensor) -> Tensor:
    """Return weights that are rounded to half precision, [batch, head, query, key], with rows that sum to 1 again."""
    if weights.dtype not in HALF:
        return weights
    return full_precision(weights) / full_precision(weights).sum(-1, keepdim=True)


def _places_of_states(sites: Sequence[Site], session: Session) -> Sequence[Site]:
    """Return the places of the layers, in their order, if the session wants states of any of them; else none."""
    return sites if any(session.wants(site.at(name)) for site in sites for name in STATES) else ()


def _observe_states(places: Sequence[Site], depth: int, states: Sequence[Tensor]) -> None:
    """Show the states, [batch, token, d_model], to the open session, if there is one before each layer and one after.

    Otherwise it cannot be said which are whose: nothing is shown then, and the session says that nothing fired.
    """
    if len(states) != depth + 1:
        return
    for place in places:
        observe(place.at("input"), states[place.layer][:, None], copy=True)
        observe(place.at("final"), states[place.layer + 1][:, None], copy=True)
