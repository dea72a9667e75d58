"""One sentence through many variants of a model or of its source, in batches, the same target forced each time.

What a head, or a source word, is worth to what is written; and what maps look like by chance. Every function takes
`on_progress`, called with the share that is done, from 0 to 1; whatever it raises ends the sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.batch_edits import BatchRowEdit
from models.edits import Array, zero_head
from models.errors import InputError
from models.hooks import capture
from models.network import BEGIN, END, TranslationNetwork
from models.sites import Site
from models.trace import AttentionTrace, merge_to_words

if TYPE_CHECKING:
    from models.huggingface.model import PretrainedModel
    from models.translator import Translator

BATCH = 24
"""Variants that run at once."""

BAND = (2.5, 97.5)
"""The percentiles that bound what chance gives: the central 95%."""

LEAST_SAMPLES = 20
"""Below that the percentiles of a band mean nothing."""

Progress = Callable[[float], None]
Unit = Literal["word", "piece"]
How = Literal["weights", "order"]
_RANDOM = Lock()


def _silent(_share: float) -> None:
    """Show no progress."""


@dataclass(frozen=True, eq=False)
class HeadSweep:
    """What each head is worth to a translation.

    Parameters
    ----------
    heads : tuple of (Site, int)
        Place and number.
    baseline : float64 array, [target]
        Log-probability (natural) of each written token, nothing edited.
    changes : float64 array, [head, target]
        Log-probability with that head switched off, less the baseline: below 0 the token became less likely.
    """

    heads: tuple[tuple[Site, int], ...]
    baseline: NDArray[np.float64]
    changes: NDArray[np.float64]

    @property
    def totals(self) -> NDArray[np.float64]:
        """The change of the whole translation's log-probability, [head]."""
        return np.asarray(self.changes.sum(axis=1))


@dataclass(frozen=True, eq=False)
class VectorSweep:
    """What each head of a one-stack model is worth to the vectors that it gives.

    Parameters
    ----------
    heads : tuple of (Site, int)
        Place and number.
    changes : float64 array, [head, token]
        1 - cosine of each token's final vector with that head switched off to the same without: 0 is no change.
    """

    heads: tuple[tuple[Site, int], ...]
    changes: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WordSweep:
    """What each source word is worth to each token of a translation.

    Parameters
    ----------
    words : tuple of str
        The source words, ``</s>`` left out.
    baseline : float64 array, [target]
        Log-probability (natural) of each written token, nothing left out.
    changes : float64 array, [source word, target]
        Log-probability without that word, less the baseline.
    """

    words: tuple[str, ...]
    baseline: NDArray[np.float64]
    changes: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChanceBands:
    """Where the weights of a map lie by chance.

    Parameters
    ----------
    site : Site
    how : {"weights", "order"}
        By networks of the same architecture with fresh weights, or by the trained one on the source words shuffled,
        its columns put back to their words.
    unit : {"word", "piece"}
        Of rows and columns.
    samples : int
    low, high : float32 array, [head, query, key]
        The bounds of the central 95% of each cell.
    mean_low, mean_high : float32 array, [query, key]
        The same for the mean over heads.
    """

    site: Site
    how: How
    unit: Unit
    samples: int
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    mean_low: NDArray[np.float32]
    mean_high: NDArray[np.float32]

    def beyond(self, weights: Array, head: int | Literal["mean"]) -> NDArray[np.bool_]:
        """Tell which cells of `weights`, [query, key], lie outside the band: more, or less, than chance gives."""
        low, high = (self.mean_low, self.mean_high) if head == "mean" else (self.low[head], self.high[head])
        return np.asarray((weights < low) | (weights > high))


def _log_probabilities(network: TranslationNetwork, sources: Tensor, target: Sequence[int]) -> Tensor:
    """Give the log-probability of each token of `target`, forced on every row of `sources`: [batch, target]."""
    written = torch.tensor([target] * len(sources))
    inputs = torch.cat((torch.full((len(sources), 1), BEGIN), written[:, :-1]), dim=1)
    logits = network.decode(network.encode(sources), inputs)  # [batch, target, vocabulary]
    logits[..., :END] = -torch.inf  # <pad> and <s> are never written
    return logits.log_softmax(dim=-1).gather(2, written[..., None])[..., 0]


def _batches(count: int, size: int) -> Iterator[range]:
    for start in range(0, count, size):
        yield range(start, min(start + size, count))


