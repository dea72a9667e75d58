"""A loaded language model with a memory: reads a text, attends over what it has read, predicts each next word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.edits import Edit
from models.edits.edit import edits_given
from models.errors import CaptureError, InputError
from models.hooks import Session, capture
from models.huggingface.embedded import Local
from models.huggingface.pen import Pen
from models.huggingface.predictions import ALTERNATIVES, predictions_of
from models.huggingface.tokens import TextTokenizer, TokenizedText
from models.huggingface.writing import check_known, check_room, extended, told
from models.messages import Message, mark
from models.model import Kind, Predicts
from models.networks.lstmn import LSTMN
from models.networks.memory_models import MEMORY, N_GRAM, AttentiveLanguageModel, LanguageModel, NGramLanguageModel
from models.networks.seeding import building, seeded
from models.readers.reading import Described, TextReader, card_of, open_tokenizer, opening, weights_of
from models.sites import Site, with_weights
from models.softmax import FullyMaskedRowError
from models.trace import AttentionTrace
from models.trace.written import Continuation
from models.translation.replay import chosen
from models.translation.replaying import Orders, Outcome, Replay, told_by
from models.writing import Writing, writing_of

BOUNDARY = "<|endoftext|>"
"""Stands before every text, as in the small GPT, whose tokenizer these models share."""


def _told(mechanism: str, equation: str) -> Described:
    return Described(mechanism, equation, causal=True, alternatives=ALTERNATIVES)


ABOUT: Mapping[str, Described] = {
    "attention": _told("attention-lm", mark("section 3.1, equations 1 to 4: each output is key, value and prediction")),
    "key-value": _told("key-value", mark("section 3.2, equations 6 to 10: key and value are halves of each output")),
    "key-value-predict": _told(
        "key-value-predict", mark("section 3.3, equations 11 and 12: key, value and prediction are thirds")
    ),
    N_GRAM: _told("n-gram-rnn", mark("section 3.4, equations 13 and 14: slices of the last outputs, concatenated")),
    "lstmn": _told("lstmn", mark("section 3.2, equations 4 to 9: intra-attention over all previous states and cells")),
}


def network_of(memory: str, sizes: Mapping[str, int]) -> LanguageModel:
    """Return a language model with weights as drawn before training."""
    kinds: dict[str, Any] = {N_GRAM: NGramLanguageModel, "lstmn": LSTMN}
    network: LanguageModel = kinds.get(memory, AttentiveLanguageModel)(**sizes)
    return network


class LanguageReader(TextReader):
    """A language model with a memory and its tokenizer; see `models.model.Model`. Safe to share between threads."""

    kind: Kind = "decoder"
    predicts: Predicts = "causal"

    def __init__(self, network: LanguageModel, tokenizer: TextTokenizer, local: Local, card: Mapping[str, Any]) -> None:
        super().__init__(network, tokenizer, local, card, network.heads, ABOUT[card["recipe"]["memory"]])
        self.network = network

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
        """Run the model on a text; see `models.model.Model.attend`."""
        reading, wanted = self.read(source, target, pair), edits_given(edits)
        writing = None if write is None else writing_of(write)
        patterns = with_weights(sites)
        if wanted and not self.heads:
            raise CaptureError(Message("{title} has no attention that can be edited.", title=self.title))
        first, pen = len(reading.tokens), None
        try:
            if writing is not None:
                reading, pen = self._go_on(reading, writing, wanted)
            patterns = patterns if self.heads else ()
            with torch.inference_mode(), capture(patterns, wanted, copies=False, norms=True) as session:
                states = self.network.states(reading.inputs["input_ids"])
                logits = self.network.logits(states)
        except FullyMaskedRowError as error:
            message = Message("The edits hide every key from a word. {error}.", error=error)
            raise InputError(message) from error
        predictions = predictions_of(logits[0], reading.tokens, (), self.tokenizer.piece)
        trace = self.record(source, reading, session, wanted, predictions=predictions, vectors=states[0].numpy())
        if writing is None or pen is None:
            return trace
        return told(trace, Continuation(writing, first, pen.ended), self.tokenizer.decode)

    def _go_on(self, reading: TokenizedText, writing: Writing, edits: tuple[Edit, ...]) -> tuple[TokenizedText, Pen]:
        """Return a text with what the model writes after it: it keeps no list, and reads all again for each token."""
        if writing.chat:
            raise InputError(Message("The tokenizer of {title} has no chat template.", title=self.title))
        check_room(self.longest, len(reading.tokens), writing)
        rows = self.network.output_bias.shape[0]
        check_known(writing.begin, rows)
        end = self.tokenizer.tokenizer.eos_token_id
        pen, reading = Pen(writing, ends=(end,), known=rows), extended(self.tokenizer, reading, writing.begin)
        while not pen.is_done:
            ids = extended(self.tokenizer, reading, pen.ids).inputs["input_ids"]
            with torch.inference_mode(), capture((), edits):
                logits = self.network.logits(self.network.states(ids)[:, -1])
            pen.next(logits[0])
        return extended(self.tokenizer, reading, pen.ids), pen

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> LanguageReplay:
        """Return the text of `trace`, ready to be run again; see `models.model.Model.replay`."""
        return LanguageReplay(trace, self.network, self.card)


class LanguageReplay(Replay):
    """One text through a language model again and again; see `models.translation.replaying.Replay`."""

    def __init__(self, trace: AttentionTrace, network: LanguageModel, card: Mapping[str, Any]) -> None:
        written, baseline = told_by(trace)
        super().__init__(trace, written, baseline, logits=len(trace.source) * network.output_bias.shape[0])
        self._network, self._card = network, card

    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`; see `Replay.run`.

        Shapes: `orders` [text, position].
        """
        states, _session = self._pass(orders, tuple(edits), ())
        with torch.inference_mode():
            logits = self._network.logits(states[:, :-1])
        return Outcome(chosen(logits, self.written.ids), states.numpy())

    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights, [text, 1, piece, piece]; see `Replay.weights`.

        Shapes: `orders` [text, position].
        """
        _states, session = self._pass(orders, (), (str(MEMORY),))
        found: NDArray[np.float32] = session[place.at("weights")].numpy()
        return found

    def fresh(self, seed: int) -> LanguageReplay:
        """Return the same text through weights that `seed` gives; see `Replay.fresh`."""
        with seeded(seed):
            network = network_of(self._card["recipe"]["memory"], self._card["network"])
        return LanguageReplay(self.trace, network.eval().requires_grad_(False), self._card)

    def _pass(self, orders: Orders, edits: tuple[Edit, ...], sites: tuple[str, ...]) -> tuple[Tensor, Session]:
        ids = torch.tensor(self.trace.source.ids)[torch.from_numpy(orders)]
        with torch.inference_mode(), capture(sites, edits, copies=False) as session:
            states = self._network.states(ids)
        return states, session


def load_language(local: Local) -> LanguageReader:
    """Load the language model in the folder of `local`, ready to `attend`."""
    with opening(local):
        card = card_of(local)
        with building():
            network = network_of(card["recipe"]["memory"], card["network"])
        network.load_state_dict(weights_of(local))
        return LanguageReader(network, open_tokenizer(local, card, bos_token=BOUNDARY, eos_token=BOUNDARY), local, card)
