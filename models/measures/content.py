"""Content words of a text, and how far translations of one sentence differ in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from types import MappingProxyType

_ENGLISH = (
    "a about after all also although am an and any are as at be because been before being but by can could did do does "
    "each for from had has have he her hers him his how i if in into is it its just may me might must my no nor not of "
    "off on one or our out over own shall she should so some such than that the their them then there these they this "
    "those though to too under until up us very was we were what when where which while who whom whose why will with "
    "would you your"
)
_FRENCH = (
    "a ai as au aux avait avec avez avons c ce ces cet cette d dans de des donc du elle elles en est et eu eux furent "
    "fut il ils j je l la le les leur leurs lui là m ma mais me mes moi mon même n ne ni nos notre nous on ont ou où "
    "par pas pour qu que quel quelle qui s sa se sera ses si son sont soit sur t ta te tes toi ton tu un une vos votre "
    "vous y à était étaient été être"
)
FUNCTION_WORDS = MappingProxyType({"en": frozenset(_ENGLISH.split()), "fr": frozenset(_FRENCH.split())})
"""Words that carry grammar more than content, by language; of an elided word what stands before its apostrophe."""

_WORD = re.compile(r"[^\W_]+")


def content_words(text: str, language: str) -> frozenset[str]:
    """Return the words of a text in lower case, without those of grammar; all of them where nothing else is left."""
    words = frozenset(_WORD.findall(text.casefold()))
    return words - FUNCTION_WORDS.get(language, frozenset()) or words


def words_apart(texts: Sequence[str], language: str) -> float:
    """Return how far texts differ in their content words: 1 less the Jaccard overlap, the mean over every two.

    0 where all have the same content words, 1 where no two share any.
    """
    words = [content_words(each, language) for each in texts]
    apart = [1 - len(one & other) / len(one | other) if one | other else 0.0 for one, other in combinations(words, 2)]
    return sum(apart) / len(apart) if apart else 0.0
