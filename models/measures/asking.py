"""Which heads attend from one word to another, or along a pattern of the text, the most. numpy only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.measures.texts import Cells, around, induction_cells, repeated_cells
from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, TokenSequence
from models.trace.tokens import is_punctuation

PRONOUNS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "he him his himself she her hers herself it its itself they them their theirs themselves".split()  # noqa: SIM905
    ),
    "fr": frozenset("il elle ils elles lui leur leurs eux se son sa ses soi celui celle ceux celles".split()),  # noqa: SIM905
    "zh": frozenset(("他", "她", "它", "他们", "她们", "它们", "他的", "她的", "它的", "自己", "其")),
}
"""The pronouns of the third person, a closed list a language: those that may stand for an earlier word."""

COMMAS, STOPS = frozenset(",，、"), frozenset(".!?。！？…")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence or of its translation, whatever the model that cuts it into subwords."""

    text: str
    occurrence: int = 0  # which of the words that read alike, from 0; capitals count for nothing
    written: bool = False  # whether it is of the translation

    @property
    def code(self) -> str:
        """Its name in links: ``it``, ``the-2`` for the second, ``.il`` of a translation."""
        number = f"-{self.occurrence + 1}" if self.occurrence else ""
        return f"{'.' if self.written else ''}{_plain(self.text)}{number}"


@dataclass(frozen=True, slots=True, eq=False)
class AskedHead:
    """One head, and how much it does what was asked."""

    model: str  # A key, as `models.load` takes it
    shown: AttentionMap  # in words
    head: int
    score: float  # attention weight on the pair, or the mean over the queries of the pattern
    chance: float  # what its own weights give, dealt out anew in each row
    cells: Cells  # [query, key] what was asked

    @property
    def site(self) -> Site:
        """The place of its layer."""
        return self.shown.site

    @property
    def above(self) -> float:
        """How much more than chance."""
        return self.score - self.chance


def _plain(text: str) -> str:
    return text.strip().casefold()


def words_of(tokens: TokenSequence, *, written: bool = False) -> tuple[Word | None, ...]:
    """Return what each token of `tokens`, in words, can be asked as; None for special tokens."""
    seen: dict[str, int] = {}
    found: list[Word | None] = []
    for place, text in enumerate(tokens.texts):
        if place in tokens.specials or not text.strip():
            found.append(None)
            continue
        number = seen.get(_plain(text), 0)
        seen[_plain(text)] = number + 1
        found.append(Word(text.strip(), number, written))
    return tuple(found)


def words_of_trace(trace: AttentionTrace) -> tuple[Word, ...]:
    """Return all words that can be asked; of two texts that are read together, those of the first."""
    source = trace.source.to_words()
    known = words_of(source)
    first = [each for place, each in enumerate(known) if not source.segments or source.segments[place] == 0]
    written = words_of(trace.target.to_words(), written=True) if trace.is_translation else ()
    return tuple(each for each in (*first, *written) if each is not None)


def axes_written(trace: AttentionTrace, site: Site) -> tuple[bool, bool]:
    """Return whether the rows and the columns of the map at `site` are words of a translation."""
    own = site.stack == "decoder" and trace.is_translation
    return own, own and site.kind == "self"


def word_maps(trace: AttentionTrace) -> tuple[tuple[AttentionMap, bool, bool], ...]:
    """Return the maps of `trace` between words, with what `axes_written` says of each; hops are left out."""
    maps = (each for each in trace if each.site.kind != "hops")
    return tuple((each.to_words(), *axes_written(trace, each.site)) for each in maps)


WordMaps = Mapping[str, Sequence[tuple[AttentionMap, bool, bool]]]
"""By model: its maps, as `word_maps` gives them."""


def rank_pair(maps: WordMaps, query: Word, key: Word) -> tuple[AskedHead, ...]:
    """Rank every head of every model by its attention weight from `query` to `key`, the most first.

    Maps that lack one of the two words are left out.
    """
    found: list[AskedHead] = []
    for model, several in maps.items():
        for shown, rows_written, columns_written in several:
            row = _place(shown.query_tokens, query, written=rows_written)
            column = _place(shown.key_tokens, key, written=columns_written)
            if row is None or column is None or (shown.causal and column > row):
                continue
            cells = np.zeros(shown.weights.shape[1:], dtype=bool)
            cells[row, column] = True
            found += _heads(model, shown, cells, most=False)
    return tuple(sorted(found, key=lambda each: -each.score))


def rank_pattern(maps: WordMaps, pattern: str) -> tuple[AskedHead, ...]:
    """Rank every self-attention head by how much more than by chance it follows `pattern`, the most first.

    Texts in which no word has such an earlier or later word are left out.
    """
    found: list[AskedHead] = []
    for model, several in maps.items():
        for shown, _rows, _columns in several:
            if shown.site.kind == "self" and (cells := pattern_cells(pattern, shown)).any():
                found += _heads(model, shown, cells, most=pattern in SINGLE)
    return tuple(sorted(found, key=lambda each: -each.above))


def patterns_of(shown: AttentionMap, cell: tuple[int, int]) -> tuple[str, ...]:
    """Return the patterns that a cell of a self-attention map belongs to."""
    if shown.site.kind != "self":
        return ()
    return tuple(pattern for pattern in ASKABLE if pattern_cells(pattern, shown)[cell])


