"""The texts of a transformers model: read, checked, and turned into what its network takes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from models.errors import EMPTY, InputError
from models.huggingface.layers import token_limit
from models.huggingface.placement import note_of
from models.huggingface.tokens import TextTokenizer, TokenizedText, clean
from models.messages import CountMessage, Message
from models.translation.words import check_characters

MAX_TOKENS = 1024
"""Longest text, in tokens with the special ones, whatever the model takes."""

_NAMED = 5
"""Tokens that are named in a message."""

_PROBE = "The cat drank the milk because it was hungry."


class Reader:
    """Reads texts for one network."""

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer) -> None:
        self.tokenizer = tokenizer
        self.longest = min(MAX_TOKENS, tokenizer.longest, token_limit(network))
        """How many tokens a text may have, special ones included."""
        self.rows = _embedding_rows(network)
        """How many tokens have an embedding: what the tokenizer knows beside them cannot be read."""
        self.notes = (*self._unread(), *note_of(network))
        """What a reader of every trace must know: tokens without an embedding, other numbers than float32."""
        self.ends = _ends(network, tokenizer)
        """The tokens that end a text."""
        self._config = network.config
        self._takes = frozenset(inspect.signature(network.forward).parameters)

    def takes(self, name: str) -> bool:
        """Return whether the network has an input of this name."""
        return name in self._takes

    def read(self, source: str, pair: str | None = None) -> TokenizedText:
        """Return the tokens of a text, or of a pair of texts."""
        for name, text in (("text", source), ("second text", pair)):
            if text is not None and not clean(text):
                raise InputError(EMPTY[name])
            if text is not None:
                check_characters(text)
        reading = self.tokenizer.read(source, pair)
        tokens = reading.tokens
        nothing = len(tokens.specials) == len(tokens) if pair is None else not {0, 1} <= set(tokens.segments)
        if nothing and reading.left_out is not None:
            message = Message(
                "The tokenizer of this model leaves out the whole text ({characters}).",
                characters=reading.left_out,
            )
            raise InputError(message)
        self._check_length("text" if pair is None else "pair of texts", len(reading.tokens))
        self._check_ids(tokens.ids)
        return reading

    def read_chat(self, source: str) -> tuple[TokenizedText, tuple[int, int]]:
        """Return the tokens of a text as the words of the user of a chat, and from where to where these are."""
        if not clean(source):
            raise InputError(EMPTY["text"])
        check_characters(source)
        reading, spoken = self.tokenizer.read_chat(source)
        self._check_length("text", len(reading.tokens))
        self._check_ids(reading.tokens.ids)
        return reading, spoken

    def read_target(self, target: str) -> list[int]:
        """Return the ids of a text that is to be forced."""
        if not clean(target):
            raise InputError(EMPTY["translation"])
        check_characters(target)
        ids = self.tokenizer.target(target)
        self._check_length("translation", len(ids))
        self._check_ids(ids)
        return ids

    def inputs(self, reading: TokenizedText) -> dict[str, Tensor]:
        """Return what the network takes of a reading; one kind of text needs no type.

        Shapes: returns [1, token].
        """
        types = getattr(self._config, "type_vocab_size", 2)
        unused = set() if types > 1 else {"token_type_ids"}
        return {name: values for name, values in reading.inputs.items() if name in self._takes - unused}

    def probe(self, tokens: int | None = None) -> dict[str, Tensor]:
        """Return inputs of a few tokens; with an encoder and a decoder, two lengths, so that self and cross differ."""
        text = _PROBE if not tokens else " ".join(f"{_PROBE} {number}" for number in range(1, 1 + tokens // 4))
        inputs = {name: values[:, : tokens or None] for name, values in self.inputs(self.tokenizer.read(text)).items()}
        if self._config.is_encoder_decoder:
            inputs["decoder_input_ids"] = inputs["input_ids"][:, : (inputs["input_ids"].shape[1] + 1) // 2]
        return inputs

    def _unread(self) -> tuple[Message, ...]:
        names = self.tokenizer.beyond(self.rows)
        if not names:
            return ()
        return (
            CountMessage(
                "{count} token of its tokenizer has no embedding and cannot be used: {names}",
                "{count} tokens of its tokenizer have no embedding and cannot be used: {names}",
                len(names),
                names=", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else ""),
            ),
        )

    def check_marks(self, network: PreTrainedModel) -> None:
        """Raise InputError if a token that is put around every text, or begins every translation, has no embedding."""
        self._check_ids(self.tokenizer.read(_PROBE).tokens.ids)
        if not self._config.is_encoder_decoder:
            return
        own, names = self._config, ("decoder_start_token_id", "bos_token_id", "pad_token_id")
        starts = [getattr(holder, names[0], None) for holder in (network.generation_config, own)]
        starts += [getattr(own, name, None) for name in names[1:]]  # as transformers generates; T5 begins with padding
        start = next((each for each in starts if each is not None), None)
        if not isinstance(start, int) or not 0 <= start < self.rows:
            raise InputError(Message("The configuration of this model has no start token for a translation."))
        own.decoder_start_token_id = start
        if network.generation_config is not None:
            network.generation_config.decoder_start_token_id = start

    def _check_ids(self, ids: Sequence[int]) -> None:
        unknown = dict.fromkeys(token for token in ids if token >= self.rows)
        if unknown:
            names = [self.tokenizer.piece(token) for token in unknown]
            message = CountMessage(
                "{names} has no embedding in this model: its embedding table has {rows:,} rows, but its "
                "tokenizer has more tokens.",
                "{names} have no embedding in this model: its embedding table has {rows:,} rows, but its "
                "tokenizer has more tokens.",
                len(names),
                names=", ".join(names[:_NAMED]),
                rows=self.rows,
            )
            raise InputError(message)

    def _check_length(self, name: str, tokens: int) -> None:
        if tokens > self.longest:
            raise InputError(too_long(name, tokens, self.longest))


def _ends(network: PreTrainedModel, tokenizer: TextTokenizer) -> frozenset[int]:
    """Return the tokens with which a text ends, as its tokenizer or its way of generating names them."""
    holders = (getattr(network, "generation_config", None), network.config)
    named = [getattr(holder, "eos_token_id", None) for holder in holders]
    named += [tokenizer.tokenizer.eos_token_id]
    each = (one for some in named for one in (some if isinstance(some, list | tuple) else [some]))
    return frozenset(one for one in each if isinstance(one, int))


def _embedding_rows(network: PreTrainedModel) -> int:
    """Return how many tokens every table of token embeddings of a network has; a large number if there is none."""
    stacks: Any = network
    parts = [stacks.get_encoder(), stacks.get_decoder()] if network.config.is_encoder_decoder else [network]
    return min(map(_rows_of, parts))


def _rows_of(part: Any) -> int:
    try:
        table = part.get_input_embeddings()
    except (AttributeError, NotImplementedError):
        table = getattr(part, "embed_tokens", None)
    return table.num_embeddings if isinstance(table, nn.Embedding) else 10**9


def too_long(name: str, tokens: int, most: int) -> Message:
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
