"""The texts of a trace through a network again and again, the same target forced each time.

Edited, with source words left out or in another order, or through fresh weights: what sweeps and bands of chance are
made of, for our own models and for pretrained ones alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.edits import Edit
from models.hooks import capture
from models.networks.base import TranslationNetwork
from models.networks.transformer import TransformerNetwork
from models.sites import Site
from models.trace import AttentionTrace
from models.translation.replaying import Orders, Outcome, Replay, told_by
from models.vocabulary import END


class TranslatorReplay(Replay):
    """A translation again through one of our own networks."""

    def __init__(
        self, trace: AttentionTrace, network: TranslationNetwork, build: Callable[[int], TranslationNetwork]
    ) -> None:
        super().__init__(trace, *told_by(trace))
        self._network, self._build = network, build

    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`; see `Replay.run`.

        Shapes: `orders` [text, position].
        """
        with torch.inference_mode(), capture((), edits):
            memory = self._network.encode(self._sources(orders))
            logits = self._network.decode(memory, self._inputs(orders))  # [text, target, vocabulary]
            logits[..., :END] = -torch.inf  # <pad> and <s> are never written
            return Outcome(chosen(logits, self.trace.target.ids))

    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights at `place`; see `Replay.weights`.

        Shapes: `orders` [text, position].
        """
        with torch.inference_mode(), capture((place.at("weights"),)) as session:
            self._network.decode_states(self._network.encode(self._sources(orders)), self._inputs(orders))
        weights: NDArray[np.float32] = session[place.at("weights")].numpy()
        return weights

    def states(self, orders: Orders, place: Site, edits: Iterable[Edit] = ()) -> NDArray[np.float32]:
        """Return what leaves the layer of `place`; see `Replay.states`.

        Shapes: `orders` [text, position].
        """
        if not isinstance(self._network, TransformerNetwork):
            return super().states(orders, place, edits)
        left = (
            Site("encoder", place.layer, "self") if place.stack == "encoder" else Site("decoder", place.layer, "cross")
        )
        final = left.at("final")
        with torch.inference_mode(), capture((final,), edits) as session:
            self._network.decode_states(self._network.encode(self._sources(orders)), self._inputs(orders))
        found: NDArray[np.float32] = session[final][:, 0].numpy()
        return found

    def fresh(self, seed: int) -> TranslatorReplay:
        """Return the same texts through fresh weights; see `Replay.fresh`."""
        return TranslatorReplay(self.trace, self._build(seed), self._build)

    def _sources(self, orders: Orders) -> Tensor:
        return torch.from_numpy(np.array(self.trace.source.ids)[orders])

    def _inputs(self, orders: Orders) -> Tensor:
        return torch.tensor([self.trace.target_input.ids] * len(orders))


def chosen(logits: Tensor, ids: Iterable[int]) -> NDArray[np.float64]:
    """Return the log-probability of the token `ids[i]` in row i of logits, [text, row, vocabulary]: [text, row].

    Shapes: `logits` [text, row, vocabulary]; returns [text, row].
    """
    wanted = torch.tensor([*ids], dtype=torch.long).expand(len(logits), -1)[..., None]  # [text, row, 1]
    values: Any = logits.gather(2, wanted)[..., 0] - logits.logsumexp(dim=-1)
    found: NDArray[np.float64] = values.double().numpy()
    return found
