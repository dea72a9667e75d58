"""The Transformer with relative positions: learnt vectors by distance in its self-attention. Shaw et al. 2018.

No sinusoids are added to the embeddings: how far a key stands from its query is all that is known of order.
"""

from __future__ import annotations

from typing import Any, cast

from torch import Tensor, nn

from models.hooks import HookPoint
from models.networks.attention import merge_heads, scaled_dot_scores, split_heads, weighted_sum
from models.networks.distances import clipped_distances, distance_context, distance_scores
from models.networks.multi_head import KeyValue, MultiHeadAttention
from models.networks.transformer import DecoderLayer, EncoderLayer, TransformerNetwork
from models.sites import Site


class RelativeAttention(MultiHeadAttention):
    """softmax(q (k + a^K)' / sqrt(d_head)) (v + a^V) for each head, a^K and a^V by distance. 2018, equations 3 and 4.

    The vectors are the layer's own, and all its heads share them.

    Parameters
    ----------
    place : Site
        ``stack.layer.kind``.
    d_model, heads : int
    dropout : float
        On the weights, after the hook.
    reach : int
        k of the paper: what lies further away counts as k tokens away.
    """

    def __init__(self, place: Site, d_model: int, heads: int, dropout: float, reach: int) -> None:
        super().__init__(place, d_model, heads, dropout)
        self.reach = reach
        # Embeddings, so that the optimizer takes them for the tables that they are.
        self.distance_key, self.distance_value = (nn.Embedding(2 * reach + 1, d_model // heads) for _ in range(2))
        for table in (self.distance_key, self.distance_value):
            nn.init.xavier_uniform_(table.weight)
        self.hook_by_distance = HookPoint(place.at("by_distance"))

    def show_values(self, values: Tensor, first_key: int) -> None:
        """Show how long v + a^V is at every distance, after the output projection.

        Shapes: `values` [batch, head, key, d_head].
        """
        self.hook_gram.show_by_distance(values, self.distance_value.weight, self.output.weight, first_key)

    def forward(self, states: Tensor, memory: KeyValue, mask: Tensor | None, first_query: int = 0) -> Tensor:
        """Let `states`, [batch, query, d_model], read `memory`: [batch, query, d_model].

        Shapes: `states` [batch, query, d_model]; `mask` [batch, head, query, key].
        """
        states = self.hook_read(states, first_query)
        query = self.hook_query(split_heads(self.query(states), self.heads), first_query)
        distances = clipped_distances(query.shape[2], memory.keys.shape[2], self.reach, first_query)
        distances = distances.to(query.device)
        by_distance = distance_scores(query, self.distance_key.weight, distances)  # [batch, head, query, key]
        by_distance = self.hook_by_distance(by_distance, first_query)
        scores = scaled_dot_scores(query, memory.keys) + by_distance
        weights = self.dropout(self.attend(scores, mask, first_query))
        context = weighted_sum(weights, memory.values)
        context = context + distance_context(weights, self.distance_value.weight, distances)
        merged = merge_heads(self.hook_context(context, first_query))  # [batch, query, d_model]
        return self.hook_output(self.output(merged)[:, None], first_query)[:, 0]


class RelativeTransformerNetwork(TransformerNetwork):
    """A `TransformerNetwork` whose self-attention reads distances; attention to the source has none, as in the paper.

    Parameters
    ----------
    vocabulary : int
    reach : int
        k of the paper.
    sizes
        Those of `TransformerNetwork`.
    """

    def __init__(self, *, vocabulary: int, reach: int = 16, **sizes: Any) -> None:
        super().__init__(vocabulary=vocabulary, **sizes)
        del self.positions
        for layer in cast("list[EncoderLayer | DecoderLayer]", [*self.encoder, *self.decoder]):
            absolute = layer.attention
            d_model, dropout = absolute.query.in_features, getattr(absolute.dropout, "p", 0.0)
            place = absolute.attend.weights.site.place
            layer.attention = RelativeAttention(place, d_model, absolute.heads, dropout, reach)

    def embed(self, tokens: Tensor, first: int = 0) -> Tensor:
        """Return embeddings, [batch, token, d_model], for ids [batch, token]; no position is added.

        Shapes: `tokens` [batch, token].
        """
        return cast("Tensor", self.dropout(self.embedding(tokens) * self.embedding_scale))
