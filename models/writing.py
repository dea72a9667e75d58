"""How a model goes on with a text: how many tokens, greedily or drawn, and what it is made to begin with."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, Self

from models.errors import InputError, shortly
from models.messages import Message
from models.vocabulary import END

MOST = 40
"""Tokens that are written at once."""

MOST_BEGUN = 400
"""Tokens that the model can be made to begin with."""

FIRST_WORD = END + 1
"""The first id that stands for text."""

HOTTEST, LEAST_SHARE, MOST_BEST, MOST_SEED = 5, 0.01, 10**6, 2**31 - 1
LONGEST = 4000
"""Characters of the notation of one."""

_WHOLE = re.compile(r"[0-9]{1,10}")
_DECIMAL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,6})?")
_IDS = re.compile(r"[0-9]{1,7}(\.[0-9]{1,7})*")
_SWITCH = re.compile("on|off")


@dataclass(frozen=True, slots=True)
class Writing:
    """How a causal model goes on with a text.

    Parameters
    ----------
    tokens : int
        How many it writes, 1 to 40; 0 with `begin` or `chat`. It ends earlier with its end-of-text token.
    temperature : float, optional
        What logits are divided by before a token is drawn, up to 5; 0 takes the likeliest token (greedy).
    top_k : int, optional
        Draw among this many likeliest tokens; 0 for all.
    top_p : float, optional
        Draw among the likeliest tokens that together have this probability, 0.01 to 1.
    seed : int, optional
        Of the random numbers: one seed, one text.
    begin : iterable of int, optional
        Ids of tokens that it is made to write first, such as those that a person chose. A translator takes these alone
        (``Writing(0, begin=ids)``), and goes on greedily to its end, or ends there if ``</s>`` is the last of them.
    chat : bool, optional
        Whether the text is put into the chat template of its tokenizer, as the words of the user.
    cache : bool, optional
        Whether keys and values are kept from token to token; without it the whole text is read again for each.

    Raises
    ------
    InputError
        If a number is not in its range; says which.

    Examples
    --------
    >>> Writing(20, temperature=0.8, seed=7).to_text()
    '20 temperature=0.8 seed=7'
    """

    tokens: int
    _: KW_ONLY
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    begin: tuple[int, ...] = ()
    chat: bool = False
    cache: bool = True

    def __post_init__(self) -> None:
        begin = _ids(self.begin)
        least = 0 if begin or self.chat is True else 1
        checked = {
            "tokens": _whole("tokens", self.tokens, least, MOST),
            "temperature": _number("temperature", self.temperature, 0, HOTTEST),
            "top_k": _whole("top_k", self.top_k, 0, MOST_BEST),
            "top_p": _number("top_p", self.top_p, LEAST_SHARE, 1),
            "seed": _whole("seed", self.seed, 0, MOST_SEED),
            "begin": begin,
            "chat": _switch("chat", self.chat),
            "cache": _switch("cache", self.cache),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def draws(self) -> bool:
        """Whether tokens are drawn at random."""
        return self.tokens > 0 and self.temperature > 0

    def begun_with(self, ids: Iterable[int], tokens: int) -> Self:
        """Return the same settings with other tokens to begin with, and `tokens` to write after them.

        Parameters
        ----------
        ids : iterable of int
        tokens : int
        """
        return replace(self, begin=tuple(ids), tokens=tokens)

    def to_text(self) -> str:
        """Return it as it stands in a link; `read_writing` reads it back."""
        parts = [str(self.tokens)]
        for each in fields(self)[1:]:
            value = getattr(self, each.name)
            if value != each.default:
                parts.append(f"{each.name}={_as_text(value)}")
        return " ".join(parts)


def read_writing(text: str) -> Writing:
    """Read what `Writing.to_text` wrote, whoever it comes from; InputError names what it cannot be."""
    tokens, *settings = text[:LONGEST].split() or [""]
    found: dict[str, Any] = {}
    for part in settings:
        name, _equals, value = part.partition("=")
        pattern, read = _READ.get(name, (_NOTHING, str))
        if name in found or not pattern.fullmatch(value):
            raise InputError(Message("Unknown generation setting: {given}.", given=shortly(part)))
        found[name] = read(value)
    if not _WHOLE.fullmatch(tokens):
        raise InputError(Message("Unknown generation setting: {given}.", given=shortly(text)))
    return Writing(int(tokens), **found)


def refuse_writing(title: str, write: object) -> None:
    """Raise InputError if a model that predicts no next token is to go on with a text."""
    if write is not None:
        message = Message("{title} does not predict the next token, so it cannot continue a text.", title=title)
        raise InputError(message)


def begun_by(title: str, write: object, *, vocabulary: int) -> tuple[int, ...]:
    """Return the ids that a translator is made to begin with; it goes on greedily to its end, and takes no more."""
    if not isinstance(write, Writing) or write != Writing(0, begin=write.begin or (0,)):
        refuse_writing(title, write)
        return ()
    words = write.begin[:-1] if write.begin[-1] == END else write.begin
    if not all(FIRST_WORD <= each < vocabulary for each in words):
        known = {"title": title, "least": FIRST_WORD, "most": vocabulary - 1}
        raise InputError(Message("{title} knows the token ids {least} to {most} and can begin with no other.", **known))
    return write.begin


def writing_of(write: object) -> Writing:
    """Return what a caller means by ``write``: a number of tokens, or a `Writing`."""
    return write if isinstance(write, Writing) else Writing(write)  # type: ignore[arg-type] # it says what is wrong


_NOTHING = re.compile("(?!)")
_READ: dict[str, tuple[re.Pattern[str], Any]] = {
    **{name: (_WHOLE, int) for name in ("top_k", "seed")},
    **{name: (_DECIMAL, float) for name in ("temperature", "top_p")},
    "begin": (_IDS, lambda value: tuple(map(int, value.split(".")))),
    **{name: (_SWITCH, lambda value: value == "on") for name in ("chat", "cache")},
}


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return ".".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        found = -1
    if isinstance(value, bool) or not least <= found <= most:
        message = Message(
            "{name} is a whole number from {least} to {most}; got {given}.",
            name=name,
            least=least,
            most=most,
            given=shortly(value),
        )
        raise InputError(message)
    return found


def _number(name: str, value: Any, least: float, most: float) -> float:
    try:
        found = float(value) if not isinstance(value, str | bytes | bool) else -1.0
    except (TypeError, ValueError, OverflowError):
        found = -1.0
    if not least <= found <= most:
        message = Message(
            "{name} is a number from {least} to {most}; got {given}.",
            name=name,
            least=f"{least:g}",
            most=f"{most:g}",
            given=shortly(value),
        )
        raise InputError(message)
    return round(found, 3)


def _switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(Message("{name} is True or False; got {given}.", name=name, given=shortly(value)))
    return value


def _ids(value: Any) -> tuple[int, ...]:
    try:
        found = tuple(map(operator.index, value))
    except TypeError:
        found = (-1,)
    if len(found) > MOST_BEGUN or not all(0 <= each < 10**7 for each in found):
        given = shortly(value)
        message = Message("begin is a list of at most {most} token ids; got {given}.", most=MOST_BEGUN, given=given)
        raise InputError(message)
    return found
