"""Scene of a walk: one query of a run, and one of its keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from models.trace import AttentionMap, AttentionTrace, Prediction, TokenSequence
from viz.text.counting import position_name
from viz.text.language import _
from viz.text.tokens import visible
from viz.views.strips import Strip

Numbers = NDArray[Any]

_OF_PAIRS = ("scores", "mask", "weights", "raw_weights", "by_distance", "probabilities", "noise")
"""What has one number a query and key."""


@dataclass(frozen=True, slots=True)
class Letters:
    r"""What the formula of a walk calls things."""

    query: str = "s"  # laTeX without their subscripts, such as ``e`` and ``\\alpha``
    key: str = "h"  # laTeX without their subscripts, such as ``e`` and ``\\alpha``
    value: str = "h"  # laTeX without their subscripts, such as ``e`` and ``\\alpha``
    score: str = "e"  # laTeX without their subscripts, such as ``e`` and ``\\alpha``
    weight: str = "a"  # laTeX without their subscripts, such as ``e`` and ``\\alpha``
    context: str = "c"  # laTeX without their subscripts, such as ``e`` and ``\\alpha``

    def plain(self, name: str) -> str:
        """Return the letter `name` for a heading, which is no LaTeX."""
        letter: str = getattr(self, name)
        return letter.replace(r"\alpha", "\u03b1").replace("_", "")


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One query of a run, with one of the keys that it reads."""

    trace: AttentionTrace
    shown: AttentionMap | None  # with its companions; None for a mechanism without attention
    head: int
    row: int
    column: int
    parameters: Mapping[str, Numbers]
    # [target + 1, d] Of the decoder, where the walk asks for them; see `models.experiments.states.DecoderRun`
    states: Sequence[Numbers] = ()
    vector: Numbers | None = None  # [d]
    letters: Letters = field(default_factory=Letters)
    is_last: bool = False  # whether the word is written from what leaves this layer of a decoder

    @property
    def map(self) -> AttentionMap:
        """The map; TypeError if the mechanism has none."""
        if self.shown is None:
            message = f"{self.trace.provenance.mechanism} has no attention to walk through"
            raise TypeError(message)
        return self.shown

    @property
    def count(self) -> int:
        """How many keys there are for this query: a decoder that writes word by word has none after it."""
        written = self.map.causal and self.trace.provenance.decoding == "greedy"
        return self.row + 1 if written else len(self.map.key_tokens)

    @property
    def is_chosen(self) -> bool:
        """Whether one key is chosen of each row, so that what is read is not the softmax."""
        return self.shown is not None and "probabilities" in self.shown.companions

    @property
    def queries(self) -> TokenSequence:
        """What labels the rows: of a model that writes nothing and weighs nothing, the text that it reads."""
        return rows_of(self.trace) if self.shown is None else self.shown.query_tokens

    @property
    def prediction(self) -> Prediction | None:
        """What a model that predicts the next token holds for likely after the query; None without a prediction."""
        return next((each for each in self.trace.predictions if each.position == self.row), None)

    @property
    def query_word(self) -> str:
        """The query, as prose names it."""
        return piece_of(self.queries, self.row)

    @property
    def reader(self) -> str:
        """Who reads, as prose names it: the word that a decoder's step writes is not known to it yet."""
        if self.shown is not None and self.shown.site.kind == "hops":
            return self.query_word
        if self.shown is not None and self.shown.site.kind == "self":
            if self.shown.site.stack == "encoder":
                return f"“{self.query_word}”"
            return _("the step that has just read “{word}”", word=self.query_word)
        return _("the step that writes “{word}”", word=self.query_word)

    @property
    def key_word(self) -> str:
        """The chosen key."""
        return piece_of(self.map.key_tokens, self.column)

    @property
    def keys(self) -> tuple[str, ...]:
        """What labels the columns, each visible."""
        return tuple(map(visible, self.map.key_tokens.texts[: self.count]))

    @property
    def pair(self) -> str:
        """The subscript of the chosen pair."""
        return f"{{{self.row_name},{self.column_name}}}"

    @property
    def row_name(self) -> str:
        """What a reader calls the query's position."""
        return position_name(self.row)

    @property
    def column_name(self) -> str:
        """What a reader calls the position of the chosen key."""
        return position_name(self.column)

    def of_query(self, quantity: str) -> Numbers:
        """Return the query's row of `quantity`, [d], or [key] of what has one number a pair."""
        values = self._companion(quantity)
        row: Numbers = values[self.head if values.shape[0] > 1 else 0, self.row]
        return row[: self.count] if quantity in _OF_PAIRS else row

    def strip(self, quantity: str, name: str, symbol: str, k: int | None = None, *, made: bool = False) -> Strip:
        """Return the query's row of `quantity` as a strip, with number `k` marked."""
        return Strip(name, symbol, self.of_query(quantity)[None], marked=(None, k), made=made)

    def of_keys(self, quantity: str) -> Numbers:
        """Return `quantity` of every key, [key, d]."""
        values = self._companion(quantity)
        keys: Numbers = values[self.head if values.shape[0] > 1 else 0]
        return keys[: self.count]

    @property
    def moved(self) -> tuple[Numbers, Numbers] | None:
        """What each key moves of the query's vector, its share, and how long its value is, against the mean; [key]."""
        if self.shown is None or not self.shown.has_moved:
            return None
        head = self.head if len(self.shown.weights) > 1 else 0
        lengths = self.shown.value_norms[head, : self.count]
        moved = self.shown.moved().weights[head, self.row, : self.count]
        return moved, lengths / (float(lengths.mean()) or 1.0)

    @property
    def features(self) -> Numbers:
        """The hidden layer of an additive score, [key, d]."""
        features: Numbers = self._companion("features")[self.row, : self.count]
        return features

    def _companion(self, quantity: str) -> Numbers:
        if quantity == "weights":
            return self.map.weights
        if quantity not in self.map.companions:
            message = f"{self.map.site}: {quantity} was not captured; attend with sites=('{self.map.site}.*',)"
            raise KeyError(message)
        return self.map.companions[quantity]


def rows_of(trace: AttentionTrace) -> TokenSequence:
    """Return the row labels of a run without a map: the words written, or the words read if none are written."""
    return trace.target if len(trace.target) else trace.source


def piece_of(tokens: TokenSequence, place: int) -> str:
    """Return the token at `place` as a sentence names it: a piece of a longer word names that word too."""
    text, word = spoken(tokens.texts[place]), tokens.words[place]
    if tokens.words.count(word) == 1:
        return text
    return _("{piece} (of {word})", piece=text, word=spoken(tokens.word_texts[word]))


def spoken(text: str) -> str:
    """Return a token as a sentence names it: without the white space around it, nothing in it invisible."""
    return visible(text.strip() or text)
