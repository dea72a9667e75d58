"""Training of a captioner: cross entropy of the words, and the penalty of doubly stochastic attention if wanted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.captioning.entry import describe_captioner
from models.networks.show_tell import ShowTellNetwork
from models.scenes.words import WORDS
from models.translation.checkpoints import read_weights
from models.vocabulary import PAD
from training.captions.evaluate import measure
from training.captions.recipe import CaptionRecipe
from training.captions.scenes import Batch, scenes_to_watch, training_batches
from training.optimizers import build_optimizers
from training.progress import Progress, learning_rate


class CaptionTrainer:
    """One run."""

    def __init__(self, recipe: CaptionRecipe) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe = recipe
        self.sizes: dict[str, Any] = {"vocabulary": len(WORDS), "dropout": recipe.dropout}
        self.network = ShowTellNetwork(**self.sizes, hard=recipe.hard)
        if recipe.start:
            entry = describe_captioner(recipe.start)
            self.network.load_state_dict(read_weights(entry.folder, entry.card))
        self.average = AveragedModel(self.network, multi_avg_fn=get_ema_multi_avg_fn(recipe.average_decay))  # type: ignore[no-untyped-call]
        self.optimizers = build_optimizers(self.network, recipe)
        self.progress = Progress()
        self._rows: list[Tensor] = []
        self.network.attend.weights.register_forward_hook(lambda _module, _given, shown: self._rows.append(shown))

    def run(self, note: Callable[[dict[str, Any]], None], *, every: int = 1000) -> ShowTellNetwork:
        """Train to the end, tell `note` how it goes, and return the averaged network."""
        recipe = self.recipe
        chance, begun = np.random.default_rng(recipe.seed), time.process_time()
        size, drawn = recipe.scenes_per_batch, recipe.scenes_drawn
        for batch in training_batches(chance, recipe.scenes, size, drawn=drawn):
            loss = self._update(batch)
            self.progress.step, self.progress.tokens = self.progress.step + 1, self.progress.tokens + len(batch.scenes)
            self.progress.seconds = time.process_time() - begun
            if self.progress.step % every == 0:
                note(self._told(loss))
        note(self._told(loss))
        return self.averaged()

    def averaged(self) -> ShowTellNetwork:
        """Return the average of the weights so far."""
        network = ShowTellNetwork(**self.sizes, hard=self.recipe.hard)
        network.load_state_dict(self.average.module.state_dict())
        return network.eval()

    def _told(self, loss: float) -> dict[str, Any]:
        seen = {"scenes": self.progress.tokens, "seconds": round(self.progress.seconds), "loss": round(loss, 4)}
        return measure(self.averaged(), scenes_to_watch()) | seen

    def _update(self, batch: Batch) -> float:
        for group in (group for each in self.optimizers.values() for group in each.param_groups):
            group["lr"] = learning_rate(self.recipe, self.progress)
        self._rows.clear()
        self.network.zero_grad(set_to_none=True)
        logits = self.network.decode(self.network.encode(batch.scenes), batch.inputs)
        loss: Any = nn.functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=PAD)
        total = loss
        if self.recipe.doubly_stochastic:
            rows = torch.cat(self._rows, dim=2)[:, 0]  # [scene, word, cell]
            total = loss + self.recipe.doubly_stochastic * uneven(rows, batch.labels != PAD)
        total.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip_norm)
        for optimizer in self.optimizers.values():
            optimizer.step()
        self.average.update_parameters(self.network)
        return float(loss.detach())


def uneven(weights: Tensor, written: Tensor) -> Tensor:
    """Return how unevenly captions attend to cells: mean_i (1 - sum_t alpha_ti / (words / cells))^2.

    Xu et al. 2015, equation 14, has 1 in the place of words / cells.

    Shapes: `weights` [scene, word, cell]; `written` [scene, word], False of padding.
    """
    fair = written.sum(dim=1, keepdim=True) / weights.shape[-1]  # [scene, 1]
    share = (weights * written[..., None]).sum(dim=1) / fair  # [scene, cell]
    return ((1 - share) ** 2).mean()
