"""View of one head of one map: weights with titles, axes, notes and a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, Reading, TokenSequence
from models.trace.tokens import word_positions
from viz.text.counting import FIRST_POSITION
from viz.text.language import _, mark
from viz.views.folding import fold
from viz.views.hiding import Hiding, Span, cut_to, hide_tokens, outside
from viz.views.written import label_written

Unit = Literal["word", "piece"]


Head = int | Literal["mean"]


_KEY_TITLES: Mapping[tuple[str, str], str] = {
    ("cross", "word"): mark("key: the source word attended to"),
    ("cross", "piece"): mark("key: the source subword attended to"),
    ("cells", "word"): mark("key: the cell attended to"),
    ("self", "word"): mark("key: the word attended to"),
    ("self", "piece"): mark("key: the subword attended to"),
    ("hops", "word"): mark("key: the word attended to"),
    ("hops", "piece"): mark("key: the subword attended to"),
    ("rollout", "word"): mark("key: the input word"),
    ("rollout", "piece"): mark("key: the input subword"),
}


_QUERY_TITLES: Mapping[tuple[str, str], str] = {
    ("written", "word"): mark("query: the word being written"),
    ("written", "piece"): mark("query: the subword being written"),
    ("input", "word"): mark("query: the word just read in"),
    ("input", "piece"): mark("query: the subword just read in"),
    ("self", "word"): mark("query: the word that attends"),
    ("self", "piece"): mark("query: the subword that attends"),
    ("hops", "word"): mark("hop: a learned query"),
    ("hops", "piece"): mark("hop: a learned query"),
    ("rollout", "word"): mark("query: the word after these layers"),
    ("rollout", "piece"): mark("query: the subword after these layers"),
}


_CELLS: Mapping[str, str] = {
    "written": mark("{weight}: writing {query}, it attends to {key}"),
    "input": mark("{weight}: after {query}, it attends to {key}"),
    "self": mark("{weight}: {query} attends to {key}"),
    "hops": mark("{weight}: {query} attends to {key}"),
    "rollout": mark("{weight} of {query} comes from {key}"),
    "moved": mark("{weight} of what moves {query} comes from {key}"),
    "zeroed": mark("{weight} of what {query} turns is without {key}"),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a picture is of, as its file says."""

    model: str = ""
    sentence: str = ""


UNKNOWN = Subject()