def _baseline(trace: AttentionTrace) -> NDArray[np.float64]:
    return np.array([step.log_probability for step in trace.steps])


def heads_of(trace: AttentionTrace) -> tuple[tuple[Site, int], ...]:
    """Give every head of `trace`: the place of its map, and its number."""
    return tuple((each.site, head) for each in trace for head in range(len(each.weights)))


def switch_off_each_head(
    model: Translator, trace: AttentionTrace, *, batch: int = BATCH, on_progress: Progress = _silent
) -> HeadSweep:
    """Switch off every head in turn while the model writes the translation of `trace`.

    Parameters
    ----------
    model : Translator
        The one that gave `trace`.
    trace : AttentionTrace
        With all maps, nothing edited.
    batch : int, optional
        Heads that run at once.
    on_progress : callable, optional

    Returns
    -------
    HeadSweep
    """
    heads = heads_of(trace)
    rows: list[Tensor] = []
    with torch.inference_mode():
        for numbers in _batches(len(heads), batch):
            on_progress(numbers.start / len(heads))
            edits = [
                BatchRowEdit(str(site), zero_head(str(site), head), row)
                for row, (site, head) in enumerate(heads[number] for number in numbers)
            ]
            sources = torch.tensor([trace.source.ids] * len(numbers))
            with capture((), edits):
                rows.append(_log_probabilities(model.network, sources, trace.target.ids))
    on_progress(1.0)
    baseline = _baseline(trace)
    changes = torch.cat(rows).double().numpy() - baseline if rows else np.zeros((0, len(baseline)))
    return HeadSweep(heads, baseline, changes)


