"""A classifier on [CLS] of the small BERT, before fine-tuning (the network frozen) and after (its layers trained).

Devlin et al. 2019, BERT, section 4.1: softmax(C W') of the last state C of [CLS]. `training.readers.classifier` made
the weights: a linear layer for the frozen network, and four layers with a linear layer of their own.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from models.messages import Message
from models.readers.cls_table import CLASSIFIER_WEIGHTS, classifier_figures
from models.trace import AttentionTrace

if TYPE_CHECKING:
    from torch import Tensor

    from models.huggingface.model import PretrainedModel

BEFORE, AFTER = "before", "after"

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Classified:
    """One text read by the frozen network and by the fine-tuned one, each trace with what its classifier says."""

    before: AttentionTrace
    after: AttentionTrace

    def changes(self) -> Numbers:
        """Return how far each head's rows moved: total variation, mean of all rows, [layer, head]."""
        own, other = (np.stack([each.weights for each in trace]) for trace in (self.before, self.after))
        distances: Numbers = np.abs(own.astype(np.float64) - other).sum(axis=-1).mean(axis=-1) / 2
        return distances


def classify(model: PretrainedModel, text: str) -> Classified:
    """Return what both classifiers say of a text, with the attention of both networks."""
    labels = (classifier_figures() or {})["labels"]
    tuned = _fine_tuned(model)
    found = []
    for network, name in ((model, BEFORE), (tuned, AFTER)):
        trace = network.attend(text)
        shares = _shares(network, text, name)
        found.append(replace(trace, classes=tuple(zip(labels, shares, strict=True))))
    return Classified(*found)


def _shares(model: PretrainedModel, text: str, name: str) -> list[float]:
    """Return the probability of each class."""
    import torch

    weights = _weights()
    inputs = model.reader.inputs(model.reader.read(text))
    with torch.inference_mode():
        state = model.network.base_model(**inputs).last_hidden_state[0, 0].float()
        scores = weights[f"{name}.classifier.weight"].float() @ state + weights[f"{name}.classifier.bias"].float()
        shares: list[float] = scores.double().softmax(dim=-1).tolist()
    return shares


@lru_cache(maxsize=1)
def _weights() -> dict[str, Tensor]:
    from safetensors.torch import load_file

    found: dict[str, Tensor] = load_file(CLASSIFIER_WEIGHTS)
    return found


@lru_cache(maxsize=1)
def _fine_tuned(model: PretrainedModel) -> PretrainedModel:
    """Return the model with its layers as fine-tuning left them; what it shares with `model` are the embeddings."""
    from models.huggingface.model import PretrainedModel

    network: Any = deepcopy(model.network)
    start = f"{AFTER}.encoder."
    own = {name.removeprefix(start): each for name, each in _weights().items() if name.startswith(start)}
    network.base_model.encoder.load_state_dict({name: each.to(network.dtype) for name, each in own.items()})
    title = Message("{title}, fine-tuned", title=model.title)
    return PretrainedModel(network, model.tokenizer, key=model.key, title=str(title), sha256=model.sha256)