@dataclass(frozen=True, slots=True)
class View:
    """One head of one map of a trace, as it is shown."""

    trace: AttentionTrace
    shown: AttentionMap  # merged to words if `unit` says so, rows labelled as `reading` says
    head: Head
    # what labels the rows; of a self map the tokens read in, of hops their numbers, under either reading
    reading: Literal["written", "input", "self", "hops"]
    unit: Unit
    merged: bool  # whether merging pieces to words changed anything
    # positions of what `hide` has left out; of keys the last column of `shown` holds the sum
    hidden_queries: tuple[int, ...] = ()
    # positions of what `hide` has left out; of keys the last column of `shown` holds the sum
    hidden_keys: tuple[int, ...] = ()
    threshold: float = 0.0  # cells nearer to 0 than this are drawn empty
    # what the numbers are: weights of the model, or what was computed of them
    quantity: Literal["weights", "moved", "zeroed", "rollout"] = "weights"
    # of a pair of texts that are read together: which one is shown in rows, and which in columns
    between: tuple[int, int] | None = None
    folded: int = 0  # sentences that are one row and one column
    # the part of the rows and of the columns that is shown; None: all but those hidden otherwise
    row_span: Span | None = None
    column_span: Span | None = None
    of_cells: bool = False  # whether keys are cells of a scene, each one token
    # [query, key] Which cells the causal mask hides, those of later words; None where there is no such mask
    masked: NDArray[np.bool_] | None = field(default=None, compare=False, repr=False)

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights shown, [query, key]."""
        return self.shown.head(self.head)

    @property
    def query_labels(self) -> TokenSequence:
        """What labels the rows: the tokens, those that a causal model wrote marked."""
        return self._labels(self.shown.query_tokens, self.hidden_queries)

    @property
    def key_labels(self) -> TokenSequence:
        """What labels the columns, as of the rows."""
        return self._labels(self.shown.key_tokens, self.hidden_keys)

    def _labels(self, shown: TokenSequence, hidden: tuple[int, ...]) -> TokenSequence:
        if self.folded:  # marked before
            return shown
        words = self.unit == "word"
        written = None if self.trace.is_translation else self.trace.written
        return label_written(shown, self.trace.source, written, words=words, hidden=hidden)

    @property
    def title(self) -> str:
        """The mechanism and its year, where that is known."""
        title, year = _(self.trace.provenance.title), self.trace.provenance.year
        return f"{title}, {year}" if year else title

    @property
    def subject(self) -> Subject:
        """The mechanism and its sentence."""
        return Subject(self.title, self.trace.source_text)

    @property
    def key_title(self) -> str:
        """What the columns are, in words."""
        if self.of_cells:
            return _(_KEY_TITLES["cells", self.unit])
        return _(_KEY_TITLES[self.quantity if self.quantity == "rollout" else self.shown.site.kind, self.unit])

    @property
    def query_title(self) -> str:
        """What the rows are, in words."""
        return _(_QUERY_TITLES[self.quantity if self.quantity == "rollout" else self.reading, self.unit])

    def cell(self, *, weight: str, query: str, key: str) -> str:
        """Say what one cell says; each part is text that the caller has made fit for where it is shown."""
        return _(
            _CELLS[self.reading if self.quantity == "weights" else self.quantity], weight=weight, query=query, key=key
        )

    @property
    def meaning(self) -> str:
        """What the colour of a cell is, in words."""
        if self.quantity == "moved":
            return _("moved: share of the lengths that all keys add to the query's vector")
        if self.quantity == "zeroed":
            return _("value zeroing: share of how far the query's vector turns without the key's value")
        return _("attention weight")


def choose_view(
    trace: AttentionTrace,
    *,
    unit: Unit = "word",
    site: Site | str | None = None,
    head: Head | None = None,
    reading: Reading | None = None,
) -> View:
    """Return the map of `trace` that a figure shows."""
    if unit not in ("word", "piece"):
        message = f"unit is 'word' or 'piece'; got {unit!r}"
        raise ValueError(message)
    chosen = trace.provenance.alignment
    if site is None:
        site = chosen.site if chosen.site.place in trace else _first_site(trace)
    reading = chosen.reading if reading is None else reading
    pieces = trace.read(site, reading)
    heads = len(pieces.head_names)
    if head is None:
        known = pieces.site == chosen.site.place
        head = chosen.head if known else "mean" if heads > 1 else 0
    if head != "mean" and not 0 <= head < heads:
        message = f"{pieces.site}: got head {head!r}; expected 'mean' or 0 to {heads - 1}"
        raise ValueError(message)
    if head == "mean" and pieces.quantity == "moved":  # all heads together, which is no mean of them
        pieces = replace(pieces, weights=pieces.mean[None], head_names=("mean",), companions={})
    shown = with_named_rows(one_place_a_row(pieces) if unit == "word" else pieces)
    rows: Literal["written", "input", "self", "hops"] = reading
    if pieces.site.kind in ("self", "hops"):
        rows = "self" if pieces.site.kind == "self" else "hops"
    merged = shown.weights.shape != pieces.weights.shape
    return View(trace, shown, head, rows, unit, merged=merged, quantity=pieces.quantity, masked=masked_cells(shown))


def masked_cells(shown: AttentionMap) -> NDArray[np.bool_] | None:
    """Return which cells of a whole map the causal mask hides, [query, key]; None where there is no such mask."""
    return ~np.tri(*shown.weights.shape[1:], dtype=np.bool_) if shown.causal else None


def one_place_a_row(pieces: AttentionMap) -> AttentionMap:
    """Merge a map to words; where each piece attends to one place alone, so does its word: to where most pieces do."""
    words = pieces.to_words()
    if words is pieces or not is_hard(pieces):
        return words
    places = words.weights.argmax(axis=-1)  # [head, query word]
    return replace(words, weights=np.eye(words.weights.shape[-1], dtype=np.float32)[places])


def is_hard(pieces: AttentionMap) -> bool:
    """Return whether every row is a 1 among zeros."""
    weights = pieces.weights
    return bool(weights.size and (weights.max(axis=-1) == 1).all() and (np.count_nonzero(weights, axis=-1) == 1).all())


def with_named_rows(shown: AttentionMap) -> AttentionMap:
    """Return a map as it is; that of hops with its rows named in the language of the reader."""
    if shown.site.kind != "hops":
        return shown
    names = (_("hop-{number}", number=place + FIRST_POSITION) for place in range(len(shown.query_tokens)))
    return replace(shown, query_tokens=TokenSequence.from_words(names))


def hide(view: View, hiding: Hiding) -> View:
    """Return `view` without what `hiding` leaves out, in sight as a last column and in `notes_of`."""
    trace, names = view.trace, _axis_names(view)
    places = [getattr(hiding, name) if name else () for name in names]
    if view.unit == "word":
        axes = [getattr(trace, name) if name else view.shown.query_tokens for name in names]
        places = [word_positions(axis, each) for axis, each in zip(axes, places, strict=True)]
    texts = (view.shown.query_tokens, view.shown.key_tokens)
    if hiding.between is not None:
        cut = [outside(text, each) for text, each in zip(texts, hiding.between, strict=True)]
        places = [tuple(sorted({*one, *other})) for one, other in zip(places, cut, strict=True)]
    (queries, row_span), (keys, column_span) = (
        cut_to(span, each, text) for span, each, text in zip((hiding.rows, hiding.columns), places, texts, strict=True)
    )
    found = replace(
        view,
        shown=hide_tokens(view.shown, queries=queries, keys=keys),
        hidden_queries=queries,
        hidden_keys=keys,
        threshold=hiding.threshold,
        between=hiding.between,
        row_span=row_span,
        column_span=column_span,
        masked=None if view.masked is None else _hide_masked(view.masked, queries, keys),
    )
    if hiding.opened is None:
        return found
    labelled = replace(found.shown, query_tokens=found.query_labels, key_tokens=found.key_labels)
    shown, folded = fold(labelled, hiding.opened, alone=bool(keys))
    if not folded:
        return found
    masked = found.masked
    if masked is not None:  # a folded cell is hidden where all of it is
        seen = (~masked[None]).astype(np.float32)
        seen_map = replace(labelled, weights=seen, head_names=(), rows_sum_to_one=False, companions={})
        masked = fold(seen_map, hiding.opened, alone=bool(keys))[0].weights[0] == 0
    return replace(found, shown=shown, folded=folded, masked=masked)


def _hide_masked(masked: NDArray[np.bool_], queries: Sequence[int], keys: Sequence[int]) -> NDArray[np.bool_]:
    """Return `masked` without hidden rows and columns; the column of all that is hidden is never crossed out.

    Shapes: `masked` [query, key]; returns [shown query, shown key and the hidden ones].
    """
    kept = np.delete(np.delete(masked, list(queries), axis=0), list(keys), axis=1)
    return np.pad(kept, ((0, 0), (0, int(bool(keys)))))


def _axis_names(view: View) -> tuple[str, str]:
    """Name the sequences of the trace that label rows and columns; "" for rows that are hops, of no text."""
    site = view.shown.site
    if site.kind == "hops":
        return "", "source"
    if site.kind == "cross":
        return ("target" if view.reading == "written" else "target_input"), "source"
    own = "source" if site.stack == "encoder" or not len(view.trace.target) else "target_input"
    return own, own


def key_pieces(view: View) -> TokenSequence:
    """Return the pieces of the text whose words or pieces are the keys of `view`."""
    pieces: TokenSequence = getattr(view.trace, _axis_names(view)[1])
    return pieces


def _first_site(trace: AttentionTrace) -> Site:
    if not trace.sites:
        message = "the trace holds no map; attend with sites that match one, such as '*.weights'"
        raise ValueError(message)
    return min(trace.sites, key=lambda site: site.kind != "cross")
