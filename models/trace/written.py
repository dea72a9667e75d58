"""What a model wrote after what it was given: how, from which token on, and the keys and values it kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.errors import InputError
from models.trace.plain import fields_of, flag, refuse, several, text, whole, wholes
from models.trace.record import TraceError
from models.writing import Writing, read_writing


@dataclass(frozen=True, slots=True)
class KeptLayer:
    """What one layer keeps of each token: a key and a value for each key-value head."""

    layer: int
    heads: int  # query heads, and the key-value heads that they share
    key_heads: int  # query heads, and the key-value heads that they share
    d_key: int  # numbers of a key, and of a value
    d_value: int  # numbers of a key, and of a value
    window: int = 0  # how many tokens back it can attend to; 0 for all
    number_bytes: int = 4

    def bytes_at(self, tokens: int, key_heads: int | None = None) -> int:
        """Return the bytes of keys and values after `tokens` tokens, with other `key_heads` if given."""
        kept = min(tokens, self.window) if self.window else tokens
        heads = self.key_heads if key_heads is None else key_heads
        return kept * heads * (self.d_key + self.d_value) * self.number_bytes


@dataclass(frozen=True, slots=True)
class Continuation:
    """What a causal model wrote, or a translator that was made to begin in a certain way."""

    asked: Writing  # settings, seed, and the tokens that it was made to begin with
    first: int  # position in the text, or in the translation, of the first token that it chose
    ended: bool = False  # whether it wrote its end-of-text token
    # who says what of a chat, such as ("user", 3, 9): role, first position, and the one after the last
    roles: tuple[tuple[str, int, int], ...] = ()
    kept: tuple[KeptLayer, ...] = ()  # one a layer; empty without a cache

    def check(self, tokens: int) -> None:
        """Raise TraceError unless all positions are of a text of `tokens` tokens."""
        spans = all(0 <= first <= end <= tokens for _role, first, end in self.roles)
        if not (0 <= self.first <= tokens and spans):
            message = f"trace: got written tokens from {self.first}, roles {self.roles[:5]}, for {tokens} tokens"
            raise TraceError(message)


_KEPT = ("layer", "heads", "key_heads", "d_key", "d_value", "window", "number_bytes")


def write_written(found: Continuation) -> dict[str, Any]:
    """Return what a causal model wrote as what JSON can hold."""
    return {
        "asked": found.asked.to_text(),
        "first": found.first,
        "ended": found.ended,
        "roles": [list(each) for each in found.roles],
        "kept": [[getattr(each, name) for name in _KEPT] for each in found.kept],
    }


def read_written(value: Any, where: str) -> Continuation:
    """Return what `write_written` wrote."""
    asked, first, ended, roles, kept = fields_of(value, where, "asked", "first", "ended", "roles", "kept")
    try:
        writing = read_writing(text(asked, where))
    except InputError as error:
        raise refuse(where, asked, str(error)) from error
    spans, layers = several(roles, where, _role), several(kept, where, _kept)
    return Continuation(writing, whole(first, where), flag(ended, where), spans, layers)


def _role(value: Any, where: str) -> tuple[str, int, int]:
    if type(value) is not list or len(value) != 3:
        raise refuse(where, value, "a role and two positions")
    return text(value[0], where), whole(value[1], where), whole(value[2], where)


def _kept(value: Any, where: str) -> KeptLayer:
    numbers = wholes(value, where)
    if len(numbers) != len(_KEPT) or min(numbers) < 0:
        raise refuse(where, value, f"the numbers of {', '.join(_KEPT)}")
    return KeptLayer(**dict(zip(_KEPT, numbers, strict=True)))