def turned(before: NDArray[np.floating[Any]], after: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Give 1 - cosine of vectors, [..., d]: 0 if they point the same way, 1 if at right angles; [...]."""
    one, other = (np.asarray(each, dtype=np.float64) for each in (before, after))
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    products = (one * other).sum(axis=-1)
    return np.asarray(1 - np.divide(products, lengths, out=np.ones_like(products), where=lengths > 0))


def switch_off_each_head_for_vectors(
    model: PretrainedModel,
    trace: AttentionTrace,
    source: str,
    *,
    pair: str | None = None,
    batch: int = BATCH,
    on_progress: Progress = _silent,
) -> VectorSweep:
    """Switch off every head of a one-stack model in turn, and compare the final vectors of the tokens.

    Parameters
    ----------
    model : PretrainedModel
        The one that gave `trace`.
    trace : AttentionTrace
        Of `source` and `pair`, with all maps, nothing edited.
    source : str
    pair : str, optional
    batch : int, optional
        Heads that run at once.
    on_progress : callable, optional

    Returns
    -------
    VectorSweep

    Raises
    ------
    InputError
        If the model is not of one stack, or its attention cannot be edited.
    """
    heads = heads_of(trace)
    (before,) = model.variants(source, [()], pair=pair)
    found: list[NDArray[np.float64]] = []
    for numbers in _batches(len(heads), batch):
        on_progress(numbers.start / len(heads))
        variants = [(zero_head(str(heads[number][0]), heads[number][1]),) for number in numbers]
        found.append(turned(before, model.variants(source, variants, pair=pair)))
    on_progress(1.0)
    return VectorSweep(heads, np.concatenate(found))


def leave_out_each_word(
    model: Translator, trace: AttentionTrace, *, batch: int = BATCH, on_progress: Progress = _silent
) -> WordSweep:
    """Leave out every source word in turn while the model writes the translation of `trace`.

    Parameters
    ----------
    model : Translator
        The one that gave `trace`.
    trace : AttentionTrace
    batch : int, optional
        Texts that run at once; those of one batch have one length, so that nothing is padded.
    on_progress : callable, optional

    Returns
    -------
    WordSweep

    Raises
    ------
    InputError
        If the source has one word alone: nothing would be left.
    """
    source = trace.source
    words = source.words[-1]  # the last is </s>
    if words < 2:
        message = "The sentence has one word: type at least two, so that one can be left out."
        raise InputError(message)
    left = [
        [token for token, word in zip(source.ids, source.words, strict=True) if word != out] for out in range(words)
    ]
    changes = np.zeros((words, len(trace.target)))
    done = 0
    with torch.inference_mode():
        for length in sorted(set(map(len, left))):
            alike = [word for word in range(words) if len(left[word]) == length]
            for numbers in _batches(len(alike), batch):
                on_progress(done / words)
                chosen = [alike[number] for number in numbers]
                found = _log_probabilities(
                    model.network, torch.tensor([left[word] for word in chosen]), trace.target.ids
                )
                changes[chosen] = found.double().numpy() - _baseline(trace)
                done += len(chosen)
    on_progress(1.0)
    return WordSweep(source.word_texts[:words], _baseline(trace), changes)


def fresh_network(model: Translator, seed: int) -> TranslationNetwork:
    """Give a network of the architecture of `model` with the weights that training starts from."""
    with _RANDOM, torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        made: TranslationNetwork = model.mechanism.build(**model.card["network"])
    return made.eval().requires_grad_(False)


def chance_bands(
    model: Translator,
    trace: AttentionTrace,
    site: Site | str,
    *,
    how: How,
    unit: Unit = "word",
    samples: int = 40,
    seed: int = 0,
    on_progress: Progress = _silent,
) -> ChanceBands:
    """Give where the weights of a cross map lie by chance, the translation of `trace` forced.

    Parameters
    ----------
    model : Translator
        The one that gave `trace`.
    trace : AttentionTrace
    site : Site or str
        A cross map, such as ``decoder.0.cross``.
    how : {"weights", "order"}
        See `ChanceBands`.
    unit : {"word", "piece"}, optional
        Maps are merged to words before the bounds are taken.
    samples : int, optional
        `LEAST_SAMPLES` or more.
    seed : int, optional
        Of the first sample; the same gives the same bands.
    on_progress : callable, optional

    Returns
    -------
    ChanceBands

    Raises
    ------
    ValueError
        If there are too few samples, or the map is not a cross map.
    """
    place = trace[site].site
    if samples < LEAST_SAMPLES or place.kind != "cross":
        message = f"chance bands take {LEAST_SAMPLES} samples or more of a cross map; got {samples} of {place}"
        raise ValueError(message)
    draw = _fresh_maps if how == "weights" else _shuffled_maps
    drawn = draw(model, trace, place, range(seed, seed + samples), on_progress)
    words = {"query_words": trace.target.words, "key_words": trace.source.words}
    maps = np.stack([merge_to_words(each, **words) if unit == "word" else each for each in drawn])
    low, high = np.percentile(maps, BAND, axis=0).astype(np.float32)
    mean_low, mean_high = np.percentile(maps.mean(axis=1), BAND, axis=0).astype(np.float32)
    on_progress(1.0)
    return ChanceBands(place, how, unit, samples, low, high, mean_low, mean_high)


def _cross_maps(network: TranslationNetwork, sources: Tensor, target: Sequence[int], place: Site) -> Array:
    """Give the weights at `place` while `target` is forced on every row of `sources`: [batch, head, query, key]."""
    inputs = torch.tensor([(BEGIN, *target[:-1])] * len(sources))
    with capture((place.at("weights"),)) as session:
        network.decode_states(network.encode(sources), inputs)
    weights: Array = session[place.at("weights")].numpy()
    return weights


def _fresh_maps(
    model: Translator, trace: AttentionTrace, place: Site, seeds: Sequence[int], on_progress: Progress
) -> Iterator[Array]:
    source = torch.tensor([trace.source.ids])
    for number, seed in enumerate(seeds):
        on_progress(number / len(seeds))
        network = fresh_network(model, seed)
        with torch.inference_mode():
            yield _cross_maps(network, source, trace.target.ids, place)[0]


def _shuffled_maps(
    model: Translator, trace: AttentionTrace, place: Site, seeds: Sequence[int], on_progress: Progress
) -> Iterator[Array]:
    ids, words = np.array(trace.source.ids), np.array(trace.source.words)
    orders = [_shuffled(words, np.random.default_rng(seed)) for seed in seeds]
    for numbers in _batches(len(orders), BATCH):
        on_progress(numbers.start / len(orders))
        chosen = [orders[number] for number in numbers]
        with torch.inference_mode():
            sources = torch.tensor(np.stack([ids[order] for order in chosen]))
            maps = _cross_maps(model.network, sources, trace.target.ids, place)
        for order, weights in zip(chosen, maps, strict=True):
            back = np.empty_like(weights)
            back[..., order] = weights
            yield back


def _shuffled(words: NDArray[Any], generator: np.random.Generator) -> NDArray[np.int64]:
    """Give the positions of all tokens with their words in another order, ``</s>`` last, each word whole."""
    order = (*generator.permutation(words[-1]), words[-1])
    return np.concatenate([np.flatnonzero(words == word) for word in order])
