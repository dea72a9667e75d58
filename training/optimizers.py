"""The optimizers of a run: Adam alone, or Muon for the hidden matrices and Adam for all else."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor, nn
from torch.optim import Adam, Muon, Optimizer

FEW_ROWS = 2
"""A table of so few rows, such as that of a yes or no, is none of the matrices inside a network."""

PARTS = 2
"""Into so many are the matrices parted, so that as many threads can step."""


class OptimizerSettings(Protocol):
    """What a recipe says of its optimizers; see `training.recipes.Recipe`."""

    @property
    def optimizer(self) -> str:
        """``adam`` or ``muon``."""

    @property
    def weight_decay(self) -> float:
        """Of every parameter."""


def hidden_matrices(network: nn.Module) -> list[nn.Parameter]:
    """Return the matrices inside `network`, without embeddings, output layer, or matrices of one or two rows."""
    tables = {id(part.weight) for part in network.modules() if isinstance(part, nn.Embedding)}
    return [
        each
        for each in network.parameters()
        if each.ndim == 2 and min(each.shape) > FEW_ROWS and id(each) not in tables
    ]


def build_optimizers(network: nn.Module, recipe: OptimizerSettings) -> dict[str, Optimizer]:
    """Return the optimizers that the recipe names, each parameter in one of them, at rate 0.

    Muon steps along the matrix of all singular directions alike that is nearest to the momentum (Jordan et al. 2024),
    scaled to the size of Adam's steps (Liu et al. 2025), so that both take the same rate.
    """
    matrices = hidden_matrices(network) if recipe.optimizer == "muon" else []
    theirs = {id(each) for each in matrices}
    others = [each for each in network.parameters() if id(each) not in theirs]
    found: dict[str, Optimizer] = {
        "adam": Adam(others, lr=0.0, betas=(0.9, 0.98), weight_decay=recipe.weight_decay, fused=True)
    }
    for part in range(min(PARTS, len(matrices))):
        own = matrices[part::PARTS]
        found[f"muon{part}"] = Muon(own, lr=0.0, weight_decay=recipe.weight_decay, adjust_lr_fn="match_rms_adamw")
    return found


def stored_state(optimizers: dict[str, Optimizer]) -> dict[str, Tensor]:
    """Return what the optimizers remember, as tensors named ``optimizer.parameter.quantity``."""
    return {
        f"{name}.{index}.{quantity}": value
        for name, optimizer in optimizers.items()
        for index, values in optimizer.state_dict()["state"].items()
        for quantity, value in values.items()
    }


def restore_state(optimizers: dict[str, Optimizer], stored: dict[str, Tensor]) -> None:
    """Put back what `stored_state` gave; other names in `stored` are left alone."""
    for name, optimizer in optimizers.items():
        state: dict[int, dict[str, Tensor]] = {}
        for path, value in stored.items():
            if path.startswith(f"{name}."):
                _, index, quantity = path.split(".")
                state.setdefault(int(index), {})[quantity] = value
        optimizer.load_state_dict(optimizer.state_dict() | {"state": state})
