"""A recipe of a captioner: everything that its training depends on, in one TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from training.recipes import OPTIMIZERS, read_values


@dataclass(frozen=True, slots=True)
class CaptionRecipe:
    """What to train, and how. The scenes are drawn by the seed."""

    key: str  # name of the model and of its folder
    start: str = ""  # key of the captioner whose weights it begins with; empty for random ones
    hard: bool = False  # whether one cell is read a step, drawn from the row
    doubly_stochastic: float = 0.0  # lambda of Xu et al. 2015, equation 14
    dropout: float = 0.1
    scenes: int = 160_000  # when to stop: scenes seen
    scenes_drawn: int = 40_000  # different draws, which are seen again and again
    scenes_per_batch: int = 128
    optimizer: str = "adam"
    learning_rate: float = 3e-3
    warmup_steps: int = 100
    decay_share: float = 0.6
    clip_norm: float = 1.0
    weight_decay: float = 0.0
    average_decay: float = 0.99
    seed: int = 1

    @property
    def target_tokens(self) -> int:
        """When to stop, as the schedule of the rate counts: in scenes."""
        return self.scenes


def read_caption_recipe(path: Path) -> CaptionRecipe:
    """Read a TOML recipe; RecipeError names what is wrong in it."""
    return CaptionRecipe(**read_values(path, CaptionRecipe, ("key",), {"optimizer": OPTIMIZERS}))
