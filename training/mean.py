"""The mean of several points of a model's training: ``python -m training.mean DIR DIR ... --weights DIR``.

Each DIR is a folder that `training.publish` wrote. Weights of one line of training, each point with its rate
run down, lie in one basin: their mean has a lower loss than any of them, and costs a visitor nothing (Izmailov et al.
2018, "Averaging weights leads to wider optima and better generalization"; Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from safetensors.torch import load_file

from models.command import run
from models.translation.checkpoints import MODEL_FILE, WEIGHTS, read_card, write_checkpoint
from training.options import Weights
from training.recipes import RecipeError
from training.trainer import LOG_FILE

MEASURED = ("bleu", "aer", "aer_grown", "aer_heads", "aer_interval", "aer_moved", "alignment", "examples_in_training")
"""What a card says of the weights themselves: not true of the mean."""
_ONE = ("key", "network", "tokenizer_sha256")
_MEAN = "mean of points of training by their share, each an "


def publish_mean(
    folders: Sequence[Path], weights: Path = WEIGHTS, shares: Sequence[float] | None = None
) -> dict[str, Any]:
    """Write the mean of several checkpoints of one model to ``weights/<key>/``, and return its card.

    The card is that of the last, without its figures; ``mean_of`` names every point by hash, what it had seen and its
    share. A checkpoint that is itself a mean counts as the points it was made of. Without `shares` all count alike.
    """
    cards = [read_card(folder) for folder in folders]
    shares = [1.0] * len(cards) if shares is None else shares
    if len(cards) < 2 or len(shares) != len(cards) or min(shares) <= 0:
        message = (
            f"{len(cards)} checkpoint given with shares {list(shares)}; a mean is of two or more, each with its share"
        )
        raise RecipeError(message)
    for folder, card in zip(folders, cards, strict=True):
        unlike = [name for name in _ONE if card.get(name) != cards[0].get(name)]
        if unlike:
            message = f"{folder} differs from {folders[0]} in {', '.join(unlike)}; only points of one model have a mean"
            raise RecipeError(message)
    parts = [share / sum(shares) for share in shares]
    loaded = [load_file(folder / MODEL_FILE) for folder in folders]
    mean = {
        name: sum((share * each[name].float() for share, each in zip(parts, loaded, strict=True)), torch.tensor(0.0))
        for name in loaded[0]
    }
    card = {name: value for name, value in cards[-1].items() if name not in MEASURED}
    card["mean_of"] = [point for each, share in zip(cards, parts, strict=True) for point in _points(each, share)]
    card["weights"] = _MEAN + cards[-1]["weights"].rpartition(" each an ")[2]
    curve = (folders[-1] / LOG_FILE).read_text(encoding="utf8")
    written = write_checkpoint(weights / card["key"], mean, card)
    (weights / card["key"] / LOG_FILE).write_text(curve, encoding="utf8")
    return written


def _points(card: dict[str, Any], share: float) -> list[dict[str, Any]]:
    """Return the points of training that a checkpoint is made of, each with its part of `share`."""
    points = card.get("mean_of", [card])
    return [
        {
            **{name: point[name] for name in ("sha256", "target_tokens_seen")},
            "share": share * point.get("share", 1 / len(points)),
        }
        for point in points
    ]


def main(
    folders: Annotated[list[Path], typer.Argument(help="Folders with card and weights, the first trained first.")],
    *,
    share: Annotated[
        list[float] | None, typer.Option(help="Part of each folder, in their order; alike without it.")
    ] = None,
    weights: Weights = WEIGHTS,
) -> None:
    """Write the mean."""
    publish_mean(folders, weights, share)


if __name__ == "__main__":
    run(main)
