"""The record of one run: `AttentionTrace` and what it is made of. numpy only.

Every record is frozen, validated when it is made and again when it is unpickled, and its arrays are
read-only: traces are shared by all visitors of a server.

Axis order, everywhere: ``[head, query, key]``. A query row is what reads, a key column is what is read.
The identity of a token is its position; its text is a label, and labels may repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from models.sites import Site

if TYPE_CHECKING:
    from models.edits import Edit

Array = NDArray[Any]
Reading = Literal["written", "input"]

ROWS_AT_ONCE = 64
ROW_SUM_TOLERANCE = 1e-4


class TraceError(ValueError):
    """A record that would show something false: names the site, what came, what fits and what to check."""


def _problem(site: Site, got: object, expected: object, remedy: str) -> TraceError:
    return TraceError(f"{site}: got {got}; expected {expected}. {remedy}")


def frozen_array(values: Array) -> Array:
    """Return a read-only copy of `values`; or `values` itself if it is read-only and nobody else can write there.

    That is so if it owns its memory. If something else than an array does, such as a tensor, the caller vouches for it
    by having made `values` read-only: nobody writes there any more.
    """
    if not values.flags.writeable and not isinstance(values.base, np.ndarray):
        return values
    copy: Array = np.array(values)
    copy.setflags(write=False)
    return copy


class _Record:
    """Rebuild a frozen record through its constructor when it is unpickled (pickling makes arrays writable)."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]
        return type(self), tuple(dict(value) if isinstance(value, MappingProxyType) else value for value in values)


@dataclass(frozen=True, slots=True, eq=True)
class TokenSequence:
    """The tokens of one text, in order, and the words that they belong to.

    Parameters
    ----------
    texts : tuple of str
        What each token reads, white space kept as it is in the text.
    ids : tuple of int
        Vocabulary indices; -1 for a word merged from pieces.
    words : tuple of int
        For each token the 0-based index of its word; never decreasing, no index left out.
    word_texts : tuple of str
        What each word reads. Kept beside `texts` because a word cut inside a character
        (an emoji in four byte pieces) cannot be put together from its pieces' texts.
    specials : tuple of int, optional
        Positions of tokens that stand for no text (``[CLS]``, ``</s>``), where the tokenizer tells.
    segments : tuple of int, optional
        For a pair of texts, for each token: 0 of the first, 1 of the second, -1 of neither.

    Raises
    ------
    TraceError
        If lengths differ, the word indices skip or go back, or a special token stands nowhere.
    """

    texts: tuple[str, ...]
    ids: tuple[int, ...]
    words: tuple[int, ...]
    word_texts: tuple[str, ...]
    specials: tuple[int, ...] = ()
    segments: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.texts) == len(self.ids) == len(self.words):
            message = (
                f"token sequence: got {len(self.texts)} texts, {len(self.ids)} ids, {len(self.words)} word indices; "
                "expected as many of each"
            )
            raise TraceError(message)
        steps = np.diff(np.array((-1, *self.words), dtype=np.int64))
        if steps.size and (self.words[0] != 0 or steps.min() < 0 or steps.max() > 1):
            message = f"token sequence: word indices {self.words} skip or go back; expected 0, 0, 1, 2, 2, ..."
            raise TraceError(message)
        if len(self.word_texts) != (self.words[-1] + 1 if self.words else 0):
            message = f"token sequence: got {len(self.word_texts)} word texts for {len(set(self.words))} words"
            raise TraceError(message)
        if not set(self.specials) <= set(range(len(self))) or len(self.segments) not in (0, len(self)):
            message = f"token sequence of {len(self)}: special positions {self.specials}, segments {self.segments}"
            raise TraceError(message)

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def from_words(cls, texts: Iterable[str], ids: Iterable[int] | None = None) -> TokenSequence:
        """Make a sequence in which every token is a word."""
        words = tuple(texts)
        return cls(words, tuple(ids) if ids is not None else (-1,) * len(words), tuple(range(len(words))), words)

    def to_words(self) -> TokenSequence:
        """Return the sequence of words, each one token; special if all its pieces are, of its first piece's segment."""
        words = TokenSequence.from_words(self.word_texts)
        if not (self.specials or self.segments):
            return words
        plain = {word for position, word in enumerate(self.words) if position not in self.specials}
        starts = [self.words.index(word) for word in words.words] if self.segments else []
        return replace(
            words,
            specials=tuple(word for word in words.words if word not in plain),
            segments=tuple(self.segments[start] for start in starts),
        )


