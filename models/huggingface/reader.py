"""The texts of a transformers model: read, checked, and turned into what its network takes."""

from __future__ import annotations

import inspect

from torch import Tensor
from transformers import PreTrainedModel

from models.errors import EMPTY, InputError
from models.huggingface.layers import token_limit
from models.huggingface.tokens import Reading, TextTokenizer, clean
from models.messages import CountMessage, Message
from models.translation.words import check_characters

MAX_TOKENS = 1024
"""Longest text, in tokens with the special ones, whatever the model takes."""

_PROBE = "The cat drank the milk because it was hungry."


class Reader:
    """Reads texts for one network.

    Parameters
    ----------
    network : PreTrainedModel
    tokenizer : TextTokenizer
    """

    def __init__(self, network: PreTrainedModel, tokenizer: TextTokenizer) -> None:
        self.tokenizer = tokenizer
        self.longest = min(MAX_TOKENS, tokenizer.longest, token_limit(network))
        """How many tokens a text may have, special ones included."""
        self._config = network.config
        self._takes = frozenset(inspect.signature(network.forward).parameters)

    def takes(self, name: str) -> bool:
        """Return whether the network has an input of this name.

        Parameters
        ----------
        name : str
            Such as ``logits_to_keep``.
        """
        return name in self._takes

    def read(self, source: str, pair: str | None = None) -> Reading:
        """Return the tokens of a text, or of a pair of texts.

        Parameters
        ----------
        source : str
        pair : str, optional
            A second text, read together with the first.

        Raises
        ------
        InputError
            If a text is empty, or its tokenizer leaves out all of it, or they are too long.
        """
        for name, text in (("text", source), ("second text", pair)):
            if text is not None and not clean(text):
                raise InputError(EMPTY[name])
            if text is not None:
                check_characters(text)
        reading = self.tokenizer.read(source, pair)
        tokens = reading.tokens
        nothing = len(tokens.specials) == len(tokens) if pair is None else not {0, 1} <= set(tokens.segments)
        if nothing and reading.notes:
            message = Message(
                "The tokenizer of this model leaves out all of the text ({characters}).",
                characters=reading.notes[0].values["characters"],
            )
            raise InputError(message)
        self._check_length("text" if pair is None else "pair of texts", len(reading.tokens))
        return reading

    def read_target(self, target: str) -> list[int]:
        """Return the ids of a text that is to be forced.

        Parameters
        ----------
        target : str

        Raises
        ------
        InputError
            If it is empty or too long.
        """
        if not clean(target):
            raise InputError(EMPTY["translation"])
        check_characters(target)
        ids = self.tokenizer.target(target)
        self._check_length("translation", len(ids))
        return ids

    def inputs(self, reading: Reading) -> dict[str, Tensor]:
        """Return what the network takes of a reading; one kind of text needs no type.

        Parameters
        ----------
        reading : Reading

        Returns
        -------
        dict of str to Tensor, [1, token]
        """
        types = getattr(self._config, "type_vocab_size", 2)
        unused = set() if types > 1 else {"token_type_ids"}
        return {name: values for name, values in reading.inputs.items() if name in self._takes - unused}

    def probe(self) -> dict[str, Tensor]:
        """Return inputs of a few tokens; with an encoder and a decoder, two lengths, so that self and cross differ."""
        reading = self.tokenizer.read(_PROBE)
        inputs = self.inputs(reading)
        if self._config.is_encoder_decoder:
            inputs["decoder_input_ids"] = inputs["input_ids"][:, : len(reading.tokens) // 2]
        return inputs

    def _check_length(self, name: str, tokens: int) -> None:
        if tokens > self.longest:
            raise InputError(too_long(name, tokens, self.longest))


def too_long(name: str, tokens: int, most: int) -> Message:
    """Say that a text, a pair of texts or a translation has too many tokens.

    Parameters
    ----------
    name : {"text", "pair of texts", "translation"}
    tokens, most : int
    """
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
