"""One tokenizer per language pair, shared by all its mechanisms: byte-level BPE inside words.

Words are those of `models.translation.words`; pieces never cross them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.trace import TokenSequence
from models.trace.marks import raw_bytes, show_bytes
from models.translation.pieces import token_sequence
from models.translation.words import HAN, normalise, split_words
from models.vocabulary import BEGIN, END

SPECIAL_TOKENS = ("<pad>", "<s>", "</s>")
_FIRST_HAN = re.compile(rf"[{HAN}]")
_LEADING_SPACE = "leading_space"  # in the file, where it is off


def _words_of(text: str, *, leading_space: bool) -> list[str]:
    """Return the words of `text`, a space put before the first unless that is Han and `leading_space` is off."""
    plain = normalise(text)
    if not plain:
        return []
    return split_words(plain if not leading_space and _FIRST_HAN.match(plain) else " " + plain)


class PairTokenizer:
    """The pieces of one language pair."""

    def __init__(self, tokenizer: Tokenizer, *, leading_space: bool = True) -> None:
        tokenizer.encode_special_tokens = True  # a typed "</s>" is text; the setting is not saved in the file
        self.leading_space = leading_space
        self._tokenizer = tokenizer
        expected = tuple(tokenizer.token_to_id(token) for token in SPECIAL_TOKENS)
        if expected != (0, 1, 2):
            message = f"tokenizer: {SPECIAL_TOKENS} have ids {expected}; expected (0, 1, 2). Train it with this module."
            raise ValueError(message)

    @classmethod
    def load(cls, path: Path) -> PairTokenizer:
        """Read ``tokenizer.json``: of the tokenizers library, with a key of ours if it keeps off the leading space."""
        return cls.restored(json.loads(path.read_text(encoding="utf8")))

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> PairTokenizer:
        """Return the tokenizer whose `stored` this is."""
        own = {name: value for name, value in stored.items() if name != _LEADING_SPACE}
        return cls(Tokenizer.from_str(json.dumps(own)), leading_space=stored.get(_LEADING_SPACE, True))

    def stored(self) -> dict[str, Any]:
        """Return what ``tokenizer.json`` holds."""
        own: dict[str, Any] = json.loads(self._tokenizer.to_str())
        return own if self.leading_space else {**own, _LEADING_SPACE: False}

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary: int, *, leading_space: bool = True) -> PairTokenizer:
        """Learn `vocabulary` pieces, special tokens and the 256 bytes included, from `texts` in both languages."""
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary,
            special_tokens=[AddedToken(token, special=True) for token in SPECIAL_TOKENS],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        words = (_words_of(text, leading_space=leading_space) for text in texts)
        tokenizer.train_from_iterator(words, trainer)
        return cls(tokenizer, leading_space=leading_space)

    def save(self, path: Path) -> None:
        """Write ``tokenizer.json``."""
        path.write_text(json.dumps(self.stored(), indent=2, ensure_ascii=False), encoding="utf8")

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def _encode(self, texts: Iterable[str]) -> list[Encoding]:
        words = [_words_of(text, leading_space=self.leading_space) for text in texts]
        if len(words) == 1:  # a batch is shared out among threads, which takes longer than one sentence
            return [self._tokenizer.encode(words[0], is_pretokenized=True, add_special_tokens=False)]
        return self._tokenizer.encode_batch(words, is_pretokenized=True, add_special_tokens=False)

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of each text, without special tokens."""
        return [encoding.ids for encoding in self._encode(texts)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`, special tokens left out; ``decode(encode(s)) == normalise(s)``."""
        return self._tokenizer.decode(list(ids), skip_special_tokens=True).removeprefix(" ")

    def piece(self, token: int) -> str:
        r"""Return what one piece reads; bytes that are no whole character are shown as ``\xe2``."""
        if token < len(SPECIAL_TOKENS):
            return SPECIAL_TOKENS[token]
        return show_bytes(self._raw(token))

    def token(self, index: int) -> str:
        """Return a piece as the vocabulary writes it: a special token, or a character a byte."""
        written = self._tokenizer.id_to_token(index)
        if written is None:
            message = f"no piece has the id {index}; there are {len(self)}"
            raise IndexError(message)
        return written

    def parts(self, written: str) -> list[int]:
        """Return the ids of the pieces that make up what another byte-level vocabulary writes as `written`."""
        if written in SPECIAL_TOKENS:
            return [SPECIAL_TOKENS.index(written)]
        return [part.id for part in self._tokenizer.model.tokenize(written)]

    def _raw(self, token: int) -> bytes:
        return raw_bytes(self.token(token))

    def sequence(self, ids: Iterable[int]) -> TokenSequence:
        """Return `ids` as a record: the words are those of the decoded text, a special token a word of its own."""
        tokens = tuple(ids)
        raws = [None if token < len(SPECIAL_TOKENS) else self._raw(token) for token in tokens]
        return token_sequence(tokens, [self.piece(token) for token in tokens], raws)

    def source(self, text: str) -> TokenSequence:
        """Return the pieces of a source text, closed by ``</s>``."""
        return self.sequence([*self.encode_batch([text])[0], END])

    def target_input(self, target: TokenSequence) -> TokenSequence:
        """Return what a decoder reads in while it writes `target`: ``<s>`` and all but the last token."""
        return self.sequence((BEGIN, *target.ids[:-1]))
