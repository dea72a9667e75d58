"""A loaded self-attentive reader: hops read a sentence, and a classifier says of which kind of text it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.edits import Edit
from models.edits.edit import edits_given
from models.errors import InputError
from models.hooks import Session, capture
from models.huggingface.embedded import Local
from models.huggingface.tokens import TextTokenizer
from models.messages import CountMessage, Message, mark
from models.model import Kind, Predicts
from models.networks.seeding import building, seeded
from models.networks.self_attentive import HOPS, SelfAttentiveNetwork
from models.readers.reading import Described, TextReader, card_of, open_tokenizer, opening, weights_of
from models.sites import Site, with_weights
from models.softmax import FullyMaskedRowError
from models.trace import AttentionTrace, TokenSequence
from models.translation.replaying import Orders, Outcome, Replay, told_by
from models.writing import Writing, refuse_writing

MECHANISM = "self-attentive"
"""What records call it, with the penalty or without."""

EQUATION = mark("section 2.1, equations 6 and 7; the penalty is equation 8")

CLASSES = (
    mark("everyday"),
    mark("parliament"),
    mark("novel"),
    mark("picture caption"),
    mark("service talk"),
    mark("word problem"),
)
"""What the shipped ones tell apart, for the catalogues."""

UNKNOWN = "[UNK]"


class SelfAttentiveReader(TextReader):
    """A self-attentive network with its tokenizer; see `models.model.Model`. Safe to share between threads."""

    kind: Kind = "encoder"
    predicts: Predicts = "class"

    def __init__(
        self, network: SelfAttentiveNetwork, tokenizer: TextTokenizer, local: Local, card: Mapping[str, Any]
    ) -> None:
        super().__init__(network, tokenizer, local, card, {HOPS: 1}, Described(MECHANISM, EQUATION))
        self.network = network
        self.labels: tuple[str, ...] = tuple(card["recipe"]["labels"])

    def attend(
        self,
        source: str,
        target: str | None = None,
        *,
        pair: str | None = None,
        edits: Iterable[Edit] = (),
        sites: Iterable[str | Site] = ("*.weights",),
        write: int | Writing | None = None,
    ) -> AttentionTrace:
        """Run the model on a sentence; see `models.model.Model.attend`."""
        refuse_writing(self.title, write)
        reading, chosen = self.read(source, target, pair), edits_given(edits)
        try:
            with torch.inference_mode(), capture(with_weights(sites), chosen, copies=False) as session:
                scores, _weights = self.network(reading.inputs["input_ids"])
        except FullyMaskedRowError as error:
            message = Message("The edits hide every key from a hop. {error}.", error=error)
            raise InputError(message) from error
        classes = tuple(zip(self.labels, scores[0].softmax(dim=-1).tolist(), strict=True))
        return self.record(source, reading, session, chosen, _unknown(reading.tokens), classes=classes)

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> SelfAttentiveReplay:
        """Return the text of `trace`, ready to be run again; see `models.model.Model.replay`."""
        return SelfAttentiveReplay(trace, self.network, self.card)


class SelfAttentiveReplay(Replay):
    """One sentence through a self-attentive network again and again; see `models.translation.replaying.Replay`."""

    def __init__(self, trace: AttentionTrace, network: SelfAttentiveNetwork, card: Mapping[str, Any]) -> None:
        super().__init__(trace, *told_by(trace))
        self._network, self._card = network, card

    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`: how likely the class is that the trace holds for likeliest, [text, 1].

        Shapes: `orders` [text, position].
        """
        scores, _session = self._pass(orders, tuple(edits))
        chosen = scores.double().log_softmax(dim=-1)[:, list(self.written.ids)]  # [text, 1]
        return Outcome(chosen.numpy())

    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights, [text, 1, hop, piece]; see `Replay.weights`.

        Shapes: `orders` [text, position].
        """
        found: NDArray[np.float32] = self._pass(orders, ())[1][place.at("weights")].numpy()
        return found

    def fresh(self, seed: int) -> SelfAttentiveReplay:
        """Return the same sentence through weights that `seed` gives; see `Replay.fresh`."""
        with seeded(seed):
            network = SelfAttentiveNetwork(**self._card["network"])
        return SelfAttentiveReplay(self.trace, network.eval().requires_grad_(False), self._card)

    def _pass(self, orders: Orders, edits: tuple[Edit, ...]) -> tuple[Tensor, Session]:
        """Return what the classes score, [text, class], and what was captured."""
        ids = torch.tensor(self.trace.source.ids)[torch.from_numpy(orders)]
        with torch.inference_mode(), capture((str(HOPS),), edits, copies=False) as session:
            scores, _weights = self._network(ids)
        return scores, session


def load_reader(local: Local) -> SelfAttentiveReader:
    """Load the self-attentive reader in the folder of `local`, ready to `attend`."""
    with opening(local):
        card = card_of(local)
        with building():
            network = SelfAttentiveNetwork(**card["network"])
        network.load_state_dict(weights_of(local))
        return SelfAttentiveReader(network, open_tokenizer(local, card, unk_token=UNKNOWN), local, card)


def _unknown(tokens: TokenSequence) -> tuple[str, ...]:
    """Say how many pieces stand for a word that is in no list of the tokenizer."""
    count = tokens.texts.count(UNKNOWN)
    if not count:
        return ()
    return (
        CountMessage(
            "{count} subword of this text is unknown to the model, which sees {mark} there",
            "{count} subwords of this text are unknown to the model, which sees {mark} there",
            count,
            mark=UNKNOWN,
        ),
    )
