"""What a head, or a source word, is worth: one text through many variants, in batches, the same target forced.

Every function takes a replay, which a model's ``replay(trace)`` gives, and `on_progress`, called with the share that is
done, from 0 to 1; whatever that raises ends the sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.edits import zero_head, zero_row
from models.errors import InputError
from models.experiments.batch_edits import BatchRowEdit
from models.messages import Message
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence
from models.translation.replaying import Outcome, Replay

Progress = Callable[[float], None]


def silent(_share: float) -> None:
    """Show no progress."""


def batches(count: int, size: int) -> Iterator[range]:
    """Return the numbers from 0 to `count`, `size` at a time."""
    for start in range(0, count, size):
        yield range(start, min(start + size, count))


@dataclass(frozen=True, eq=False)
class HeadSweep:
    """What each head is worth to what a model writes or predicts, and to the vectors that it gives."""

    heads: tuple[tuple[Site, int], ...]  # place and number
    # the target; of a causal text the tokens that follow another; nothing if the model predicts nothing
    written: TokenSequence
    baseline: NDArray[np.float64]  # [written] Log-probability (natural) of each, nothing edited
    # [head, written] Log-probability with that head switched off, less the baseline: below 0 the token became less
    # likely
    changes: NDArray[np.float64]
    # [head, token] Of a model of one stack: 1 - cosine of each token's final vector with that head switched off to the
    # same without: 0 is no change
    turns: NDArray[np.float64] | None = None

    @property
    def totals(self) -> NDArray[np.float64]:
        """The change of the whole text's log-probability, [head]."""
        return np.asarray(self.changes.sum(axis=1))


@dataclass(frozen=True, eq=False)
class WordSweep:
    """What each source word is worth to each token of a translation, or to the class that a classifier tells."""

    words: tuple[str, ...]  # the source words; special tokens are none
    places: tuple[int, ...]  # where each stands among all words of the source, special ones counted
    # [target] Log-probability (natural) of each written token, or of the class, nothing left out
    baseline: NDArray[np.float64]
    changes: NDArray[np.float64]  # [source word, target] Log-probability without that word, less the baseline


@dataclass(frozen=True, eq=False)
class HopSweep:
    """What each hop is worth to the class that a classifier holds for likeliest."""

    answer: str  # that class
    baseline: float  # its log-probability (natural), nothing edited
    changes: NDArray[np.float64]  # [hop] Log-probability with that hop switched off, its row 0, less the baseline


def heads_of(trace: AttentionTrace) -> tuple[tuple[Site, int], ...]:
    """Return every head of `trace`: the place of its map, and its number."""
    return tuple((each.site, head) for each in trace for head in range(len(each.weights)))


def turned(before: NDArray[np.floating[Any]], after: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return 1 - cosine of vectors, [..., d]: 0 if they point the same way, 1 if at right angles; [...].

    Shapes: `before` [..., d]; `after` [..., d].
    """
    one, other = (np.asarray(each, dtype=np.float64) for each in (before, after))
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    products = (one * other).sum(axis=-1)
    cosines = np.divide(products, lengths, out=np.ones_like(products), where=lengths > 0)
    return np.asarray(np.maximum(1 - cosines, 0))  # rounding may make a cosine a little more than 1


def switch_off_each_head(replay: Replay, *, batch: int | None = None, on_progress: Progress = silent) -> HeadSweep:
    """Switch off every head in turn, the same texts read and written each time."""
    heads, before = heads_of(replay.trace), replay.trace.vectors
    changes = [np.zeros((0, len(replay.written)))]
    turns: list[NDArray[np.float64]] = []
    for numbers in batches(len(heads), batch or replay.most):
        on_progress(numbers.start / len(heads))
        found = _without_heads(replay, [heads[number] for number in numbers])
        changes.append(found.log_probabilities - replay.baseline)
        if found.vectors is not None and before is not None:
            turns.append(turned(before, found.vectors))
    on_progress(1.0)
    return HeadSweep(
        heads, replay.written, replay.baseline, np.concatenate(changes), np.concatenate(turns) if turns else None
    )


def _without_heads(replay: Replay, heads: list[tuple[Site, int]]) -> Outcome:
    """Run once a head, all in one batch, that head switched off."""
    edits = [
        BatchRowEdit(str(site), zero_head(str(site), head), batch_row) for batch_row, (site, head) in enumerate(heads)
    ]
    return replay.run(replay.as_it_is(len(heads)), edits)


def switch_off_each_hop(replay: Replay, *, on_progress: Progress = silent) -> HopSweep:
    """Switch off every hop in turn, the same text read each time."""
    hops = [each for each in replay.trace if each.site.kind == "hops"]
    if not hops or not replay.trace.classes:
        raise InputError(Message("This model has no hops, or no classifier that uses them."))
    site, count = str(hops[0].site), hops[0].weights.shape[1]
    changes = np.zeros(count)
    for numbers in batches(count, replay.most):
        on_progress(numbers.start / count)
        edits = [BatchRowEdit(site, zero_row(site, None, hop), row) for row, hop in enumerate(numbers)]
        found = replay.run(replay.as_it_is(len(numbers)), edits)
        changes[numbers.start : numbers.stop] = (found.log_probabilities - replay.baseline)[:, 0]
    on_progress(1.0)
    return HopSweep(replay.written.texts[0], float(replay.baseline[0]), changes)


def leave_out_each_word(replay: Replay, *, batch: int | None = None, on_progress: Progress = silent) -> WordSweep:
    """Leave out every source word in turn while the model writes the same translation, or tells the same class."""
    trace, words = replay.trace, replay.free_words
    if not trace.is_translation and not trace.classes:
        message = Message(
            "This model neither translates nor classifies, so the effect of leaving out a word cannot be measured."
        )
        raise InputError(message)
    if len(words) < 2:
        message = Message("The sentence has one word. Type at least two, so one can be left out.")
        raise InputError(message)
    owners = np.array(trace.source.words)
    left = [np.flatnonzero(owners != word) for word in words]
    changes = np.zeros((len(words), len(replay.written)))
    done = 0
    for length in sorted(set(map(len, left))):
        alike = [number for number, order in enumerate(left) if len(order) == length]
        for numbers in batches(len(alike), batch or replay.most):
            on_progress(done / len(words))
            chosen = [alike[number] for number in numbers]
            found = replay.run(np.stack([left[number] for number in chosen]))
            changes[chosen] = found.log_probabilities - replay.baseline
            done += len(chosen)
    on_progress(1.0)
    return WordSweep(tuple(trace.source.word_texts[word] for word in words), words, replay.baseline, changes)