@dataclass(frozen=True, slots=True)
class Step:
    """What a decoder did at one step.

    Parameters
    ----------
    text : str
        The token that the step wrote (or was forced to write).
    id : int
        Its vocabulary index.
    log_probability : float
        Natural logarithm of the probability that the model gave it.
    alternatives : tuple of (str, float)
        The likeliest tokens with their probabilities, best first; the written one may be among them.
    """

    text: str
    id: int
    log_probability: float
    alternatives: tuple[tuple[str, float], ...] = ()

    @property
    def probability(self) -> float:
        """The probability that the model gave the written token."""
        return float(np.exp(self.log_probability))


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a language model holds for likely at one position of the text that it reads.

    Parameters
    ----------
    position : int
        Of the token from which a causal model predicts the next one, or of the masked token.
    alternatives : tuple of (str, float)
        The likeliest tokens with their probabilities, best first.
    log_probability : float or None
        Natural logarithm of the probability of the token that does follow; None at the end and for a masked token.
    """

    position: int
    alternatives: tuple[tuple[str, float], ...]
    log_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which map, head and reading of a model come closest to word alignment on its trial set.

    Parameters
    ----------
    site : Site
        A cross map, such as ``decoder.1.cross``.
    head : int or "mean"
    reading : {"written", "input"}
        What labels the rows; see `AttentionTrace.read`.
    """

    site: Site = Site("decoder", 0, "cross")
    head: int | Literal["mean"] = 0
    reading: Reading = "written"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a trace comes from: enough to caption a figure and to make it again. No clock time.

    Parameters
    ----------
    mechanism : str
        Key of the mechanism, such as ``bahdanau``.
    title : str
        Its name as people write it.
    year : int
        Year of the paper.
    paper, equation : str
        The paper, and the equation that gives the weights.
    checkpoint : str
        Key that `models.load` takes, such as ``bahdanau-en-fr``.
    sha256 : str
        Hash of the weights file.
    versions : tuple of (str, str)
        Libraries with their versions.
    decoding : {"greedy", "forced", "none"}
        Whether the target was the model's own choice, was given, or there is none.
    edits : tuple of Edit
        Interventions, in the order in which they were applied.
    exact : bool
        Whether the weights are those that the model used (float32, no approximation).
    notes : tuple of str
        What a reader must know: a cut input, rows that need not sum to 1, ...
    alignment : Alignment
        The map, head and reading that a figure shows unless it is told otherwise.
    """

    mechanism: str
    title: str
    year: int
    paper: str
    equation: str
    checkpoint: str
    sha256: str
    versions: tuple[tuple[str, str], ...]
    decoding: Literal["greedy", "forced", "none"]
    edits: tuple[Edit, ...] = ()
    exact: bool = True
    notes: tuple[str, ...] = ()
    alignment: Alignment = Alignment()


@dataclass(frozen=True, slots=True, eq=False)
class AttentionMap(_Record):
    """The attention weights of one layer, all heads.

    Parameters
    ----------
    site : Site
        ``stack.layer.kind``.
    weights : float32 array, [head, query, key]
        One head for a recurrent model too.
    query_tokens, key_tokens : TokenSequence
        What labels the rows and the columns.
    head_names : tuple of str, optional
        One a head; numbered from 0 if left out.
    companions : mapping of str to array, optional
        Other quantities captured at the same place (scores, mask, query, key, value, context, output, ...).
    rows_sum_to_one : bool
        False where the mechanism, or an edit, says that rows need not.
    causal : bool
        True if a query may read only keys at or before its own position.

    Raises
    ------
    TraceError
        On a wrong rank, token counts that do not fit, NaN, negative weights, a causal map that looks ahead,
        or rows that do not sum to 1 where they must.
    """

    site: Site
    weights: NDArray[np.float32]
    query_tokens: TokenSequence
    key_tokens: TokenSequence
    head_names: tuple[str, ...] = ()
    companions: Mapping[str, Array] = field(default_factory=dict)
    rows_sum_to_one: bool = True
    causal: bool = False

    def __post_init__(self) -> None:
        place = self.site.place
        object.__setattr__(self, "site", place)
        weights = np.asarray(self.weights)
        if weights.ndim != 3:
            raise _problem(place, f"weights of shape {weights.shape}", "[head, query, key]", "Check the hook's shape.")
        expected = (weights.shape[0], len(self.query_tokens), len(self.key_tokens))
        if weights.shape != expected:
            raise _problem(place, f"weights of shape {weights.shape}", f"{expected} from its tokens", "Check the axes.")
        if not self.head_names:
            object.__setattr__(self, "head_names", tuple(str(head) for head in range(weights.shape[0])))
        if len(self.head_names) != weights.shape[0]:
            raise _problem(place, f"{len(self.head_names)} head names", weights.shape[0], "Name each head once.")
        _check_values(place, weights, rows_sum_to_one=self.rows_sum_to_one, causal=self.causal)
        object.__setattr__(self, "weights", frozen_array(weights.astype(np.float32, copy=False)))
        companions = {name: frozen_array(np.asarray(values)) for name, values in self.companions.items()}
        object.__setattr__(self, "companions", MappingProxyType(companions))

    @property
    def mean(self) -> NDArray[np.float32]:
        """The mean over heads, [query, key]."""
        return np.asarray(self.weights.mean(axis=0), dtype=np.float32)

    def head(self, head: int | Literal["mean"]) -> NDArray[np.float32]:
        """Return the weights of one head, or the mean over heads: [query, key]."""
        return self.mean if head == "mean" else self.weights[head]

    def to_words(self) -> AttentionMap:
        """Merge pieces to words: the sum over the pieces of a key word, the mean over those of a query word.

        Rows that sum to 1 still do. Companions do not merge and are left behind.
        """
        if self.query_tokens == self.query_tokens.to_words() and self.key_tokens == self.key_tokens.to_words():
            return self
        weights = merge_to_words(self.weights, query_words=self.query_tokens.words, key_words=self.key_tokens.words)
        return replace(
            self,
            weights=weights,
            query_tokens=self.query_tokens.to_words(),
            key_tokens=self.key_tokens.to_words(),
            companions={},
        )


def _check_values(site: Site, weights: Array, *, rows_sum_to_one: bool, causal: bool) -> None:
    sums = weights @ np.ones(weights.shape[-1], dtype=weights.dtype)  # [head, query]; of NaN or infinity never finite
    if not np.isfinite(sums).all():
        raise _problem(site, "weights with NaN or infinity", "finite numbers", "Check the mask and the precision.")
    if weights.size and weights.min() < 0:
        raise _problem(site, f"a weight of {weights.min():.3g}", "weights of 0 or more", "Were scores captured?")
    if causal and _looks_ahead(weights):
        raise _problem(site, "a causal map that looks ahead", "0 above the diagonal", "Check the mask function.")
    if rows_sum_to_one and weights.size:
        worst = np.unravel_index(np.abs(sums - 1).argmax(), sums.shape)
        if abs(sums[worst] - 1) > ROW_SUM_TOLERANCE:
            where = f"head {worst[0]}, row {worst[1]} that sums to {sums[worst]:.5f}"
            raise _problem(site, where, "1 within 1e-4", "Capture before dropout, in eval mode, in float32.")


def _looks_ahead(weights: Array) -> bool:
    """Return whether any weight, none of them below 0, stands above the diagonal; without a copy of the map."""
    for start in range(0, weights.shape[1], ROWS_AT_ONCE):
        end = start + ROWS_AT_ONCE
        if weights[:, start:end, end:].any() or np.triu(weights[:, start:end, start:end], 1).any():
            return True
    return False


def merge_to_words(weights: Array, *, query_words: Iterable[int], key_words: Iterable[int]) -> NDArray[np.float32]:
    """Merge pieces to words: sum over the pieces of a key word, mean over those of a query word.

    Parameters
    ----------
    weights : array, [head, query, key]
    query_words, key_words : sequence of int
        For each piece the index of its word.

    Returns
    -------
    float32 array, [head, query word, key word]
    """
    queries, keys = (np.asarray(tuple(words), dtype=np.int64) for words in (query_words, key_words))
    if not (queries.size and keys.size):
        return np.zeros((weights.shape[0], np.unique(queries).size, np.unique(keys).size), dtype=np.float32)
    starts = [np.flatnonzero(np.diff(words, prepend=-1)) for words in (queries, keys)]
    merged = np.empty((weights.shape[0], starts[0].size, starts[1].size), dtype=np.float32)
    for head, values in enumerate(weights):  # one head at a time: float64 takes twice the memory of the weights
        summed = np.add.reduceat(values.astype(np.float64), starts[1], axis=1)  # [query, key word]
        merged[head] = np.add.reduceat(summed, starts[0], axis=0) / np.bincount(queries)[:, None]
    return merged


@dataclass(frozen=True, slots=True, eq=False)
class AttentionTrace(_Record):
    """All that one run left: maps, tokens, steps and where they come from.

    Parameters
    ----------
    source : TokenSequence
        The text that was read, with its closing ``</s>``; a one-stack model's only text.
    target : TokenSequence
        The tokens written, the closing ``</s>`` included; empty for a one-stack model.
    target_input : TokenSequence
        The tokens that the decoder read in: ``<s>``, y1, ...; as long as `target`.
    maps : tuple of AttentionMap
        One a site.
    steps : tuple of Step
        One a target token.
    source_text, output_text : str
        The two texts, decoded.
    provenance : Provenance
    predictions : tuple of Prediction, optional
        Of a one-stack model with a language head: what may follow, or what a masked token may be.
    vectors : float32 array, [token of source, d_model], optional
        The final vectors of the text that was read.

    Examples
    --------
    ``trace["decoder.0.cross"]`` is a map, ``trace.sites`` lists them, and
    ``trace["decoder.0.cross"].to_words()`` merges its pieces to words.
    """

    source: TokenSequence
    target: TokenSequence
    target_input: TokenSequence
    maps: tuple[AttentionMap, ...]
    steps: tuple[Step, ...]
    source_text: str
    output_text: str
    provenance: Provenance
    predictions: tuple[Prediction, ...] = ()
    vectors: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if self.vectors is not None:
            if self.vectors.ndim != 2 or len(self.vectors) != len(self.source):
                message = f"trace: got vectors of shape {self.vectors.shape} for {len(self.source)} tokens"
                raise TraceError(message)
            object.__setattr__(self, "vectors", frozen_array(self.vectors.astype(np.float32, copy=False)))
        if not len(self.target) == len(self.target_input) == len(self.steps):
            message = (
                f"trace: got {len(self.target)} tokens written, {len(self.target_input)} read in and "
                f"{len(self.steps)} steps; expected as many of each"
            )
            raise TraceError(message)
        if len(set(self.sites)) != len(self.maps):
            message = f"trace: a site stands twice among {', '.join(map(str, self.sites))}; expected each once"
            raise TraceError(message)
        for each in self.maps:
            self._check_axes(each)

    def _check_axes(self, each: AttentionMap) -> None:
        own = self.source if each.site.stack == "encoder" or not self.is_translation else self.target_input
        expected = (own, own) if each.site.kind == "self" else (self.target, self.source)
        for axis, got, want in zip(("query", "key"), (each.query_tokens, each.key_tokens), expected, strict=True):
            if got != want:
                raise _problem(each.site, f"{axis} tokens {got.texts}", want.texts, "Label the axis from the trace.")

    @property
    def is_translation(self) -> bool:
        """Whether a text was written for the one that was read; False for a one-stack model."""
        return len(self.target) > 0

    @property
    def sites(self) -> tuple[Site, ...]:
        """The addresses of the maps, in order."""
        return tuple(each.site for each in self.maps)

    def __iter__(self) -> Iterator[AttentionMap]:
        return iter(self.maps)

    def __contains__(self, site: object) -> bool:
        return any(str(each.site) == str(site) for each in self.maps)

    def __getitem__(self, site: Site | str) -> AttentionMap:
        """Return the map at `site`; KeyError, naming the sites that there are, if it was not captured."""
        wanted = (Site.parse(site) if isinstance(site, str) else site).place
        for each in self.maps:
            if each.site == wanted:
                return each
        message = f"no map at {wanted}; captured: {', '.join(map(str, self.sites)) or 'none'}"
        raise KeyError(message)

    def read(self, site: Site | str, reading: Reading = "written") -> AttentionMap:
        """Return the map at `site` with its rows labelled by the token written or by the token just read in.

        Parameters
        ----------
        site : Site or str
            ``stack.layer.kind``.
        reading : {"written", "input"}
            What labels the rows of a cross map. ``"written"``: the token that the row's step writes.
            ``"input"``: the token that the step has just read in, so that a token's row is the one
            a step later than under ``"written"``; the row of ``<s>`` comes first and no row writes ``</s>``.
            In Transformers this reading is closer to word alignment (Chen et al. 2020). No weight
            changes, only the label. Self maps are labelled by the tokens read in under either reading.

        Returns
        -------
        AttentionMap
        """
        if reading not in ("written", "input"):
            message = f"reading is 'written' or 'input'; got {reading!r}"
            raise ValueError(message)
        found = self[site]
        if found.site.kind == "self" or reading == "written":
            return found
        return replace(found, query_tokens=self.target_input)
