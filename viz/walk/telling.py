"""Choice of the word with which a walk opens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.trace import AttentionMap, TokenSequence

SHORTEST = 4
"""Letters of a word at least, in a script of letters, that is more than a little helper of grammar."""


def telling_row(shown: AttentionMap, head: int) -> int:
    """Return the row of a word that is worth a walk: in the middle of words whose order the reading turns round.

    Without such words it is the row with the sharpest weight off the diagonal, else with the sharpest of all. The word
    and the one that it reads most are words, no marks, and each in one piece if there are such; only where nothing
    else is read is it a row whose largest weight is on a mark of the model, the one that reads a word most.
    """
    queries, keys = shown.query_tokens, shown.key_tokens
    weights = shown.to_words().weights[head]
    most, pieces = weights.argmax(axis=1).tolist(), shown.weights[head].argmax(axis=1)
    first = [queries.words.index(word) for word in range(len(weights))]
    is_word, is_read = _content(queries), _content(keys)
    rows = [
        row
        for row in range(len(weights))
        if is_word[row] and is_read[most[row]] and keys.words[pieces[first[row]]] == most[row]
    ]
    whole = [row for row in rows if queries.words.count(row) == 1]
    both = [row for row in whole if keys.words.count(most[row]) == 1]
    for found in (_turned(most, whole), _beside(most, both), both, _turned(most, rows), _beside(most, rows), rows):
        if found:
            return first[max(found, key=lambda row: float(weights[row, most[row]]))]
    return _least_wrong(shown, head)


def _turned(most: Sequence[int], rows: Sequence[int]) -> list[int]:
    return [row for row in rows if 0 < row < len(most) - 1 and most[row - 1] > most[row] > most[row + 1]]


def _beside(most: Sequence[int], rows: Sequence[int]) -> list[int]:
    return [row for row in rows if most[row] != row]


def _least_wrong(shown: AttentionMap, head: int) -> int:
    """Return the row of the text that attends to a token of the text, above all others if one does so."""
    text = [place not in shown.key_tokens.specials for place in range(len(shown.key_tokens))]
    weights = shown.weights[head]
    of_text = np.where(text, weights, 0.0).max(axis=1)
    marks = shown.query_tokens.specials
    return int(
        max(range(len(weights)), key=lambda row: (row not in marks, of_text[row] == weights[row].max(), of_text[row]))
    )


def telling_word(written: TokenSequence) -> int:
    """Return the row of a word to open with where nothing is read: the longest, counted in letters."""
    content = [word for word, is_word in enumerate(_content(written)) if is_word]
    longest = max(content, key=lambda word: len(written.word_texts[word]), default=0)
    return written.words.index(longest) if len(written) else 0


def same_row(before: TokenSequence, row: int, now: TokenSequence) -> int | None:
    """Return the row of `now` that has the word of row `row` of `before`, the nearest of several; None without one."""
    word = before.words[row]
    text, place = before.word_texts[word].strip(), word / max(len(before.word_texts), 1)
    found = [other for other, each in enumerate(now.word_texts) if each.strip() == text]
    if not found:
        return None
    nearest = min(found, key=lambda other: abs(other / len(now.word_texts) - place))
    first = now.words.index(nearest)
    within = row - before.words.index(word)
    return first + within if within < now.words.count(nearest) else first


def _content(tokens: TokenSequence) -> list[bool]:
    """Return of each word whether it is one, no mark of the text or of the model, and no short one of letters."""
    special = set(tokens.to_words().specials)
    return [word not in special and _is_long(text.strip()) for word, text in enumerate(tokens.word_texts)]


def _is_long(text: str) -> bool:
    letters = [each for each in text if each.isalpha()]
    return len(letters) >= SHORTEST or any(ord(each) >= 0x2E80 for each in letters)
