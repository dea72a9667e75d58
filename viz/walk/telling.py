"""Which word a walk opens with: one whose reading tells something."""

from __future__ import annotations

from models.trace import AttentionMap, TokenSequence

SHORTEST = 4
"""Letters of a word at least, in a script of letters, that is more than a little helper of grammar."""


def telling_row(shown: AttentionMap, head: int) -> int:
    """Return the row of a word that is worth a walk: in the middle of words whose order the reading turns round.

    Without such words it is the row with the sharpest weight off the diagonal, else with the sharpest of all. The word
    and the one that it reads most are words, no marks; only where there is no such row it may be another.

    Parameters
    ----------
    shown : AttentionMap
    head : int

    Returns
    -------
    int
        Of the first piece of the word, from 0.
    """
    words = shown.to_words()
    weights = words.weights[head]
    most = weights.argmax(axis=1)
    queries, keys = _content(shown.query_tokens), _content(shown.key_tokens)
    first = [shown.query_tokens.words.index(word) for word in range(len(weights))]
    pieces = shown.weights[head].argmax(axis=1)
    rows = [
        row
        for row in range(len(weights))
        if queries[row] and keys[most[row]] and keys[shown.key_tokens.words[pieces[first[row]]]]
    ]
    turned = [row for row in rows if 0 < row < len(most) - 1 and most[row - 1] > most[row] > most[row + 1]]
    beside = [row for row in rows if most[row] != row]
    read = [row for row in range(len(weights)) if most[row] not in shown.key_tokens.to_words().specials]
    for found in (turned, beside, rows, read):
        if found:
            return first[max(found, key=lambda row: float(weights[row, most[row]]))]
    return 0


def telling_word(written: TokenSequence) -> int:
    """Return the row of a word to open with where nothing is read: the longest, counted in letters.

    Parameters
    ----------
    written : TokenSequence
    """
    content = [word for word, is_word in enumerate(_content(written)) if is_word]
    longest = max(content, key=lambda word: len(written.word_texts[word]), default=0)
    return written.words.index(longest) if len(written) else 0


def same_row(before: TokenSequence, row: int, now: TokenSequence) -> int | None:
    """Return the row of `now` that has the word of row `row` of `before`, the nearest of several; None without one.

    Parameters
    ----------
    before, now : TokenSequence
        Two translations of one text.
    row : int
    """
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
