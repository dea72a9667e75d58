"""The texts of a trace through a transformers network again and again; see `models.translation.replaying`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from inspect import signature
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedModel

from models.edits import Edit
from models.errors import InputError
from models.huggingface.layers import Layers
from models.huggingface.observed_pass import Pass, observed_pass
from models.huggingface.restarting import Restarts
from models.messages import Message
from models.sites import Site
from models.softmax import full_precision
from models.trace import AttentionTrace
from models.translation.replay import chosen
from models.translation.replaying import Orders, Outcome, Replay, told_by


class PretrainedReplay(Replay):
    """Texts again through a transformers network."""

    def __init__(
        self,
        trace: AttentionTrace,
        inputs: Mapping[str, Tensor],
        network: PreTrainedModel,
        layers: Layers,
        build: Callable[[int], PreTrainedModel],
    ) -> None:
        if trace.source.ids != tuple(inputs["input_ids"][0].tolist()):
            message = f"the trace of {trace.source_text!r} is not of this model, or of another pair of texts"
            raise ValueError(message)
        written, baseline = told_by(trace)
        vocabulary = network.config.get_text_config().vocab_size
        super().__init__(trace, written, baseline, logits=(len(written) + 1) * vocabulary if written else 0)
        self._inputs, self._network, self._layers, self._build = inputs, network, layers, build
        self._restarts: Restarts | None = None

    def beginning_at(self, place: Site) -> PretrainedReplay:
        """Return the same texts, whose runs begin at the layer of `place`; see `Replay.beginning_at`."""
        if not self._layers.observed or self.trace.is_translation:
            return self
        return self._beside(*self._begun().at(place.layer))

    def _begun(self) -> Restarts:
        if self._restarts is None:
            self._restarts = Restarts(self._network, self._layers, lambda *watched: self._beside(*watched)._last())
        return self._restarts

    def _beside(self, network: PreTrainedModel, layers: Layers) -> PretrainedReplay:
        """Return the same texts through a network that has all else in common with the own one."""
        made = copy(self)
        made._network, made._layers = network, layers
        return made

    def _last(self) -> Any:
        """Return what the whole unedited run gives last: logits where it predicts, else the last vectors."""
        done = self._pass(self.as_it_is(1), whole=bool(self.written or self.answers))
        found: Any = done.run.vectors if done.logits is None else done.logits
        return found

    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`; see `Replay.run`.

        Shapes: `orders` [text, position].
        """
        several = tuple(edits)
        if several and not self._layers.observed:
            message = Message(
                "The attention of this model cannot be edited: its library returns weights only after using them."
            )
            raise InputError(message)
        done = self._pass(orders, whole=bool(self.written or self.answers), edits=several)
        vectors = None
        if not self.trace.is_translation and done.run.vectors is not None:
            vectors = done.run.vectors.numpy()
        if self.answers:
            row = done.logits[:, -1].log_softmax(-1)[:, list(self.answers)]  # [text, answer]
            return Outcome(np.zeros((len(orders), 0)), vectors, row.double().numpy())
        if not self.written:
            return Outcome(np.zeros((len(orders), 0)), vectors)
        logits = done.logits if self.trace.is_translation else done.logits[:, -1 - len(self.written) : -1]
        return Outcome(chosen(logits, self.written.ids), vectors)

    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights at `place`; see `Replay.weights`.

        Shapes: `orders` [text, position].
        """
        site = place.at("weights")
        done = self._pass(orders, whole=self.trace.is_translation, patterns=(str(site),))
        weights: NDArray[np.float32] = done.session[site].numpy()
        return weights

    def states(self, orders: Orders, place: Site, edits: Iterable[Edit] = ()) -> NDArray[np.float32]:
        """Return what leaves the layer of `place`; see `Replay.states`.

        Shapes: `orders` [text, position].
        """
        if self.trace.is_translation or not self._layers.observed:
            return super().states(orders, place, edits)
        final, alone = place.at("final"), self._begun().alone(place.layer)
        if alone is not None:
            watched, block = alone
            vectors = self._beside(*watched)._pass(orders, whole=False, edits=tuple(edits)).run.vectors
            last = vectors is not None and place.layer == (self._layers.depth or len(self._layers.sites)) - 1
            return _numbers(vectors if last else block.output)
        done = self._pass(orders, whole=False, patterns=(str(final),), edits=tuple(edits))
        found: NDArray[np.float32] = done.session[final][:, 0].numpy()
        return found

    def fresh(self, seed: int) -> PretrainedReplay:
        """Return the same texts through fresh weights, for their `weights` alone, not vectors; see `Replay.fresh`."""
        network = self._build(seed)
        layers = self._layers.moved(self._network, network)
        return PretrainedReplay(self.trace, self._inputs, network, layers, self._build)

    def _pass(
        self, orders: Orders, *, whole: bool, patterns: tuple[str, ...] = (), edits: tuple[Edit, ...] = ()
    ) -> Pass:
        order = torch.from_numpy(orders)
        inputs: dict[str, Any] = {name: values[0][order] for name, values in self._inputs.items()}
        if self.trace.is_translation:
            inputs["decoder_input_ids"] = torch.tensor([self.trace.target_input.ids] * len(orders))
        elif whole and "logits_to_keep" in signature(self._network.forward).parameters:
            inputs["logits_to_keep"] = 1 if self.answers else len(self.written) + 1
        return observed_pass(self._network, self._layers, inputs, patterns=patterns, edits=edits, whole=whole)


def _numbers(output: Any) -> NDArray[np.float32]:
    """Return what a block gave, its states first if it gave more, in float32."""
    states: Tensor = output[0] if isinstance(output, tuple) else output
    found: NDArray[np.float32] = full_precision(states).cpu().numpy()
    return found
