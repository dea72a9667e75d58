"""One tokenizer per language pair, shared by all its mechanisms: byte-level BPE inside words.

A word is a run without white space; each punctuation mark is a word of its own; a French elision ends after its
apostrophe (``l'`` | ``accord``); each Han character is a word. Pieces never cross words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.trace import TokenSequence
from models.vocabulary import BEGIN, END

SPECIAL_TOKENS = ("<pad>", "<s>", "</s>")
_HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=\w)", re.IGNORECASE)
_WORD = re.compile(rf"[{_HAN}]|[^\s{_HAN}]+")


def normalise(text: str) -> str:
    r"""Return `text` as the models see it: NFC, straight apostrophes, single spaces, none at the ends.

    Control characters count as white space; a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> normalise("  l\u2019accord \n\x00 final ")
    "l'accord final"
    """
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    composed = unicodedata.normalize("NFC", whole).replace("\u2019", "'")
    if not composed.isprintable():
        composed = "".join(" " if unicodedata.category(each) in ("Cc", "Zs", "Zl", "Zp") else each for each in composed)
    return " ".join(composed.split())


def is_mark(character: str) -> bool:
    """Return whether a character is a word of its own: punctuation, currency and mathematical signs.

    Parameters
    ----------
    character : str
    """
    return unicodedata.category(character)[0] == "P" or unicodedata.category(character) in ("Sc", "Sm")


def split_words(text: str) -> list[str]:
    """Cut normalised text into words, the white space before a word kept with it.

    An apostrophe between two letters belongs to their word (``don't``) unless it ends a French elision.
    Joining the words gives the text back.

    Parameters
    ----------
    text : str
        Normalised.

    Examples
    --------
    >>> split_words("L'accord, c'est fini.")
    ["L'", 'accord', ',', " c'", 'est', ' fini', '.']
    """
    words: list[str] = []
    end = 0
    for run in _WORD.finditer(text):
        for start, stop in _split_run(run.group()):
            words.append(text[end : run.start() + start] + run.group()[start:stop])
            end = run.start() + stop
    if end < len(text):
        words.append(text[end:])  # white space at the end, which normalised text has not
    return words


def _split_run(run: str) -> Iterator[tuple[int, int]]:
    """Cut a run without white space at its punctuation marks and elisions, as (start, stop) pairs."""
    start = 0
    for index, character in enumerate(run):
        if not is_mark(character):
            continue
        inside = 0 < index < len(run) - 1 and run[index - 1].isalpha() and run[index + 1].isalpha()
        if character == "'" and inside:
            elision = _ELISION.match(run, start)
            if elision and elision.end() == index + 1:
                yield start, index + 1
                start = index + 1
            continue
        if start < index:
            yield start, index
        yield index, index + 1
        start = index + 1
    if start < len(run):
        yield start, len(run)


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


def _byte_of_character() -> dict[str, int]:
    """Return the byte that each character of the byte-level alphabet stands for (its definition: GPT-2)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}


_BYTES = _byte_of_character()


def raw_bytes(token: str) -> bytes:
    """Return the bytes that a token of a byte-level vocabulary stands for; KeyError if it is not of one.

    Parameters
    ----------
    token : str
    """
    return bytes(_BYTES[each] for each in token)


def show_bytes(raw: bytes) -> str:
    r"""Return what a piece reads; bytes that are no whole character are shown as ``\xe2``.

    Parameters
    ----------
    raw : bytes
    """
    return raw.decode("utf-8", "backslashreplace")


def token_sequence(ids: Sequence[int], texts: Sequence[str], raws: Sequence[bytes | None]) -> TokenSequence:
    """Return pieces as a record.

    Parameters
    ----------
    ids : sequence of int
    texts : sequence of str
        What each piece reads.
    raws : sequence of bytes or None
        What each adds to the text in UTF-8; None for a special token, which is a word of its own.
    """
    words: list[int] = []
    word_texts: list[str] = []
    for special, run in groupby(range(len(ids)), key=lambda position: raws[position] is None):
        positions = list(run)
        if special:
            indices, new = list(range(len(positions))), [texts[position] for position in positions]
        else:
            indices, new = group_words([raw for position in positions if (raw := raws[position]) is not None])
        words.extend(len(word_texts) + index for index in indices)
        word_texts.extend(new)
    specials = tuple(position for position, raw in enumerate(raws) if raw is None)
    return TokenSequence(tuple(texts), tuple(ids), tuple(words), tuple(word_texts), specials)


def group_words(raws: list[bytes]) -> tuple[list[int], list[str]]:
    """Return, for pieces as bytes, the index of each one's word and the words' texts.

    A model may write pieces that make no whole character or that meet inside one word; a piece belongs to the word
    of its first byte.

    Parameters
    ----------
    raws : sequence of bytes
    """
    text = b"".join(raws).decode("utf-8", "surrogateescape")  # a stray byte becomes one lone surrogate
    words = [word.encode("utf-8", "surrogateescape") for word in split_words(text)]
    starts = [0]
    for raw in raws:
        starts.append(starts[-1] + len(raw))
    indices, bounds = assign_words(starts[:-1], [len(word) for word in words])
    return indices, [b"".join(words[a:b]).decode("utf-8", "replace").strip() for a, b in bounds]


def assign_words(starts: Sequence[int], lengths: Sequence[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return each piece to the word in which it begins; a word in which none begins goes to the one before it.

    Parameters
    ----------
    starts : sequence of int
        Where each piece begins, never going back.
    lengths : sequence of int
        Of the words, which follow on one another from 0, in the same unit.

    Returns
    -------
    indices : list of int
        For each piece the index of its word, none left out.
    bounds : list of (int, int)
        For each of those, the first of the given words that it holds and the one after its last.

    Examples
    --------
    >>> assign_words([0, 2, 9], [4, 3, 5])
    ([0, 0, 1], [(0, 2), (2, 3)])
    """
    owners = [index for index, length in enumerate(lengths) for _ in range(length)]  # [unit]
    first = [owners[start] for start in starts]
    begun = sorted(set(first))
    return [begun.index(word) for word in first], list(zip(begun, [*begun[1:], len(lengths)], strict=True))
