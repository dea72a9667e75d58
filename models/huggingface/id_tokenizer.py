"""Tokens by their ids alone, free of the marks of any tokenizer of transformers, whether or not it has a fast one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.huggingface.tokens import TextTokenizer
from models.trace import TokenSequence, TraceError
from models.trace.marks import Marks


class IdTokenizer(TextTokenizer):
    """Gives the texts and words of ids that a model read or wrote."""

    def __init__(self, tokenizer: Any) -> None:
        own = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has one beside that of its pictures
        if not hasattr(own, "convert_ids_to_tokens"):
            message = f"tokenizer: got {type(tokenizer).__name__}; expected the model's own, as AutoTokenizer gives it"
            raise TraceError(message)
        decoder = getattr(getattr(own, "backend_tokenizer", None), "decoder", None)
        self._prepare(own, decoder=b"" if decoder is None else decoder.__getstate__())
        if decoder is None:  # a tokenizer written in Python says nowhere which marks it has
            self._marks = Marks.of_vocabulary(set(own.get_vocab()))
        pad, eos = own.pad_token_id, own.eos_token_id
        self.pad: int | None = eos if pad is None else pad
        self.pad_ends = self.pad in (eos, own.bos_token_id, own.sep_token_id, own.cls_token_id)
        """Whether what fills up a row may be an end of its text as well."""

    def ids_of(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of tokens that are given by their names, as ``convert_ids_to_tokens`` gives them."""
        ids: list[int] = [self.tokenizer.convert_tokens_to_ids(each) for each in tokens]  # type: ignore[misc]  # of one
        return ids

    def sequence(self, ids: Sequence[int]) -> TokenSequence:
        """Return ids as tokens; TraceError if the tokenizer does not know one."""
        unknown = [each for each in dict.fromkeys(ids) if self._known(each) is None]
        if unknown:
            message = f"input_ids: the tokenizer has no token {unknown[0]}; is it that of the model?"
            raise TraceError(message)
        return super().sequence(ids)

    def _known(self, token: int) -> str | None:
        try:
            name: Any = self.tokenizer.convert_ids_to_tokens(token) if token >= 0 else None
        except (IndexError, KeyError, OverflowError, ValueError):
            return None
        return None if name is None else str(name)

    def piece(self, token: int) -> str:
        """Return what one token reads, without any mark."""
        name = self._name(token)
        return name if token in self._specials else self._marks.read(name)
