"""From the weights of several texts to statistics: merged to words, measured, added up; no map is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from models.measures.divergence import head_divergence
from models.measures.heads import MEASURES, Measured, measure_heads
from models.measures.labels import LABELS
from models.measures.reading import Reading
from models.measures.texts import Texts, TextSample, strongest_cells
from models.sites import Site
from models.trace import Alignment, TokenSequence
from models.trace.tokens import word_positions
from scale.corpus.examples import Strongest
from scale.corpus.forward import Ran, Read
from scale.corpus.statistics import CountedText, Statistics

Array = NDArray[Any]

BINS = 200
MOST = {"entropy": 10.0, "distance": 50.0}
"""What the last bin of a measure that is no share begins near; what is more is counted there."""

PLACES = 64
"""Positions, and lengths, that are told apart; what is beyond counts with the last."""


@dataclass(frozen=True)
class CountedModel:
    """What counting must know of a model."""

    heads: Mapping[Site, int]  # its places, in the order of a trace
    causal: frozenset[Site]  # where a query reads only keys up to its own position
    rows_sum_to_one: bool
    alignment: Alignment | None = None  # the map, head and reading that align best, where that was measured

    @property
    def kinds(self) -> dict[str, list[Site]]:
        """The places of each kind of map, such as ``encoder.self``, by layer."""
        found: dict[str, list[Site]] = defaultdict(list)
        for site in sorted(self.heads):
            found[f"{site.stack}.{site.kind}"].append(site)
        return dict(found)


class Count:
    """Adds up what the heads of a model do on texts, batch by batch."""

    def __init__(self, model: CountedModel, stride: int = 1) -> None:
        self.model, self.stride = model, stride
        self.sums: dict[str, Any] = {"sentences": np.int64(0)}
        heads = {kind: sum(model.heads[site] for site in sites) for kind, sites in model.kinds.items()}
        self.strongest = {kind: Strongest(count) for kind, count in heads.items()}
        self.texts: dict[int, CountedText] = {}

    def add(self, ran: Ran, texts: Sequence[Read]) -> None:
        """Count what one pass left."""
        self._sum("sentences", np.int64(len(texts)))
        links = self._links(ran, len(texts))
        for kind, sites in self.model.kinds.items():
            queries, keys = (_Side.of(each) for each in ran.axes(sites[0]))
            causal = sites[0] in self.model.causal
            samples = [
                TextSample.of(
                    key.word_texts,
                    queries=len(query.word_texts),
                    specials=word_positions(key, key.specials),
                    causal=causal,
                    rows_sum_to_one=self.model.rows_sum_to_one,
                    links=links[place] if links and sites[0].kind == "cross" else None,
                )
                for place, (query, key) in enumerate(zip(queries.texts, keys.texts, strict=True))
            ]
            facts = Texts(samples)
            maps = [_merged(ran.session.take(site.at("weights")), queries, keys) for site in sites]
            found = []
            for site, weights in zip(sites, maps, strict=True):
                reading = Reading(
                    weights, [each.queries for each in samples], [each.keys for each in samples], causal=causal
                )
                found.append((reading, measure_heads(reading, facts, site)))
            self._count(kind, found, facts)
            self._compare(kind, maps, facts, texts)
            lines = [each.line.number for each in texts]
            labels = [each.labels for _, each in found]
            for place in self.strongest[kind].add(labels, maps, facts, lines):
                self.texts[lines[place]] = _text_of(ran, texts[place], place)

    def statistics(self) -> Statistics:
        """Return what was counted."""
        examples = {kind: each.examples for kind, each in self.strongest.items()}
        return Statistics() + Statistics(dict(self.sums), examples, self.texts)

    def _sum(self, name: str, values: Any) -> None:
        self.sums[name] = self.sums[name] + values if name in self.sums else values

    def _links(self, ran: Ran, count: int) -> list[Array]:
        """Return which source word each written word of each text is linked with; nothing if no map aligns."""
        known = self.model.alignment
        if known is None or known.site.place not in self.model.heads:
            return []
        weights = ran.session[known.site.place.at("weights")]
        chosen = weights.mean(dim=1) if known.head == "mean" else weights[:, known.head]
        found = []
        for place in range(count):
            target, source = ran.written[place], ran.source[place]
            late = known.reading == "input"
            rows = chosen[place, int(late) : len(target), : len(source)]
            ends = target.words[: len(target) - late]
            merged = rows.numpy() @ _owners(source.words).T
            merged = _owners(ends, mean=True) @ merged if len(ends) else merged
            columns, aside = (word_positions(text, text.specials) for text in (source, target))
            found.append(strongest_cells(merged, columns, aside, len(target.word_texts)))
        return found

    def _count(self, kind: str, found: Sequence[tuple[Reading, Measured]], facts: Texts) -> None:
        """Add the numbers of the heads of all layers of a kind."""
        first = found[0][1]
        for measure in (each for each in MEASURES if each.key in first.values):
            values = np.concatenate([each.values[measure.key] for _, each in found], axis=1)
            values = values[first.means[measure.key]].astype(np.float64)  # [text, head]
            self._sum(f"{kind} count {measure.key}", np.int64(len(values)))
            self._sum(f"{kind} sum {measure.key}", values.sum(axis=0))
            self._sum(f"{kind} squares {measure.key}", (values**2).sum(axis=0))
            self._sum(f"{kind} histogram {measure.key}", _histogram(values, MOST.get(measure.key, 1.0)))
        for key in first.expected:
            there = first.means[key]
            for name, parts in (
                ("expected", [each.expected[key] for _, each in found]),
                ("deviations", [each.clear[key] for _, each in found]),
            ):
                self._sum(f"{kind} {name} {key}", np.concatenate(parts, axis=1)[there].sum(axis=0, dtype=np.float64))
        codes = np.concatenate([each.labels.codes for _, each in found], axis=1)
        scores = np.concatenate([each.labels.scores for _, each in found], axis=1)
        hot = codes[..., None] == np.arange(len(LABELS))  # [text, head, label]
        self._sum(f"{kind} labels", hot.sum(axis=0))
        self._sum(f"{kind} scores", (hot * scores[..., None]).sum(axis=0, dtype=np.float64))
        self._sharpness(kind, found, facts)

    def _sharpness(self, kind: str, found: Sequence[tuple[Reading, Measured]], facts: Texts) -> None:
        """Add how sharp rows are by their position, and heads by the length of what they read."""
        by_place, rows = [], []
        for reading, _measured in found:
            may = reading.choices > 0  # [text, head, query]
            share = np.divide(reading.entropies, reading.choices, out=np.ones_like(reading.entropies), where=may)
            by_place.append(_beyond(np.where(may, 1 - share, 0).sum(axis=0, dtype=np.float64)))
            rows.append(_beyond(may.sum(axis=0)))
        self._sum(f"{kind} position sharpness", np.concatenate(by_place))
        self._sum(f"{kind} position rows", np.concatenate(rows))
        breadth = np.concatenate([each.values["breadth"] for _, each in found], axis=1)
        lengths = np.minimum([each.keys for each in facts.samples], PLACES) - 1
        by_length = np.zeros((PLACES, breadth.shape[1]))
        np.add.at(by_length, lengths, 1 - breadth)
        self._sum(f"{kind} length sharpness", by_length.T)
        self._sum(f"{kind} length sentences", np.bincount(lengths, minlength=PLACES))

    def _compare(self, kind: str, maps: Sequence[Array], facts: Texts, texts: Sequence[Read]) -> None:
        """Add how differently every two heads read the texts that were drawn for it."""
        for place, (each, sample) in enumerate(zip(texts, facts.samples, strict=True)):
            if each.line.number % self.stride == 0:
                own = np.concatenate([every[place, :, : sample.queries, : sample.keys] for every in maps])
                self._sum(f"{kind} divergence", head_divergence(own))
                self._sum(f"{kind} compared", np.int64(1))


@dataclass(frozen=True, eq=False)
class _Side:
    """One axis of the maps of several texts: which word each piece belongs to."""

    texts: Sequence[TokenSequence]
    lengths: Tensor
    sums: Tensor | None
    means: Tensor | None
    words: int

    @classmethod
    def of(cls, texts: Sequence[TokenSequence]) -> _Side:
        """Return it for `texts`; without matrices where every piece is a word."""
        pieces, words = max(map(len, texts)), max(len(each.word_texts) for each in texts)
        lengths = torch.tensor([len(each) for each in texts])
        if all(len(each) == len(each.word_texts) for each in texts):
            return cls(texts, lengths, None, None, words)
        sums = torch.zeros(len(texts), words, pieces)
        for place, each in enumerate(texts):
            sums[place, list(each.words), range(len(each))] = 1
        return cls(texts, lengths, sums, sums / sums.sum(dim=2, keepdim=True).clamp(min=1), words)


def _merged(weights: Tensor, queries: _Side, keys: _Side) -> Array:
    """Return weights, [text, head, query piece, key piece], merged to words, 0 beyond the end of each text."""
    rows, columns = max(map(len, queries.texts)), max(map(len, keys.texts))
    weights = weights[..., :rows, :columns]
    if keys.sums is not None:
        texts, heads = weights.shape[:2]
        flat = weights.reshape(texts, heads * rows, columns) @ keys.sums.mT
        weights = flat.reshape(texts, heads, rows, keys.words)  # [text, head, query piece, key]
    if queries.means is not None:
        return np.asarray((queries.means[:, None] @ weights).numpy())
    there = torch.arange(rows) < queries.lengths[:, None]  # [text, query]
    return np.asarray((weights * there[:, None, :, None]).numpy())


def _owners(words: Sequence[int], *, mean: bool = False) -> NDArray[np.float32]:
    """Return which word each piece is of: [word, piece]."""
    found = np.zeros((max(words, default=-1) + 1, len(words)), dtype=np.float32)
    found[list(words), range(len(words))] = 1
    return found / found.sum(axis=1, keepdims=True) if mean else found


def _histogram(values: Array, most: float) -> NDArray[np.int64]:
    """Return how many texts of each head fall into each bin from 0 to `most`: [head, bin]."""
    heads = values.shape[1]
    bins = np.clip(values * (BINS / most), 0, BINS - 1).astype(np.int64)
    flat = bins + np.arange(heads) * BINS
    return np.bincount(flat.ravel(), minlength=heads * BINS).reshape(heads, BINS)


def _beyond(values: Array) -> Array:
    """Return numbers by position, [head, position], the last holding what is beyond: [head, PLACES]."""
    found = np.zeros((len(values), PLACES), dtype=values.dtype)
    found[:, : min(values.shape[1], PLACES)] = values[:, :PLACES]
    found[:, -1] += values[:, PLACES:].sum(axis=1)
    return found


def _text_of(ran: Ran, text: Read, place: int) -> CountedText:
    target = text.line.target or ""
    if not ran.written:
        return CountedText(text.line.source, target, ran.source[place].word_texts)
    written = ran.written[place]
    return CountedText(
        text.line.source, target, ran.source[place].word_texts, ran.read_in[place].word_texts, written.word_texts
    )
