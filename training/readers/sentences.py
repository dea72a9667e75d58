"""A self-attentive reader learns to tell of which kind of text a sentence is; how far its hops spread is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from models.networks.self_attentive import SelfAttentiveNetwork, spread_penalty
from training.readers.batches import TextRow, read_batch
from training.readers.recipe import ReaderRecipe


def build_hops(recipe: ReaderRecipe) -> SelfAttentiveNetwork:
    """Return the network of a recipe, its weights as torch draws them."""
    return SelfAttentiveNetwork(**sizes_of(recipe), dropout=recipe.dropout)


def sizes_of(recipe: ReaderRecipe) -> dict[str, int]:
    """Return what the network of a recipe is built from, besides its dropout."""
    return {
        "vocabulary": recipe.vocabulary,
        "d_embedding": recipe.width,
        "d_encoder": recipe.width // 2,
        "d_attention": recipe.d_attention,
        "hops": recipe.hops,
        "d_hidden": recipe.d_hidden,
        "classes": len(recipe.labels),
    }


def hops_losses(network: Any, rows: Sequence[TextRow]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the loss of each sentence, its penalty, whether it was told right, and A.

    Shapes: returns [row], [row, hop, piece].
    """
    labels = torch.tensor([row.label for row in rows])
    scores, weights = network(read_batch(rows)[0])
    losses = nn.functional.cross_entropy(scores, labels, reduction="none")
    return losses, spread_penalty(weights), scores.argmax(dim=1) == labels, weights


def hops_loss(network: Any, rows: Sequence[TextRow], penalty: float) -> Tensor:
    """Return what an update makes smaller: the mean loss, and the mean penalty times what it counts."""
    losses, penalties, _, _ = hops_losses(network, rows)
    return losses.mean() + penalty * penalties.mean()


def measured_hops(network: Any, batches: Iterable[Sequence[TextRow]]) -> dict[str, float]:
    """Return loss, share told right and penalty, each a mean over the sentences of `batches`."""
    found = [hops_losses(network, rows)[:3] for rows in batches]
    loss, penalty, right = (torch.cat(each).double().mean().item() for each in zip(*found, strict=True))
    return {
        "held_out_loss": round(loss, 4),
        "held_out_right": round(right, 4),
        "held_out_penalty": round(penalty, 4),
    }


def pair_overlap(weights: Tensor) -> Tensor:
    """Return how much two hops of a sentence share, the mean over all pairs: 1 if all read alike, 0 if no word twice.

    What two share is the smaller of both weights, summed over the words.

    Shapes: `weights` [..., hop, word]; returns [...].
    """
    hops = weights.shape[-2]
    one, other = torch.triu_indices(hops, hops, 1)
    return torch.minimum(weights[..., one, :], weights[..., other, :]).sum(dim=-1).mean(dim=-1)


def measure_sentences(network: Any, batches: Iterable[Sequence[TextRow]]) -> dict[str, float]:
    """Return how many of the sentences of `batches` are told right, and how far the hops spread over their words."""
    found = []
    for rows in batches:
        _, penalties, right, weights = hops_losses(network, rows)
        found.append(torch.stack([right.float(), penalties, pair_overlap(weights)]))
    each = torch.cat(found, dim=1).double()  # [figure, sentence]
    share, penalty, overlap = each.mean(dim=1).tolist()
    return {
        "sentences": each.shape[1],
        "right": round(share, 4),
        "penalty": round(penalty, 3),
        "overlap": round(overlap, 4),
    }
