"""Sentences of a long text folded to one row and one column each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import groupby

from models.trace import AttentionMap, TokenSequence
from models.trace.attention_map import merge_to_words
from models.trace.tokens import is_mark, is_punctuation
from viz.text.counting import FIRST_POSITION
from viz.text.tokens import shorten
from viz.views.written import WRITTEN

ENDS = frozenset(".!?。！？…")
"""What a sentence ends with."""

LONGEST_NAME, LONGEST_WORD = 24, 8
"""Characters of a sentence that stand for it in a list, and of its first word on an axis."""


def sentences_of(tokens: TokenSequence) -> list[int | None]:
    """Return for each token the number of its sentence from 0; None for one that stands for no text.

    Closing quotes and brackets, and more signs that end a sentence, belong to the sentence before them.
    """
    found: list[int | None] = []
    number, ended = 0, False
    for place, labelled in enumerate(tokens.texts):
        text = labelled.removeprefix(WRITTEN)
        if place in tokens.specials or is_mark(text):
            found.append(None)
            continue
        if ended and not is_punctuation(text):
            number, ended = number + 1, False
        found.append(number)
        ended = ended or text.strip()[-1:] in ENDS
    return found


def sentence_names(tokens: TokenSequence) -> tuple[str, ...]:
    """Return the first words of each sentence of a text, after its number."""
    numbers = sentences_of(tokens)
    count = 1 + max((each for each in numbers if each is not None), default=-1)
    places = [[place for place, own in enumerate(numbers) if own == each] for each in range(count)]
    texts = [" ".join(tokens.texts[place] for place in own) for own in places]
    return tuple(f"{n}: {shorten(text, LONGEST_NAME)}" for n, text in enumerate(texts, FIRST_POSITION))


def fold(shown: AttentionMap, opened: Collection[int], *, alone: bool = False) -> tuple[AttentionMap, int]:
    """Merge every sentence but those `opened` to one row and one column; return how many were merged, too.

    A row is the mean of those of its tokens, a column their sum. With `alone` the last column is of no text.
    """
    rows, row_groups, _count = _grouped(shown.query_tokens, opened)
    columns, column_groups, folded = _grouped(shown.key_tokens, opened, alone=alone)
    weights = merge_to_words(shown.weights, query_words=row_groups, key_words=column_groups)
    return replace(shown, weights=weights, query_tokens=rows, key_tokens=columns, companions={}), folded


def _grouped(
    tokens: TokenSequence, opened: Collection[int], *, alone: bool = False
) -> tuple[TokenSequence, list[int], int]:
    """Return the tokens of the folded axis, for each token its place there, and how many sentences were folded."""
    numbers = sentences_of(tokens)
    if alone:
        numbers[-1] = None
    names, specials, groups = list[str](), list[int](), list[int]()
    for number, run in groupby(range(len(numbers)), key=numbers.__getitem__):
        places = list(run)  # a sentence with a mask in it is two of them
        if number is None or number in opened:
            specials += [len(names) + at for at, place in enumerate(places) if place in tokens.specials]
            groups += range(len(names), len(names) + len(places))
            names += [tokens.texts[place] for place in places]
        else:
            groups += [len(names)] * len(places)
            names.append(f"{number + FIRST_POSITION}:{shorten(tokens.texts[places[0]].strip(), LONGEST_WORD)}…")
    folded = set(numbers) - {None, *opened}
    return replace(TokenSequence.from_words(names), specials=tuple(specials)), groups, len(folded)