def pattern_cells(pattern: str, shown: AttentionMap) -> Cells:
    """Return the cells of a self-attention map that follow `pattern`, special tokens left out: [query, key]."""
    tokens = shown.key_tokens
    cells = np.array(ASKABLE[pattern](tokens))
    cells[list(tokens.specials)] = False
    cells[:, list(tokens.specials)] = False
    return np.tril(cells) if shown.causal else cells


def follows(shown: AttentionMap, cells: Cells) -> NDArray[np.float64]:
    """Return of the rows that have such a cell the share whose largest weight is in one of them: [head]."""
    rows = cells.any(axis=1)
    best = shown.weights[:, rows].argmax(axis=-1)  # [head, row]
    return np.asarray(cells[rows][np.arange(int(rows.sum())), best].mean(axis=1), dtype=np.float64)


def _heads(model: str, shown: AttentionMap, cells: Cells, *, most: bool) -> list[AskedHead]:
    rows = cells.any(axis=1)
    weights, chosen = shown.weights[:, rows].astype(np.float64), cells[rows]
    readable = np.flatnonzero(rows) + 1 if shown.causal else np.full(int(rows.sum()), weights.shape[-1])
    if most:
        scores = np.where(chosen, weights, 0).max(axis=-1).mean(axis=1)
        chance = _largest_by_chance(weights, chosen.sum(axis=1), readable)
    else:
        scores = (weights * chosen).sum(axis=-1).mean(axis=1)
        chance = (weights.sum(axis=-1) * chosen.sum(axis=1) / readable).mean(axis=1)
    return [
        AskedHead(model, shown, head, float(scores[head]), float(chance[head]), cells) for head in range(len(weights))
    ]


def _largest_by_chance(
    weights: NDArray[np.float64], counts: NDArray[Any], readable: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the mean over rows of the expected largest of m of a row's n weights, drawn without replacement: [head].

    The i-th largest weight (from 0) is the largest of those drawn with the probability C(n - 1 - i, m - 1) / C(n, m).
    """
    total = np.zeros(len(weights))
    for row, (count, keys) in enumerate(zip(counts, readable, strict=True)):
        ordered = -np.sort(-weights[:, row], axis=-1)[:, :keys]  # [head, key]
        place = np.arange(keys - 1)
        steps = np.maximum(keys - place - count, 0) / np.maximum(keys - 1 - place, 1)
        odds = count / keys * np.cumprod(np.concatenate([[1.0], steps]))
        total += ordered @ odds
    return total / max(len(counts), 1)


def _place(tokens: TokenSequence, word: Word, *, written: bool) -> int | None:
    """Return where `word` is among tokens of words; None if it is not there."""
    if word.written != written:
        return None
    codes = [each and each.code for each in words_of(tokens, written=written)]
    return codes.index(word.code) if word.code in codes else None


def _names(tokens: TokenSequence) -> list[Any]:
    return [place if place in tokens.specials else _plain(text) for place, text in enumerate(tokens.texts)]


def _marks(tokens: TokenSequence) -> NDArray[np.bool_]:
    """Return which tokens are punctuation or special."""
    return np.array([place in tokens.specials or is_punctuation(text) for place, text in enumerate(tokens.texts)])


def _pronoun(tokens: TokenSequence) -> Cells:
    """From a pronoun to an earlier word, of those that are no marks, nor the one just before."""
    texts = list(map(_plain, tokens.texts))
    pronouns = max(PRONOUNS.values(), key=lambda known: sum(text in known for text in texts))
    earlier = np.tril(np.ones((len(texts), len(texts)), dtype=bool), -2)
    return np.asarray(earlier & np.array([text in pronouns for text in texts])[:, None] & ~_marks(tokens))


def _same(tokens: TokenSequence) -> Cells:
    """To the same word elsewhere, punctuation left out."""
    return repeated_cells(_names(tokens)) & ~_marks(tokens)


def _induction(tokens: TokenSequence) -> Cells:
    """To what followed an earlier occurrence of the query's word."""
    return induction_cells(_names(tokens)) & ~_marks(tokens)[:, None]


def _last(tokens: TokenSequence, signs: Iterable[str]) -> NDArray[np.int64]:
    """Return for each token where the last of `signs` is that comes before it; -1 if there is none."""
    places = np.array([place if _plain(text) in signs else -1 for place, text in enumerate(tokens.texts)])
    return np.concatenate([[-1], np.maximum.accumulate(places)[:-1]]) if len(places) else places


def _comma(tokens: TokenSequence) -> Cells:
    """To the last comma."""
    return np.asarray(np.arange(len(tokens)) == _last(tokens, COMMAS)[:, None])


def _sentence(tokens: TokenSequence) -> Cells:
    """From the later words of a sentence to its first one."""
    words, starts = ~_marks(tokens), _last(tokens, STOPS) + 1
    firsts = np.array([next((each for each in range(start, len(words)) if words[each]), -1) for start in starts])
    places = np.arange(len(tokens))
    return np.asarray((places == firsts[:, None]) & (firsts < places)[:, None] & words[:, None])


def _offset(steps: int) -> Callable[[TokenSequence], Cells]:
    return lambda tokens: around(len(tokens), len(tokens), (steps,))


ASKABLE: Mapping[str, Callable[[TokenSequence], Cells]] = {
    "pronoun": _pronoun,
    "same": _same,
    "induction": _induction,
    "comma": _comma,
    "sentence": _sentence,
    "previous": _offset(-1),
    "next": _offset(1),
}
"""The patterns that can be told from the text alone: from the tokens of words to cells, [query, key]."""

SINGLE = frozenset(("pronoun", "same"))
"""Patterns with several keys a query, of which one is meant: the one with the largest weight counts."""
