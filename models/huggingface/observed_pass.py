"""One observed pass through a transformers network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from transformers import PreTrainedModel

from models.edits import Edit
from models.hooks import Session, capture, observe
from models.huggingface.layers import Layers, own_weights
from models.huggingface.reader import Reader
from models.huggingface.run import Run, running
from models.recording import Recorder


@dataclass(frozen=True, slots=True)
class Pass:
    """What one observed pass left."""

    session: Session
    run: Run
    logits: Any


@dataclass(frozen=True, eq=False)
class Observed:
    """A network that is observed, with what reads for it and what writes its runs down.

    Parameters
    ----------
    network : PreTrainedModel
    layers : Layers
    reader : Reader
    recorder : Recorder
    """

    network: PreTrainedModel
    layers: Layers
    reader: Reader
    recorder: Recorder


def final_vectors(run: Run) -> NDArray[np.float32] | None:
    """Return the final vectors of the text that was read, [token, d_model], if the run saw them.

    Parameters
    ----------
    run : Run
        Of one text.
    """
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

    Parameters
    ----------
    network : PreTrainedModel
    layers : Layers
        Its attention layers.
    inputs : mapping of str to value
        What its forward takes.
    patterns : iterable of str, optional
        What to record.
    edits : iterable of Edit, optional
    whole : bool
        Whether its head, or its decoder, runs too; else what is below the head, which gives no logits.

    Returns
    -------
    Pass
    """
    part: nn.Module = network if whole else network.base_model
    run = Run(layers.places)
    with torch.inference_mode(), running(run), capture(patterns, edits, copies=False) as session:
        output = part(**inputs) if layers.observed else part(**inputs, output_attentions=True)
        if not layers.observed:
            (weights,) = own_weights(network, output).values()
            for site, values in zip(layers.sites, weights, strict=True):
                observe(site.at("weights"), values)
        run.check()
    return Pass(session, run, getattr(output, "logits", None))
