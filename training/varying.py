"""How people type: pairs shown in lower case, without their closing mark, in capitals, and so on."""

from __future__ import annotations

import random
from collections.abc import Callable

from models.translation.words import is_mark, normalise, split_words

Pair = tuple[str, str]


def _lower(pair: Pair) -> Pair:
    return pair[0].lower(), pair[1].lower()


def _apart(pair: Pair) -> Pair:
    source, target = (" ".join(word.strip() for word in split_words(text)) for text in pair)
    return source, target


def _unclosed(pair: Pair) -> Pair:
    source, target = pair
    if source[-1:] == target[-1:] and is_mark(source[-1:] or " "):
        return source[:-1].rstrip(), target[:-1].rstrip()
    return pair


def _capitals(pair: Pair) -> Pair:
    """Return the source in capitals, the translation as it is: shouted words mean what they mean."""
    return pair[0].upper(), pair[1]


def _hurried(pair: Pair) -> Pair:
    """Leave the apostrophes of the source out ("dont"); those of the translation stay, they are to be learned."""
    return pair[0].replace("'", ""), pair[1]


def mistype(text: str, choice: random.Random) -> str:
    """Return a text with one slip of the hand: a letter doubled, left out, or changed with the next one."""
    places = [place for place in range(1, len(text) - 1) if text[place : place + 2].isalpha()]
    if not places:
        return text
    place = choice.choice(places)
    before, one, two, after = text[:place], text[place], text[place + 1], text[place + 2 :]
    return before + choice.choice((one + one + two, two, two + one)) + after


WAYS: tuple[tuple[Callable[[Pair], Pair], ...], ...] = (
    (_lower,),
    (_apart,),
    (_lower, _apart),
    (_unclosed,),
    (_lower, _unclosed),
    (_capitals,),
    (_lower, _unclosed, _hurried),
)


def vary(pair: Pair, choice: random.Random) -> Pair:
    """Return a pair as people also type it, in one of `WAYS`.

    Lower case, marks set apart by spaces, both; without the closing mark, and that in lower case; the source in
    capitals; lower case without closing mark and apostrophes.
    """
    source, target = pair
    varied = normalise(source), normalise(target)
    for change in WAYS[choice.randrange(len(WAYS))]:
        varied = change(varied)
    return varied
