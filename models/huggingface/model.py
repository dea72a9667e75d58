"""A loaded transformers model: runs a text and gives its `AttentionTrace`, as a `Translator` does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cached_property

import torch
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from models.edits import Edit
from models.edits.edit import edits_given
from models.errors import CaptureError, InputError
from models.huggingface.blocks import Blocks
from models.huggingface.layer_search import find_layers
from models.huggingface.layers import Layers
from models.huggingface.observed_pass import Observed
from models.huggingface.one_stack import read_only
from models.huggingface.papers import PAPERS, UNKNOWN
from models.huggingface.placement import DTYPES
from models.huggingface.predictions import ALTERNATIVES
from models.huggingface.reader import Reader
from models.huggingface.reasons import in_words
from models.huggingface.replay import PretrainedReplay
from models.huggingface.tokens import TextTokenizer, clean
from models.huggingface.two_stacks import write as translate
from models.huggingface.writing import Begun, extended, go_on, is_equal_with_cache
from models.messages import CountMessage, Message
from models.model import Kind, Predicts, stacks_of
from models.networks.seeding import seeded
from models.recording import Recorder, filled_patches, versions
from models.sites import Site, with_weights
from models.softmax import HALF, FullyMaskedRowError
from models.trace import AttentionTrace, Provenance
from models.translation.replaying import check_record
from models.writing import Writing, refuse_writing, writing_of

MOST_FRESH = 400_000_000
"""Weights of a network that may be in memory a second time, drawn anew."""


class PretrainedModel:
    """A transformers model with its tokenizer; see `models.model.Model`. Safe to share between threads."""

    pair: str | None = None

    def __init__(
        self,
        network: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | TextTokenizer,
        *,
        key: str,
        title: str,
        sha256: str = "",
        head: Predicts = "none",
        cited: tuple[str, int] | None = None,
    ) -> None:
        self.key, self.title, self.sha256 = key, title, sha256
        self.paper, self.year = cited or PAPERS.get(network.config.model_type, UNKNOWN)
        self.tokenizer = tokenizer if isinstance(tokenizer, TextTokenizer) else TextTokenizer(tokenizer)
        self.predicts: Predicts = head
        self.mask_token: str | None = self.tokenizer.tokenizer.mask_token
        self.network: PreTrainedModel = network
        nn.Module.eval(network).requires_grad_(False)
        self.network.config.use_cache = False
        if network.dtype not in (torch.float32, *HALF):
            message = Message(
                "{key}: weights in {dtype} are not supported; use {allowed}",
                key=key,
                dtype=str(network.dtype),
                allowed=", ".join(DTYPES),
            )
            raise InputError(message)
        if network.config.is_encoder_decoder and head != "translation":
            message = Message("{title} has no trained output layer, so its decoder cannot generate text.", title=title)
            raise InputError(message)
        self.reader = Reader(network, self.tokenizer)
        self.reader.check_marks(network)
        self.longest = self.reader.longest
        self._layers = self._find_layers()
        self.heads: Mapping[Site, int] = self._layers.heads
        self.stacks = stacks_of(self.heads)
        if head == "causal" and self.kind == "encoder":  # it reads both ways: no next word is left to predict
            self.predicts = "none"
        self.is_translation = self.kind == "encoder-decoder"
        self.takes_pair = self.kind == "encoder"
        self.has_chat = bool(getattr(self.tokenizer.tokenizer, "chat_template", None))
        self.watched = Observed(network, self._layers, self.reader, self._record())
        """The network as it is observed."""
        self.blocks = Blocks(self.watched)
        """Its blocks, part by part, where it is causal and its family is known."""

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places of its attention layers, in the order of firing."""
        return self._layers.sites

    @property
    def editable(self) -> bool:
        """Whether its attention can be edited."""
        return self._layers.observed

    @cached_property
    def keeps_list(self) -> bool:
        """Whether keys and values of its past tokens can be kept while it writes; tried when it first does."""
        return self.predicts == "causal" and is_equal_with_cache(self.watched)

    @property
    def kind(self) -> Kind:
        """What it is: a stack that reads both ways, a causal one, or one of each."""
        if self.network.config.is_encoder_decoder:
            return "encoder-decoder"
        return "decoder" if self.sites[0].stack == "decoder" else "encoder"

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
        """Run the model on a text and return what it attended to."""
        self._check(target, pair)
        writing = None if write is None else self._writing(write)
        chosen = edits_given(edits)
        if chosen and not self.editable:
            message = Message(
                "The attention of {title} cannot be edited: its library returns weights only after using them.",
                title=self.title,
            )
            raise InputError(message)
        patterns = with_weights(sites)
        begun = self._begun(source, pair, chat=writing is not None and writing.chat)
        reading, text = begun.reading, begun.text
        chosen = filled_patches(
            chosen, len(reading.tokens), lambda other: self._given_elsewhere(other, source, target, pair)
        )
        try:
            if writing is not None:
                cached = writing.cache and not chosen and self.keeps_list
                return go_on(self.watched, begun, writing, edits=chosen, patterns=patterns, cached=cached)
            if self.is_translation:
                return translate(self.watched, reading, clean(source), target, edits=chosen, patterns=patterns)
            return read_only(self.watched, reading, text, predicts=self.predicts, edits=chosen, patterns=patterns)
        except FullyMaskedRowError as error:
            message = Message("The edits hide every key from a word. {error}.", error=error)
            raise InputError(message) from error
        except Exception as error:  # what a network of strangers raises on a text that it did not foresee
            ours = isinstance(error, InputError | CaptureError) or (chosen and isinstance(error, ValueError))
            if ours or type(error).__module__ != "builtins":
                raise
            message = Message("{title} cannot read this text ({reason}).", title=self.title, reason=in_words(error))
            raise InputError(message) from error

    def _given_elsewhere(self, text: str, source: str, target: str | None, pair: str | None) -> AttentionTrace:
        """Run another text, made to write what this one is translated to: what patches put in place."""
        written = target
        if self.is_translation and target is None:
            written = self.attend(source).output_text
        return self.attend(text, written, pair=pair, sites=("*.context",))

    def _begun(self, source: str, pair: str | None, *, chat: bool = False) -> Begun:
        """Return what is read of a text, or of a pair of texts, before anything is written."""
        if chat:
            reading, spoken = self.reader.read_chat(source)
            return Begun(reading, clean(source), (("user", *spoken),))
        text = clean(source) if pair is None else f"{clean(source)}\n{clean(pair)}"
        return Begun(self.reader.read(source, pair), text)

    def _writing(self, write: object) -> Writing:
        """Return how the model is to go on with a text, if it can."""
        if self.predicts != "causal":
            refuse_writing(self.title, write)
        found = writing_of(write)
        if found.chat and not self.has_chat:
            raise InputError(Message("The tokenizer of {title} has no chat template.", title=self.title))
        return found

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> PretrainedReplay:
        """Return the texts of `trace`, which this model gave, ready to be run again."""
        check_record(trace)
        source = trace.source_text if pair is None else trace.source_text.removesuffix(f"\n{clean(pair)}")
        self._check(None, pair)
        written = trace.written
        begun = self._begun(source, pair, chat=written is not None and written.asked.chat)
        more = () if written is None else trace.source.ids[written.first :]
        inputs = self.reader.inputs(extended(self.tokenizer, begun.reading, more))
        return PretrainedReplay(trace, inputs, self.network, self._layers, self.fresh_network)

    def fresh_network(self, seed: int) -> PreTrainedModel:
        """Return a network of this architecture with weights as transformers draws them before training."""
        count = sum(each.numel() for each in self.network.parameters())
        if count > MOST_FRESH:
            message = CountMessage(
                "{title} has {count:,} weight. The random copy for comparison is limited to {most:,}.",
                "{title} has {count:,} weights. The random copy for comparison is limited to {most:,}.",
                count,
                title=self.title,
                most=MOST_FRESH,
            )
            raise InputError(message)
        with seeded(seed):
            network = type(self.network)(deepcopy(self.network.config))
        nn.Module.to(network, self.network.device, self.network.dtype)
        nn.Module.eval(network).requires_grad_(False)
        return network

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut `text` after the last word that fits into `longest` tokens, together with `pair` if there is one."""
        return self.tokenizer.fit(text, self.longest, pair=pair)

    def _find_layers(self) -> Layers:
        """Run the network on a text; InputError if it does not run, or its attention cannot be observed."""
        try:
            return find_layers(self.network, self.reader.probe, self.longest)
        except (InputError, SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # what a network that was made by strangers does, panics of Rust among it
            message = Message(
                "{title} cannot be shown: it does not run on text alone ({reason}).",
                title=self.title,
                reason=in_words(error),
            )
            raise InputError(message) from error

    def _check(self, target: str | None, pair: str | None) -> None:
        """Refuse a text that a model of this kind has no use for."""
        if pair is not None and not self.takes_pair:
            message = Message("{title} takes one text. A pair of texts needs a bidirectional model.", title=self.title)
            raise InputError(message)
        if target is not None and not self.is_translation:
            message = Message("{title} does not translate; it takes one text.", title=self.title)
            raise InputError(message)

    def _record(self) -> Recorder:
        """Return what writes the runs of this model down."""
        layers = self._layers
        about = Provenance(
            mechanism="pretrained",
            title=self.title,
            year=self.year,
            paper=self.paper,
            equation=layers.equation,
            checkpoint=self.key,
            sha256=self.sha256,
            versions=versions("torch", "numpy", "transformers", "tokenizers"),
            decoding="none",
        )
        piece = self.tokenizer.piece
        return Recorder(about, layers.sites, layers.causal, layers.rows_sum_to_one, piece, ALTERNATIVES)
