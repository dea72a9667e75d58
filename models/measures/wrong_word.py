"""One wrong word in a translation: what is given up to there, and how far the error runs."""

from __future__ import annotations

from models.trace import AttentionTrace, TokenSequence


def with_word(trace: AttentionTrace, word: int, text: str) -> str:
    """Return what `trace` wrote before its `word`, from 0, and `text` in the place of that word."""
    target, words = trace.target, []
    for place, own in enumerate((*target.word_texts[:word], text)):
        words.append(" " * target.texts[target.words.index(place)][:1].isspace() + own.strip())
    return "".join(words).strip()


def runner_up(trace: AttentionTrace, word: int) -> str:
    """Return the likeliest other text at the place of `word`; empty where the record has none."""
    first = trace.target.words.index(word)
    step = trace.steps[first]
    others = (text for text, _share in step.alternatives if text != step.text)
    return next((text.strip() for text in others if any(map(str.isalnum, text))), "")


def words_until_same(before: AttentionTrace, after: AttentionTrace, word: int, given: int) -> int | None:
    """Return how many words the error runs: those after the wrong one until all that follows is as it was.

    The translations are as one from the longest ending that both have after the word; None if that has no word, marks
    of punctuation aside, though `before` has one there. `before` has its own word at `word`; the first `given` words
    of `after` were given.
    """
    old, new = _words(before.target)[word + 1 :], _words(after.target)[given:]
    same = 0
    while same < min(len(old), len(new)) and old[-1 - same] == new[-1 - same]:
        same += 1
    if any(map(_counts, old)) and not any(map(_counts, old[len(old) - same :])):
        return None
    return len(new) - same


def _words(target: TokenSequence) -> list[str]:
    """Return the words that were written, and the closing mark if it was written."""
    return list(target.word_texts)


def _counts(text: str) -> bool:
    return any(map(str.isalnum, text)) and not text.startswith("</")
