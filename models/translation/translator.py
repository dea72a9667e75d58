"""A loaded translation model: runs a sentence and gives its `AttentionTrace`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Literal, cast

import torch
from torch import Tensor

from models.edits import Edit
from models.edits.edit import edits_given
from models.errors import InputError
from models.hooks import Session, capture
from models.mechanisms import Mechanism
from models.messages import Message
from models.model import Kind, Predicts, stacks_of
from models.networks.base import TranslationNetwork
from models.networks.seeding import seeded
from models.recording import Recorder, filled_patches, versions
from models.sites import Site, with_weights
from models.softmax import FullyMaskedRowError
from models.trace import AttentionTrace, Provenance, TokenSequence
from models.trace.tokens import RecordedTexts
from models.trace.written import Continuation
from models.translation.checkpoints import alignment_of, leave_in_file
from models.translation.decoding import forced_logits, greedy, step_limit
from models.translation.entry import Entry
from models.translation.replay import TranslatorReplay
from models.translation.texts import as_read, capitals, cut_after, fit_text, nothing_to_read, read_text
from models.translation.tokenizer import PairTokenizer
from models.translation.words import normalise
from models.vocabulary import BEGIN
from models.writing import Writing, begun_by

ALTERNATIVES = 5
"""How many of the likeliest tokens a step keeps."""


class Translator:
    """A translation model with its tokenizer and card; see `models.model.Model`. Safe to share between threads."""

    kind: Kind = "translator"
    predicts: Predicts = "translation"
    is_translation = True
    mask_token: str | None = None
    takes_pair = False
    has_chat = False

    def __init__(
        self,
        entry: Entry,
        network: TranslationNetwork,
        tokenizer: PairTokenizer,
        fill: Callable[[], TranslationNetwork] | None = None,
    ) -> None:
        self.entry = entry
        self.key, self.title, self.sha256 = entry.key, entry.mechanism.title, entry.sha256
        self.pair: str | None = entry.pair
        self._fill, self._filling = fill, Lock()
        self._network = self._ready(network) if fill is None else None
        self.tokenizer = tokenizer
        self.heads: Mapping[Site, int] = network.heads
        self.stacks = stacks_of(self.heads)
        self.editable = bool(self.heads)
        self._recorder = self._record()

    @property
    def network(self) -> TranslationNetwork:
        """What runs."""
        if self._network is None and self._fill is not None:
            with self._filling:
                self._network = self._network or self._ready(self._fill())
        return cast("TranslationNetwork", self._network)

    def _ready(self, network: TranslationNetwork) -> TranslationNetwork:
        leave_in_file(network.for_inference(), self.entry.folder, self.entry.card)
        return network

    @property
    def mechanism(self) -> Mechanism:
        """What it is, in words."""
        return self.entry.mechanism

    @property
    def card(self) -> dict[str, Any]:
        """What its ``card.json`` says."""
        return self.entry.card

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
        """Run the model on a sentence and return what it attended to."""
        self._refuse_second(pair)
        begin = begun_by(self.title, write, vocabulary=len(self.tokenizer))
        if begin and target is not None:
            raise InputError(Message("Give a whole translation or its beginning, not both."))
        source_tokens = read_text(self.tokenizer, source, "sentence")
        forced = None if target is None else read_text(self.tokenizer, target, "translation")
        chosen = filled_patches(
            edits_given(edits), len(source_tokens), lambda text: self._given_elsewhere(text, source, target)
        )
        try:
            with torch.inference_mode(), capture(self.patterns(sites), chosen, copies=False, norms=True) as session:
                memory = self.network.encode(torch.tensor([source_tokens.ids]))
                limit = step_limit(len(source_tokens))
                ids, logits = self._greedy(memory, limit, begin) if forced is None else self._forced(memory, forced)
        except FullyMaskedRowError as error:
            raise InputError(nothing_to_read(self.tokenizer, error, source_tokens, forced)) from error
        written = forced or self.tokenizer.sequence(ids)
        texts = RecordedTexts(source_tokens, self.tokenizer.target_input(written), written)
        trace = self.record(source, texts, session, logits, edits=chosen, forced=forced is not None)
        return replace(trace, written=Continuation(Writing(0, begin=begin), len(begin))) if begin else trace

    def _given_elsewhere(self, text: str, source: str, target: str | None) -> AttentionTrace:
        """Run another text, made to write `target`, or what `source` is translated to: what patches put in place."""
        written = self.attend(source).output_text if target is None else target
        return self.attend(text, written, sites=("*.context",))

    def record(
        self,
        source: str,
        texts: RecordedTexts,
        session: Session,
        logits: Tensor,
        *,
        edits: tuple[Edit, ...] = (),
        forced: bool = False,
        batched: bool = False,
        drafted: bool = False,
    ) -> AttentionTrace:
        """Return the record of a run of one sentence.

        Shapes: `logits` [target, vocabulary].
        """
        decoding: Literal["greedy", "forced"] = "forced" if forced else "greedy"
        notes = (*capitals(self.tokenizer, source), *self.network.notes(len(texts.source)))
        about = self._recorder.provenance(session, edits, decoding, notes=notes, cut=cut_after(texts.written))
        return AttentionTrace(
            source=texts.source,
            target=texts.written,
            target_input=texts.read_in,
            maps=self._recorder.maps(session, texts, edits),
            steps=self._recorder.steps(logits, texts.written),
            source_text=normalise(as_read(self.tokenizer, source)),
            output_text=self.tokenizer.decode(texts.written.ids),
            provenance=replace(about, batched=batched, drafted=drafted) if batched or drafted else about,
        )

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> TranslatorReplay:
        """Return the texts of `trace`, which this model gave with nothing edited, ready to be run again."""
        self._refuse_second(pair)
        return TranslatorReplay(trace, self.network, self.fresh_network)

    def _refuse_second(self, pair: str | None) -> None:
        if pair is not None:
            message = Message("{title} takes one text. A pair of texts needs a bidirectional model.", title=self.title)
            raise InputError(message)

    def fresh_network(self, seed: int) -> TranslationNetwork:
        """Return a network of this architecture with the weights that training starts from."""
        with seeded(seed):
            made: TranslationNetwork = self.mechanism.build(**self.card["network"])
        return made.eval().requires_grad_(False)

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut `text` after the last word that fits into `models.translation.texts.MAX_PIECES`."""
        self._refuse_second(pair)
        return fit_text(self.tokenizer, text)

    def patterns(self, sites: Iterable[str | Site]) -> tuple[str, ...]:
        """Return what to capture: less the patterns that may match nothing, where there is no attention to match."""
        patterns = with_weights(sites)
        return patterns if self.mechanism.has_attention else tuple(each for each in patterns if "*" not in each)

    def _greedy(self, memory: Any, limit: int, begin: tuple[int, ...]) -> tuple[Sequence[int], Tensor]:
        steps = list(greedy(self.network, memory, batch=1, limit=len(begin) + limit, begin=begin))
        return [int(token) for token, _ in steps], torch.cat([logits for _, logits in steps])

    def _forced(self, memory: Any, target: TokenSequence) -> tuple[Sequence[int], Tensor]:
        return target.ids, forced_logits(self.network, memory, torch.tensor([(BEGIN, *target.ids[:-1])]))[0]

    def _record(self) -> Recorder:
        """Return what writes the runs of this model down."""
        what = self.mechanism
        about = Provenance(
            mechanism=what.key,
            title=what.title,
            year=what.year,
            paper=what.paper,
            equation=what.equation,
            checkpoint=self.key,
            sha256=self.sha256,
            versions=versions("torch", "numpy", "tokenizers"),
            decoding="none",
            alignment=alignment_of(self.card),
        )
        causal = frozenset(place for place in self.heads if (place.stack, place.kind) == ("decoder", "self"))
        places = tuple(self.heads)
        return Recorder(about, places, causal, what.rows_sum_to_one, self.tokenizer.piece, ALTERNATIVES)
