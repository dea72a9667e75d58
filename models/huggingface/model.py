"""A loaded transformers model: runs a text and gives its `AttentionTrace`, as a `Translator` does."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from models.edits import Edit
from models.errors import EMPTY, InputError
from models.hooks import Session, capture
from models.huggingface.attention import Run, running
from models.huggingface.layers import Layers, find_layers, token_limit
from models.huggingface.observed_pass import observed_pass
from models.huggingface.papers import ATTENTION, PAPERS
from models.huggingface.predictions import predictions_of, steps_of
from models.huggingface.replay import PretrainedReplay
from models.huggingface.tokens import Reading, TextTokenizer, clean
from models.messages import CountMessage, Message
from models.model import Kind, Predicts, stacks_of
from models.networks.seeding import seeded
from models.sites import Site, with_weights
from models.softmax import FullyMaskedRowError
from models.trace import AttentionMap, AttentionTrace, Prediction, Provenance, TokenSequence
from models.translation.decoding import step_limit

MAX_TOKENS = 1024
"""Longest text, in tokens with the special ones, whatever the model takes."""

LOGITS = 2**22
"""How many logits are held at once; of a longer causal text only the last positions predict."""

MOST_FRESH = 400_000_000
"""Weights of a network that may be in memory a second time, drawn anew."""

_PROBE = "The cat drank the milk because it was hungry."


class PretrainedModel:
    """A transformers model with its tokenizer; see `models.model.Model`. Safe to share between threads.

    Parameters
    ----------
    network : PreTrainedModel
        Loaded with ``attn_implementation=NAME``, in float32; put in evaluation mode, its weights never changed.
    tokenizer : PreTrainedTokenizerBase or TextTokenizer
        The first a fast one.
    key : str
        What `models.load` takes for it.
    title : str
        Its name.
    sha256 : str
        Hash of its weights.
    head : {"none", "causal", "masked", "translation"}
        What `network` predicts with trained weights.
    cited : tuple of (str, int), optional
        The paper that describes it, and its year; those of its family if left out.

    Raises
    ------
    InputError
        If its attention cannot be observed; says why.
    """

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
        self.paper, self.year = cited or PAPERS.get(network.config.model_type, ATTENTION)
        self.tokenizer = tokenizer if isinstance(tokenizer, TextTokenizer) else TextTokenizer(tokenizer)
        self.predicts: Predicts = head
        self.mask_token: str | None = self.tokenizer.tokenizer.mask_token
        self.network: PreTrainedModel = network
        nn.Module.eval(network).requires_grad_(False)
        self.network.config.use_cache = False
        if any(each.dtype != torch.float32 for each in network.parameters() if each.is_floating_point()):
            message = Message("{key}: weights that are not float32; load the model with dtype=torch.float32", key=key)
            raise InputError(message)
        if network.config.is_encoder_decoder and head != "translation":
            message = Message(
                "{title} has no trained head that writes, so that its decoder has nothing to say.", title=title
            )
            raise InputError(message)
        self._takes = frozenset(inspect.signature(network.forward).parameters)
        self.longest = min(MAX_TOKENS, self.tokenizer.longest, token_limit(network))
        self._layers = self._find_layers()
        self.heads: Mapping[Site, int] = self._layers.heads
        self.stacks = stacks_of(self.heads)
        self.is_translation = self.kind == "encoder-decoder"
        self.takes_pair = self.kind == "encoder"

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places of its attention layers, in the order of firing."""
        return self._layers.sites

    @property
    def editable(self) -> bool:
        """Whether its attention can be edited."""
        return self._layers.observed

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
    ) -> AttentionTrace:
        """Run the model on a text and return what it attended to.

        Parameters
        ----------
        source : str
            The text to read. An encoder with a head for it predicts each mask token in it (``[MASK]``).
        target : str, optional
            For an encoder-decoder: the text to force; without it the model writes its own, greedily.
        pair : str, optional
            For an encoder: a second text, read together with the first.
        edits : iterable of Edit
            Interventions, applied in this order.
        sites : iterable of str or Site
            What to capture, as for `models.translation.translator.Translator.attend`. ``output`` is what the output
            projection gives, where the model has one right after its heads.

        Returns
        -------
        AttentionTrace

        Raises
        ------
        InputError
            If a text is empty or too long, the model has no use for a second one, its attention cannot be edited, or
            an edit leaves a token nothing to read.
        CaptureError
            If a site or an edit names a place or a quantity that the model does not have.

        Examples
        --------
        >>> from models import load
        >>> trace = load("hf:minilm").attend("The cat sleeps.")
        >>> trace["encoder.5.self"].weights.shape
        (12, 6, 6)
        """
        reading, chosen = self._read(source, target, pair), tuple(edits)
        if chosen and not self.editable:
            message = Message(
                "The attention of {title} cannot be edited: it does not pass through the hooks.", title=self.title
            )
            raise InputError(message)
        patterns = with_weights(sites)
        try:
            if self.kind != "encoder-decoder":
                return self._read_only(source, pair, reading, chosen, patterns)
            return self._written(source, target, reading, chosen, patterns)
        except FullyMaskedRowError as error:
            message = Message("The edits leave a word nothing to read. {error}.", error=error)
            raise InputError(message) from error

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> PretrainedReplay:
        """Return the texts of `trace`, which this model gave, ready to be run again.

        Parameters
        ----------
        trace : AttentionTrace
            Nothing edited.
        pair : str, optional
            The second text, if there was one.

        Returns
        -------
        PretrainedReplay

        Raises
        ------
        ValueError
            If the trace is not of this model, or of another pair.
        """
        source = trace.source_text if pair is None else trace.source_text.removesuffix(f"\n{clean(pair)}")
        inputs = self._inputs(self._read(source, None, pair))
        return PretrainedReplay(trace, inputs, self.network, self._layers, self.fresh_network)

    def fresh_network(self, seed: int) -> PreTrainedModel:
        """Return a network of this architecture with weights as transformers draws them before training.

        Parameters
        ----------
        seed : int

        Returns
        -------
        PreTrainedModel

        Raises
        ------
        InputError
            If it has more than `MOST_FRESH` weights.
        """
        count = sum(each.numel() for each in self.network.parameters())
        if count > MOST_FRESH:
            message = CountMessage(
                "{title} has {count:,} weight; at most {most:,} are drawn anew beside those trained.",
                "{title} has {count:,} weights; at most {most:,} are drawn anew beside those trained.",
                count,
                title=self.title,
                most=MOST_FRESH,
            )
            raise InputError(message)
        with seeded(seed):
            network = type(self.network)(deepcopy(self.network.config))
        nn.Module.eval(network).requires_grad_(False)
        return network

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut `text` after the last word that fits into `longest` tokens, together with `pair` if there is one.

        Parameters
        ----------
        text : str
        pair : str, optional
            A second text, which is left whole. If it leaves no room at all, nothing is cut: `attend` says so.

        Returns
        -------
        text : str
            `text` as it is if it fits; else its beginning. A first word that is longer than that is cut inside.
        left_out : int
            How many words of `text` are not, or not whole, in it.

        Examples
        --------
        >>> from models import load
        >>> load("hf:minilm").fit("The cat sleeps.")
        ('The cat sleeps.', 0)
        """
        return self.tokenizer.fit(text, self.longest, pair=pair)

    def _find_layers(self) -> Layers:
        """Run the network on a text; InputError if it does not run, or its attention cannot be observed."""
        try:
            return find_layers(self.network, self._probe())
        except InputError:
            raise
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            message = Message(
                "{title} cannot be shown: it does not run on a text alone ({reason}).", title=self.title, reason=reason
            )
            raise InputError(message) from error

    def _probe(self) -> dict[str, Tensor]:
        """Return inputs of a few tokens; with an encoder and a decoder, two lengths, so that self and cross differ."""
        reading = self.tokenizer.read(_PROBE)
        inputs = self._inputs(reading)
        if self.network.config.is_encoder_decoder:
            inputs["decoder_input_ids"] = inputs["input_ids"][:, : len(reading.tokens) // 2]
        return inputs

    def _inputs(self, reading: Reading) -> dict[str, Tensor]:
        """Return what the network takes of a reading; one kind of text needs no type."""
        types = getattr(self.network.config, "type_vocab_size", 2)
        unused = set() if types > 1 else {"token_type_ids"}
        return {name: values for name, values in reading.inputs.items() if name in self._takes - unused}

    def _read(self, source: str, target: str | None, pair: str | None) -> Reading:
        if pair is not None and self.kind != "encoder":
            message = Message(
                "{title} reads one text; a pair of texts is for models that read both ways.", title=self.title
            )
            raise InputError(message)
        if target is not None and self.kind != "encoder-decoder":
            message = Message("{title} writes no translation; it reads one text.", title=self.title)
            raise InputError(message)
        for name, text in (("text", source), ("second text", pair)):
            if text is not None and not clean(text):
                raise InputError(EMPTY[name])
        reading = self.tokenizer.read(source, pair)
        self._check_length("text" if pair is None else "pair of texts", len(reading.tokens))
        return reading

    def _check_length(self, name: str, tokens: int) -> None:
        if tokens > self.longest:
            raise InputError(_too_long(name, tokens, self.longest))

    def _read_only(
        self, source: str, pair: str | None, reading: Reading, edits: tuple[Edit, ...], patterns: tuple[str, ...]
    ) -> AttentionTrace:
        """Return the trace of a one-stack model."""
        tokens = reading.tokens
        inputs: dict[str, Any] = dict(self._inputs(reading))
        hidden = self.tokenizer.mask if self.predicts == "masked" else None
        masks = [position for position, token in enumerate(tokens.ids) if token == hidden]
        predicts = bool(masks) or self.predicts == "causal"
        if self.predicts == "causal" and "logits_to_keep" in self._takes:
            kept = min(len(tokens), max(1, LOGITS // self.network.config.get_text_config().vocab_size))
            inputs["logits_to_keep"] = kept
        done = observed_pass(self.network, self._layers, inputs, patterns=patterns, edits=edits, whole=predicts)
        predictions: tuple[Prediction, ...] = ()
        if predicts:
            predictions = predictions_of(done.logits[0], tokens, masks, self.tokenizer.piece)
        nothing = TokenSequence((), (), (), ())
        return AttentionTrace(
            source=tokens,
            target=nothing,
            target_input=nothing,
            maps=self._maps(done.session, edits, tokens, nothing, nothing),
            steps=(),
            source_text=clean(source) if pair is None else f"{clean(source)}\n{clean(pair)}",
            output_text="",
            provenance=self._provenance(len(tokens), edits, done.session, "none"),
            predictions=predictions,
            vectors=_vectors(done.run),
        )

    def _written(
        self, source: str, target: str | None, reading: Reading, edits: tuple[Edit, ...], patterns: tuple[str, ...]
    ) -> AttentionTrace:
        """Return the trace of a model that reads one text and writes another."""
        inputs = self._inputs(reading)
        if target is None:
            read_in, ids = self._generate(inputs, edits)
        elif not clean(target):
            raise InputError(EMPTY["translation"])
        else:
            ids = self.tokenizer.target(target)
            self._check_length("translation", len(ids))
            read_in = self._shifted(ids)
        given = inputs | {"decoder_input_ids": torch.tensor([read_in])}
        done = observed_pass(self.network, self._layers, given, patterns=patterns, edits=edits, whole=True)
        written, read = self.tokenizer.sequence(ids), self.tokenizer.sequence(read_in)
        decoding: Literal["greedy", "forced"] = "greedy" if target is None else "forced"
        ended = target is not None or ids[-1] == self.tokenizer.tokenizer.eos_token_id
        cut = () if ended else (_cut_after(len(ids)),)
        return AttentionTrace(
            source=reading.tokens,
            target=written,
            target_input=read,
            maps=self._maps(done.session, edits, reading.tokens, read, written),
            steps=steps_of(done.logits[0], written, self.tokenizer.piece),
            source_text=clean(source),
            output_text=self.tokenizer.decode(ids),
            provenance=self._provenance(max(len(reading.tokens), len(ids)), edits, done.session, decoding, cut),
            vectors=_vectors(done.run),
        )

    def _generate(self, inputs: Mapping[str, Tensor], edits: tuple[Edit, ...]) -> tuple[list[int], list[int]]:
        """Return what the decoder reads in and writes, greedily, under `edits`; each step is a whole pass, uncached."""
        limit = min(step_limit(inputs["input_ids"].shape[1]), self.longest - 1)
        with torch.inference_mode(), running(Run(self._layers.places)), capture((), edits):
            options = {"do_sample": False, "num_beams": 1, "max_new_tokens": limit, "use_cache": False}
            generate: Any = self.network.generate
            ids = generate(**inputs, **options)[0].tolist()
        return ids[:-1], ids[1:]

    def _shifted(self, ids: list[int]) -> list[int]:
        """Return what the decoder reads in while it writes `ids`."""
        shift: Any = getattr(self.network, "prepare_decoder_input_ids_from_labels", None)
        if shift is not None:
            shifted: list[int] = shift(labels=torch.tensor([ids]))[0].tolist()
            return shifted
        return [self.network.config.decoder_start_token_id, *ids[:-1]]

    def _maps(
        self,
        session: Session,
        edits: tuple[Edit, ...],
        source: TokenSequence,
        read_in: TokenSequence,
        written: TokenSequence,
    ) -> tuple[AttentionMap, ...]:
        places = {site.place for site in session.sites}
        maps = []
        for place in (site for site in self.sites if site in places):
            own = read_in if place.stack == "decoder" and self.kind == "encoder-decoder" else source
            queries, keys = (own, own) if place.kind == "self" else (written, source)
            others = [site for site in session.sites if site.place == place and site.quantity != "weights"]
            loose = any(edit.applies_to(place.at(edit.quantity)) and not edit.keeps_row_sums for edit in edits)
            each = AttentionMap(
                site=place,
                weights=_given(session.take(place.at("weights"))[0]),
                query_tokens=queries,
                key_tokens=keys,
                companions={site.quantity: session.take(site)[0].numpy() for site in others},
                rows_sum_to_one=self._layers.rows_sum_to_one and not loose,
                causal=place in self._layers.causal,
            )
            maps.append(each)
        return tuple(maps)

    def _provenance(
        self,
        tokens: int,
        edits: tuple[Edit, ...],
        session: Session,
        decoding: Literal["greedy", "forced", "none"],
        cut: tuple[str, ...] = (),
    ) -> Provenance:
        idle = [
            Message("no effect: {edit} (no such row or word here, or it is so already)", edit=edit.describe())
            for edit in session.idle_edits
        ]
        return Provenance(
            mechanism="pretrained",
            title=self.title,
            year=self.year,
            paper=self.paper,
            equation=self._layers.equation,
            checkpoint=self.key,
            sha256=self.sha256,
            versions=_versions(),
            decoding=decoding,
            edits=edits,
            notes=(*self._layers.notes(tokens), *idle, *cut),
        )


def _cut_after(tokens: int) -> Message:
    """Say that the text which a model wrote was ended for it."""
    return CountMessage(
        "cut after {count} token: the model did not end its text",
        "cut after {count} tokens: the model did not end its text",
        tokens,
    )


def _too_long(name: str, tokens: int, most: int) -> Message:
    """Say that a text, a pair of texts or a translation has too many tokens."""
    if name == "pair of texts":
        return CountMessage(
            "The pair of texts has {count} token; this model takes {most} at most. Shorten it.",
            "The pair of texts has {count} tokens; this model takes {most} at most. Shorten it.",
            tokens,
            most=most,
        )
    if name == "translation":
        return CountMessage(
            "The translation has {count} token; this model takes {most} at most. Shorten it.",
            "The translation has {count} tokens; this model takes {most} at most. Shorten it.",
            tokens,
            most=most,
        )
    return CountMessage(
        "The text has {count} token; this model takes {most} at most. Shorten it.",
        "The text has {count} tokens; this model takes {most} at most. Shorten it.",
        tokens,
        most=most,
    )


def _given(values: Tensor) -> NDArray[Any]:
    """Return a tensor that nobody else holds as an array that a record keeps without a copy."""
    array: NDArray[Any] = values.numpy()
    array.setflags(write=False)
    return array


def _vectors(run: Run) -> Any:
    return None if run.vectors is None else run.vectors[0].numpy()


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of what the figures depend on; read once, since it means a walk through site-packages."""
    return tuple((name, version(name)) for name in ("torch", "numpy", "transformers", "tokenizers"))
