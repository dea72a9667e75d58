"""What a captioner does on scenes that training never drew: words, captions, weight on the cells that words name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from models.hooks import capture
from models.networks.recurrent import CROSS
from models.networks.show_tell import ShowTellNetwork
from models.scenes.things import Scene
from models.scenes.words import MOST_WORDS
from models.translation.decoding import greedy
from models.vocabulary import END, PAD
from training.captions.scenes import Batch, batch_of, never_drawn, scenes_to_measure


@torch.inference_mode()
def measure(network: ShowTellNetwork, scenes: Sequence[Scene]) -> dict[str, float]:
    """Return the figures of a network on `scenes`; see `figures_of`."""
    batch = batch_of(scenes)
    with capture((str(CROSS.at("weights")),)) as session:
        logits = network.decode(network.encode(batch.scenes), batch.inputs)
    weights = session[CROSS.at("weights")][:, 0]  # [scene, word, cell]
    figures = figures_of(batch, logits, weights)
    return figures | {"captions_right": round(_whole(network, batch), 4), "scenes": len(scenes)}


def figures_of(batch: Batch, logits: Tensor, weights: Tensor) -> dict[str, float]:
    """Return shares of words and of attention, the right words before each given.

    Content words that are the likeliest; weight on the cells that a content word names, with what even weights have
    there; the same of words that name one cell.

    Shapes: `logits` [scene, word, vocabulary]; `weights` [scene, word, cell].
    """
    content, cells = batch.named.any(dim=-1), batch.named.sum(dim=-1)
    right = logits.argmax(dim=-1) == batch.labels
    there = (weights * batch.named).sum(dim=-1)
    even = cells / batch.named.shape[-1]
    found = {
        "content_words_right": right[content],
        "weight_on_named": there[content],
        "weight_on_named_by_chance": even[content],
        "weight_on_named_one_cell": there[cells == 1],
        "weight_on_named_one_cell_by_chance": even[cells == 1],
    }
    return {name: round(float(values.double().mean()), 4) for name, values in found.items()}


def _whole(network: ShowTellNetwork, batch: Batch) -> float:
    """Return the share of captions that are right, word for word, when the network writes them by itself."""
    memory = network.encode(batch.scenes)
    steps = [token for token, _logits in greedy(network, memory, batch=len(batch.scenes), limit=MOST_WORDS)]
    written = torch.stack(steps, dim=1)  # [scene, word]
    after_end = (written == END).cumsum(dim=1) - (written == END).long() > 0
    written = written.masked_fill(after_end, PAD)
    length = max(written.shape[1], batch.labels.shape[1])
    written, labels = (
        torch.nn.functional.pad(each, (0, length - each.shape[1]), value=PAD) for each in (written, batch.labels)
    )
    return float((written == labels).all(dim=1).double().mean())


def measured_figures(network: ShowTellNetwork) -> dict[str, Any]:
    """Return the figures on test scenes: with combinations of colour and shape seen in training, and held out."""
    return {
        "seen": measure(network, never_drawn(scenes_to_measure(held_out=False))),
        "held_out": measure(network, scenes_to_measure(held_out=True)),
    }
