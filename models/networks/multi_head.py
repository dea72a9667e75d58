"""Multi-head attention with its hooks, and the keys and values that it keeps. Vaswani et al. 2017, section 3.2."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint, VectorPoint
from models.networks.attention import merge_heads, scaled_dot_scores, split_heads, weighted_sum
from models.networks.moved import GramPoint
from models.sites import Site


@dataclass(frozen=True, slots=True)
class KeyValue:
    """Keys and values, each [batch, head, key, d_head]."""

    keys: Tensor
    values: Tensor

    def extended(self, more: KeyValue) -> KeyValue:
        """Return these followed by `more` on the key axis."""
        return KeyValue(torch.cat((self.keys, more.keys), dim=2), torch.cat((self.values, more.values), dim=2))


class MultiHeadAttention(nn.Module):
    """softmax(q k' / sqrt(d_head)) v for each head, joined by an output projection. 2017, section 3.2.

    Parameters
    ----------
    place : Site
        ``stack.layer.kind``.
    d_model, heads : int
    dropout : float
        On the weights, after the hook.
    """

    def __init__(self, place: Site, d_model: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        self.attend = AttentionWeights(place)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.hook_read = VectorPoint(place.at("read"))
        self.hook_memory = VectorPoint(place.at("memory"))
        self.hook_query = HookPoint(place.at("query"))
        self.hook_key = HookPoint(place.at("key"))
        self.hook_value = HookPoint(place.at("value"))
        self.hook_gram = GramPoint(place)
        self.hook_context = HookPoint(place.at("context"))
        self.hook_output = HookPoint(place.at("output"))
        for part in (self.query, self.key, self.value, self.output):
            nn.init.xavier_uniform_(part.weight)
            nn.init.zeros_(part.bias)

    def read(self, states: Tensor, first_key: int = 0) -> KeyValue:
        """Return keys and values of `states`, [batch, key, d_model].

        Shapes: `states` [batch, key, d_model].
        """
        states = self.hook_memory(states, first_key)
        keys = self.hook_key(split_heads(self.key(states), self.heads), first_key)
        values = self.hook_value(split_heads(self.value(states), self.heads), first_key)
        self.show_values(values, first_key)
        return KeyValue(keys, values)

    def show_values(self, values: Tensor, first_key: int) -> None:
        """Show how long `values` are after the output projection.

        Shapes: `values` [batch, head, key, d_head].
        """
        self.hook_gram.show(values, self.output.weight, first_key)

    def forward(self, states: Tensor, memory: KeyValue, mask: Tensor | None, first_query: int = 0) -> Tensor:
        """Let `states`, [batch, query, d_model], read `memory`: [batch, query, d_model].

        Shapes: `states` [batch, query, d_model]; `mask` [batch, head, query, key].
        """
        states = self.hook_read(states, first_query)
        query = self.hook_query(split_heads(self.query(states), self.heads), first_query)
        scores = scaled_dot_scores(query, memory.keys)  # [batch, head, query, key]
        weights = self.dropout(self.attend(scores, mask, first_query))
        context = self.hook_context(weighted_sum(weights, memory.values), first_query)
        merged = merge_heads(context)  # [batch, query, d_model]
        return self.hook_output(self.output(merged)[:, None], first_query)[:, 0]
