"""The texts of a trace through a network again and again, the same target forced each time.

Edited, with source words left out or in another order, or through fresh weights: what sweeps and bands of chance are
made of, for our own models and for pretrained ones alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.edits import Edit
from models.hooks import capture
from models.networks.base import TranslationNetwork
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence
from models.vocabulary import END

BATCH = 24
"""Texts that run at once, if they are short."""

CELLS = 2**24
"""How many weights of one layer are held at once: fewer long texts run at once than short ones."""

Orders = NDArray[np.int64]
"""Positions of the source that are read, in the order in which they are: [text, position]."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a batch of runs gave.

    Parameters
    ----------
    log_probabilities : float64 array, [text, written]
        Natural logarithm of the probability of each token of `Replay.written`.
    vectors : float32 array, [text, token, d_model], optional
        The final vectors of what was read, of a model of one stack.
    """

    log_probabilities: NDArray[np.float64]
    vectors: NDArray[np.float32] | None = None


class Replay(ABC):
    """The texts of one trace, ready to be run again.

    Parameters
    ----------
    trace : AttentionTrace
        Nothing edited.
    written : TokenSequence
        The tokens whose log-probability is known: the target, or of a causal text those that follow another.
    baseline : float64 array, [written]
        Their log-probabilities in the trace.
    logits : int, optional
        What one run holds of them; 0 if that is little.
    most_logits : int, optional
        How many may be held at once.
    """

    def __init__(
        self,
        trace: AttentionTrace,
        written: TokenSequence,
        baseline: NDArray[np.float64],
        *,
        logits: int = 0,
        most_logits: int = 2**24,
    ) -> None:
        self.trace, self.written, self.baseline = trace, written, baseline
        cells = max((each.weights.size for each in trace), default=0)
        self.most = max(1, min(BATCH, CELLS // max(cells, 1), most_logits // max(logits, 1)))
        """How many runs are made at once at most."""

    @abstractmethod
    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`, [text, position], all in one batch, under `edits`.

        Parameters
        ----------
        orders : int array, [text, position]
            What is read of the source; see `as_it_is`.
        edits : iterable of Edit
            A `BatchRowEdit` for what is done to one row alone.

        Returns
        -------
        Outcome

        Raises
        ------
        InputError
            If the attention of the model cannot be edited.
        """

    @abstractmethod
    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights at `place`, run once for each row of `orders`: [text, head, query, key].

        Parameters
        ----------
        orders : int array, [text, position]
            What is read of the source; see `as_it_is`.
        place : Site
            ``stack.layer.kind``.
        """

    @abstractmethod
    def fresh(self, seed: int) -> Replay:
        """Return the same texts through a network of the same architecture, with weights that `seed` gives.

        Parameters
        ----------
        seed : int
        """

    def as_it_is(self, count: int) -> Orders:
        """Return the whole source, in its order, `count` times.

        Parameters
        ----------
        count : int

        Returns
        -------
        int array, [count, position]
        """
        return np.tile(np.arange(len(self.trace.source)), (count, 1))

    @property
    def free_words(self) -> tuple[int, ...]:
        """The words of the source that can be moved or left out: all that are no special token."""
        source = self.trace.source
        kept = {source.words[position] for position in source.specials}
        return tuple(word for word in range(len(source.word_texts)) if word not in kept)


class TranslatorReplay(Replay):
    """A translation again through one of our own networks.

    Parameters
    ----------
    trace : AttentionTrace
    network : TranslationNetwork
    build : callable
        Gives a network of the same architecture, with the weights that a seed gives.
    """

    def __init__(
        self, trace: AttentionTrace, network: TranslationNetwork, build: Callable[[int], TranslationNetwork]
    ) -> None:
        super().__init__(trace, trace.target, log_probabilities_of(trace))
        self._network, self._build = network, build

    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`; see `Replay.run`.

        Parameters
        ----------
        orders : int array, [text, position]
        edits : iterable of Edit, optional
        """
        with torch.inference_mode(), capture((), edits):
            memory = self._network.encode(self._sources(orders))
            logits = self._network.decode(memory, self._inputs(orders))  # [text, target, vocabulary]
            logits[..., :END] = -torch.inf  # <pad> and <s> are never written
            return Outcome(chosen(logits, self.trace.target.ids))

    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights at `place`; see `Replay.weights`.

        Parameters
        ----------
        orders : int array, [text, position]
        place : Site
        """
        with torch.inference_mode(), capture((place.at("weights"),)) as session:
            self._network.decode_states(self._network.encode(self._sources(orders)), self._inputs(orders))
        weights: NDArray[np.float32] = session[place.at("weights")].numpy()
        return weights

    def fresh(self, seed: int) -> TranslatorReplay:
        """Return the same texts through fresh weights; see `Replay.fresh`.

        Parameters
        ----------
        seed : int
        """
        return TranslatorReplay(self.trace, self._build(seed), self._build)

    def _sources(self, orders: Orders) -> Tensor:
        return torch.from_numpy(np.array(self.trace.source.ids)[orders])

    def _inputs(self, orders: Orders) -> Tensor:
        return torch.tensor([self.trace.target_input.ids] * len(orders))


def log_probabilities_of(trace: AttentionTrace) -> NDArray[np.float64]:
    """Return the log-probability of each token that `trace` wrote, [target].

    Parameters
    ----------
    trace : AttentionTrace

    Returns
    -------
    float64 array, [target]
        Natural logarithms.
    """
    return np.array([step.log_probability for step in trace.steps], dtype=np.float64)


def chosen(logits: Tensor, ids: Iterable[int]) -> NDArray[np.float64]:
    """Return the log-probability of the token `ids[i]` in row i of logits, [text, row, vocabulary]: [text, row].

    Parameters
    ----------
    logits : Tensor, [text, row, vocabulary]
    ids : iterable of int
        One a row.

    Returns
    -------
    float64 array, [text, row]
        Natural logarithms.
    """
    wanted = torch.tensor([*ids], dtype=torch.long).expand(len(logits), -1)[..., None]  # [text, row, 1]
    values: Any = logits.gather(2, wanted)[..., 0] - logits.logsumexp(dim=-1)
    found: NDArray[np.float64] = values.double().numpy()
    return found
