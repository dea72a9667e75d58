"""Effect of an edit on a translation: log-probability changes, and changed words."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.trace import AttentionTrace, Step, TokenSequence


@dataclass(frozen=True, slots=True)
class WordChange:
    """How likely a word was before and is now."""

    text: str
    before: float  # log-probability (natural), the sum over its pieces
    after: float  # log-probability (natural), the sum over its pieces
    alternatives: tuple[tuple[str, float], ...]  # the likeliest first pieces now, with their probabilities, best first
    space: bool  # whether white space stands before it

    @property
    def change(self) -> float:
        """Now less before: below 0 the word became less likely."""
        return self.after - self.before


def word_changes(before: AttentionTrace, after: AttentionTrace) -> tuple[WordChange, ...]:
    """Compare two runs that wrote the same target, word by word."""
    if before.target.ids != after.target.ids:
        message = f"the two runs wrote different tokens: {before.target.texts} and {after.target.texts}; force one text"
        raise ValueError(message)
    target = after.target
    changes = []
    for word, text in enumerate(target.word_texts):
        places = [place for place, owner in enumerate(target.words) if owner == word]
        changes.append(
            WordChange(
                text,
                _sum(before.steps, places),
                _sum(after.steps, places),
                after.steps[places[0]].alternatives,
                target.texts[places[0]][:1].isspace(),
            )
        )
    return tuple(changes)


def _sum(steps: tuple[Step, ...], places: list[int]) -> float:
    return float(np.sum([steps[place].log_probability for place in places]))


WordFate = Literal["same", "new", "gone"]


@dataclass(frozen=True, slots=True)
class WordNow:
    """A word of what was written before or is written now."""

    text: str
    kind: WordFate  # in both, only now, or only before
    space: bool  # whether white space stands before it


def changed_words(before: AttentionTrace, after: AttentionTrace) -> tuple[WordNow, ...]:
    """Return the words of what was written before and is written now, in one line."""
    old, new = _written(before), _written(after)
    words: list[WordNow] = []
    was, now = ([text for text, _space in each] for each in (old, new))
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag == "equal":
            words += [WordNow(text, "same", space) for text, space in new[c:d]]
        else:
            words += [WordNow(text, "gone", space) for text, space in old[a:b]]
            words += [WordNow(text, "new", space) for text, space in new[c:d]]
    return tuple(words)


def _written(trace: AttentionTrace) -> list[tuple[str, bool]]:
    """Return the words written, special tokens left out, each with whether white space stands before it."""
    target = trace.target
    words = []
    for word, text in enumerate(target.word_texts):
        first = target.words.index(word)
        if first not in target.specials:
            words.append((text, target.texts[first][:1].isspace()))
    return words


def words_of_target(changes: NDArray[np.floating[Any]], target: TokenSequence) -> NDArray[np.float64]:
    """Add up changes of log-probability, [..., piece], over the pieces of each word: [..., word].

    Shapes: `changes` [..., piece]; returns [..., word].
    """
    words = np.asarray(target.words)
    starts = np.flatnonzero(np.diff(words, prepend=-1))
    return np.asarray(np.add.reduceat(np.asarray(changes, dtype=np.float64), starts, axis=-1))


def rank_agreement(effects: NDArray[np.floating[Any]], weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return Spearman's rank correlation of effects and weights, row by row; NaN where a row is constant or too short.

    Shapes: `effects` [query, key]; `weights` [query, key]; returns [query].
    """
    from scipy.stats import spearmanr  # some 50 MB and half a second, for who asks what heads are worth

    found = np.full(len(effects), np.nan)
    for row, (one, other) in enumerate(zip(effects, weights, strict=True)):
        if len(one) > 1 and np.ptp(one) > 0 and np.ptp(other) > 0:
            found[row] = spearmanr(one, other).statistic
    return found
