"""The marks with which tokenizers write their tokens: one table of them, and what a token reads without."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from dataclasses import dataclass

from models.trace.tokens import is_mark

_BLANK, _SPACE, _CONTINUED, _CONTINUES, _ENDS = "\u2581", "\u0120", "##", "@@", "</w>"
_FALLBACK = re.compile(r"<0x([0-9A-F]{2})>")
_PART = re.compile(rf"{_CONTINUED}\w")


def _byte_of_character() -> dict[str, int]:
    """Return the byte that each character of the byte-level alphabet stands for (its definition: GPT-2)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}


_LEVEL = _byte_of_character()
_BYTES = frozenset(map(chr, range(256)))


def byte_characters(text: str) -> list[str]:
    """Return `text` as a byte-level vocabulary writes it: a character for each byte of its UTF-8."""
    alphabet = {byte: character for character, byte in _LEVEL.items()}
    return [alphabet[byte] for byte in text.encode()]


def raw_bytes(token: str) -> bytes:
    """Return the bytes that a token of a byte-level vocabulary stands for; KeyError if it is not of one."""
    return bytes(_LEVEL[each] for each in token)


def show_bytes(raw: bytes) -> str:
    r"""Return what a piece reads; bytes that are no whole character are shown as ``\xe2``."""
    return raw.decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Marks:
    """How the tokens of one vocabulary are written; without any of these, a blank as SentencePiece writes it."""

    byte_level: bool = False  # a character for each byte, as GPT-2 has it
    of_bytes: bool = False  # a token for each byte
    word_pieces: bool = False  # ``##`` begins a piece that goes on
    continues: bool = False  # ``@@`` ends a piece after which the word goes on
    word_end: str = ""  # what ends the last piece of a word

    @classmethod
    def of_vocabulary(cls, names: Set[str]) -> Marks:
        """Tell the marks by a whole vocabulary, for tokenizers that say nowhere which they have."""
        if any(name.startswith(_BLANK) for name in names):  # SentencePiece: other signs are signs of the text
            return cls()
        of_bytes = names >= _BYTES and not any(len(name) == 1 and name not in _BYTES for name in names)
        return cls(
            byte_level=not of_bytes and sum(name.startswith(_SPACE) for name in names) > 1,
            of_bytes=of_bytes,
            word_pieces=any(name.startswith(_CONTINUED) and name != _CONTINUED for name in names),
            continues=any(name.endswith(_CONTINUES) and name != _CONTINUES for name in names),
            word_end=_ENDS if any(name.endswith(_ENDS) for name in names) else "",
        )

    @classmethod
    def of_text(cls, tokens: Sequence[str]) -> Marks:
        """Tell the marks by the tokens of one text, of which no tokenizer is known."""
        names = [each for each in tokens if not is_special(each)]
        if any(name.startswith(_BLANK) for name in names):
            return cls()
        word_end = _ENDS if any(name.endswith(_ENDS) for name in names) else ""
        if word_pieces := any(map(_PART.match, names)):
            return cls(word_pieces=word_pieces)
        stems = [name.removesuffix(word_end) for name in names]
        of_bytes = set(names) <= _BYTES and _reads(names, {each: ord(each) for each in _BYTES})
        return cls(
            byte_level=not of_bytes and (any(name.startswith(_SPACE) for name in names) or _reads(stems, _LEVEL)),
            of_bytes=of_bytes,
            continues=any(name.endswith(_CONTINUES) and name != _CONTINUES for name in names),
            word_end=word_end,
        )

    def raw(self, name: str) -> bytes:
        """Return what a token adds to the text, in UTF-8."""
        if self.of_bytes and len(name) == 1:
            return name.encode("latin-1")
        if self.continues:
            goes_on = name.endswith(_CONTINUES)
            return _utf8(name.removesuffix(_CONTINUES) if goes_on else f"{name.removesuffix(self.word_end)} ")
        if self.word_pieces:
            return _utf8(name.removeprefix(_CONTINUED) if name.startswith(_CONTINUED) else f" {name}")
        ends_word = bool(self.word_end) and name.endswith(self.word_end)
        stem, after = (name.removesuffix(self.word_end), b" ") if ends_word else (name, b"")
        if self.byte_level:
            try:
                return raw_bytes(stem) + after
            except KeyError:  # an added token is in the vocabulary as it is typed
                return _utf8(name)
        if ends_word:
            return _utf8(stem) + after
        fallback = _FALLBACK.fullmatch(name)
        return bytes.fromhex(fallback[1]) if fallback else _utf8(name.replace(_BLANK, " "))

    def read(self, name: str) -> str:
        """Return what one token reads, without any mark; a blank before it is kept where the mark says there is one."""
        raw = show_bytes(self.raw(name))
        return raw.strip() or raw if self.word_pieces or self.continues or self.word_end else raw


def is_special(name: str) -> bool:
    """Return whether a token of a vocabulary reads as the mark of a beginning or an end; a byte of a text is none."""
    is_private = len(name) == 1 and unicodedata.category(name) == "Co"  # CANINE's
    return is_private or (is_mark(name) and not _FALLBACK.fullmatch(name))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _reads(names: Sequence[str], alphabet: dict[str, int]) -> bool:
    """Return whether names, written in an alphabet of bytes, are a text beyond ASCII."""
    try:
        return not bytes(alphabet[each] for name in names for each in name).decode("utf-8").isascii()
    except (KeyError, UnicodeDecodeError):
        return False
