"""Segment memory: a GPT reads the second half of a text with the keys and values of the first, or without (Dai 2019).

Dai et al. 2019, Transformer-XL, arXiv:1901.02860. Their positions are relative. A GPT-2 has absolute ones, so what the
second segment calls its own positions has to be chosen: that is what the ways below differ in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from models.errors import InputError
from models.huggingface.model import PretrainedModel
from models.huggingface.observed_pass import observed_pass
from models.messages import Message
from models.readers.segment_table import WAYS, Way

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SegmentRead:
    """What the second segment of a text attended to, and what it predicted."""

    weights: Numbers  # [layer, head, query, key] Of its tokens; keys are those of both segments where there is a memory
    log_probabilities: Numbers  # [query - 1] Of its tokens but the first, each after those before it


def read_segment(model: PretrainedModel, ids: list[int], first: int, way: Way) -> SegmentRead:
    """Read the tokens from `first` on as a segment of their own, the tokens before it as its memory.

    One pass over both gives what a cache of keys and values gives: the first segment never sees the second.
    """
    if way not in WAYS or not 1 <= first < len(ids) - 1:
        raise InputError(Message("The text is too short for two segments."))
    own = len(ids) - first
    lead = {"off": 0, "boundary": 1}.get(way, first)  # tokens before the segment
    read = [*ids[:lead], *ids[first:]]
    positions = [*range(lead), *range(own)] if way == "anew" else [*range(lead + own)]
    inputs: dict[str, Any] = {"input_ids": torch.tensor([read]), "position_ids": torch.tensor([positions])}
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    done = observed_pass(model.network, model.watched.layers, inputs, patterns=("*.weights",), whole=True)
    weights = np.stack([done.session[site.at("weights")][0, :, lead:].double().numpy() for site in model.sites])
    following = torch.tensor(ids[first + 1 :])
    own_rows = done.logits[0, lead:-1].double().log_softmax(dim=-1)
    return SegmentRead(weights, own_rows[torch.arange(own - 1), following].numpy())
