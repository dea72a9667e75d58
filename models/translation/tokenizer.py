"""One tokenizer per language pair, shared by all its mechanisms: byte-level BPE inside words.

Words are those of `models.translation.words`; pieces never cross them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.trace import TokenSequence
from models.translation.pieces import raw_bytes, show_bytes, token_sequence
from models.translation.words import normalise, split_words
from models.vocabulary import BEGIN, END

SPECIAL_TOKENS = ("<pad>", "<s>", "</s>")


class PairTokenizer:
    """The pieces of one language pair.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        Byte-level BPE with the full byte alphabet.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.encode_special_tokens = True  # a typed "</s>" is text; the setting is not saved in the file
        self._tokenizer = tokenizer
        expected = tuple(tokenizer.token_to_id(token) for token in SPECIAL_TOKENS)
        if expected != (0, 1, 2):
            message = f"tokenizer: {SPECIAL_TOKENS} have ids {expected}; expected (0, 1, 2). Train it with this module."
            raise ValueError(message)

    @classmethod
    def load(cls, path: Path) -> PairTokenizer:
        """Read ``tokenizer.json``.

        Parameters
        ----------
        path : Path
        """
        return cls(Tokenizer.from_file(str(path)))

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary: int) -> PairTokenizer:
        """Learn `vocabulary` pieces, special tokens and the 256 bytes included, from `texts` in both languages.

        Parameters
        ----------
        texts : iterable of str
        vocabulary : int
        """
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary,
            special_tokens=[AddedToken(token, special=True) for token in SPECIAL_TOKENS],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        tokenizer.train_from_iterator((split_words(" " + normalise(text)) for text in texts), trainer)
        return cls(tokenizer)

    def save(self, path: Path) -> None:
        """Write ``tokenizer.json``.

        Parameters
        ----------
        path : Path
        """
        self._tokenizer.save(str(path))

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def _encode(self, texts: Iterable[str]) -> list[Encoding]:
        words = [split_words(" " + normalise(text)) if normalise(text) else [] for text in texts]
        return self._tokenizer.encode_batch(words, is_pretokenized=True, add_special_tokens=False)

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """Return the ids of each text, without special tokens.

        Parameters
        ----------
        texts : sequence of str
        """
        return [encoding.ids for encoding in self._encode(texts)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`, special tokens left out; ``decode(encode(s)) == normalise(s)``.

        Parameters
        ----------
        ids : sequence of int
        """
        return self._tokenizer.decode(list(ids), skip_special_tokens=True).removeprefix(" ")

    def piece(self, token: int) -> str:
        r"""Return what one piece reads; bytes that are no whole character are shown as ``\xe2``.

        Parameters
        ----------
        token : int
            Its vocabulary index.
        """
        if token < len(SPECIAL_TOKENS):
            return SPECIAL_TOKENS[token]
        return show_bytes(self._raw(token))

    def _raw(self, token: int) -> bytes:
        token_text = self._tokenizer.id_to_token(token)
        if token_text is None:
            message = f"no piece has the id {token}; there are {len(self)}"
            raise IndexError(message)
        return raw_bytes(token_text)

    def sequence(self, ids: Iterable[int]) -> TokenSequence:
        """Return `ids` as a record: the words are those of the decoded text, a special token a word of its own.

        Parameters
        ----------
        ids : sequence of int

        Returns
        -------
        TokenSequence
        """
        tokens = tuple(ids)
        raws = [None if token < len(SPECIAL_TOKENS) else self._raw(token) for token in tokens]
        return token_sequence(tokens, [self.piece(token) for token in tokens], raws)

    def source(self, text: str) -> TokenSequence:
        """Return the pieces of a source text, closed by ``</s>``.

        Parameters
        ----------
        text : str

        Returns
        -------
        TokenSequence
        """
        return self.sequence([*self.encode_batch([text])[0], END])

    def target_input(self, target: TokenSequence) -> TokenSequence:
        """Return what a decoder reads in while it writes `target`: ``<s>`` and all but the last token.

        Parameters
        ----------
        target : TokenSequence

        Returns
        -------
        TokenSequence
        """
        return self.sequence((BEGIN, *target.ids[:-1]))
