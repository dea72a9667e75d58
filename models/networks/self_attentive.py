"""A structured self-attentive sentence embedding, Lin et al. 2017: hops read a BiLSTM, and a classifier the hops.

H = BiLSTM(words), A = softmax(W_s2 tanh(W_s1 H')), M = A H: each row of A is a hop, which spreads a weight of 1 over
the words of the sentence; M, one row a hop, is what the classifier is given. What asks, a row of W_s2, is learned and
the same for every sentence; what it meets is tanh(W_s1 h_j), of each word. So queries are hops, keys and values words.

References
----------
Lin, Feng, dos Santos, Yu, Xiang, Zhou and Bengio 2017, A Structured Self-Attentive Sentence Embedding.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.networks.attention import dot_scores, weighted_sum
from models.networks.recurrent import RecurrentEncoder
from models.sites import Site

HOPS = Site("encoder", 0, "hops")


def spread_penalty(weights: Tensor) -> Tensor:
    """Return P = ||A A' - I||_F^2, Lin et al. 2017, equation 8: 0 if each hop reads one word, and no two the same.

    Parameters
    ----------
    weights : Tensor, [..., hop, word]
        A.

    Returns
    -------
    Tensor, [...]

    Examples
    --------
    >>> spread_penalty(torch.eye(2)).item(), spread_penalty(torch.tensor([[1.0, 0.0], [1.0, 0.0]])).item()
    (0.0, 2.0)
    """
    products = weights @ weights.mT  # [..., hop, hop]
    own = torch.eye(products.shape[-1], dtype=products.dtype, device=products.device)
    return (products - own).square().sum(dim=(-2, -1))


class SelfAttentiveNetwork(nn.Module):
    """Reads a sentence by a BiLSTM and hops, and says of which class it is.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_encoder : int
        u: of one direction's state.
    d_attention : int
        d_a: rows of W_s1.
    hops : int
        r: rows of W_s2.
    d_hidden : int
        Of the classifier, which reads all rows of M side by side.
    classes : int
    dropout : float, optional
        On the embedded pieces, on M and on the classifier's hidden layer, in training.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        d_embedding: int,
        d_encoder: int,
        d_attention: int,
        hops: int,
        d_hidden: int,
        classes: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_embedding)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.encoder = RecurrentEncoder("lstm", d_embedding, d_encoder)
        self.first = nn.Linear(2 * d_encoder, d_attention, bias=False)
        self.second = nn.Linear(d_attention, hops, bias=False)
        self.hidden = nn.Linear(hops * 2 * d_encoder, d_hidden)
        self.output = nn.Linear(d_hidden, classes)
        self.dropout = nn.Dropout(dropout)
        self.attention = AttentionWeights(HOPS)
        self.query, self.key, self.value, self.context = (
            HookPoint(HOPS.at(quantity)) for quantity in ("query", "key", "value", "context")
        )

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the classes score, and A, of sentences of one length.

        Shapes: `ids` [batch, word]; returns [batch, class], [batch, hop, word].
        """
        states = self.encoder(self.dropout(self.embedding(ids)), None).states[:, None]  # [batch, 1, word, 2 u]
        key = self.key(torch.tanh(self.first(states)))  # [batch, 1, word, d_a]
        query = self.query(self.second.weight.expand(len(ids), 1, -1, -1))  # [batch, 1, hop, d_a]
        weights = self.attention(dot_scores(query, key), None)  # [batch, 1, hop, word]
        read = self.context(weighted_sum(weights, self.value(states)))  # M: [batch, 1, hop, 2 u]
        hidden = torch.relu(self.hidden(self.dropout(read.flatten(1))))
        return cast("Tensor", self.output(self.dropout(hidden))), weights[:, 0]
