"""Sentences of one translator in one padded pass: each record as if it had run alone, within 1e-5.

What waits together runs together; nobody waits for company. Whoever keeps a queue asks `company` who goes with the
first, and `attend_together` for their records.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import torch
from torch import Tensor

from models.hooks import Session, capture
from models.model import Model
from models.sites import VALUE_GRAM, Site, complete_pattern
from models.trace import AttentionTrace, TokenSequence
from models.trace.tokens import RecordedTexts
from models.translation.decoding import forced_logits, greedy, step_limit
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN, END, PAD

_LOG = logging.getLogger(__name__)

MOST = 16
"""Sentences that run at once."""

SPARE = 20
"""Characters that a sentence may have more than twice as many as another beside it: whose end is waited for by both."""

_BY_ROW = ("weights", "raw_weights", "centre")
"""What can be cut out for one text of a batch; `VALUE_GRAM` goes with the weights."""


@dataclass(frozen=True, slots=True)
class BatchItem:
    """What a translator is to read, with nothing edited."""

    source: str  # as in `Translator.attend`
    target: str | None = None  # as in `Translator.attend`
    sites: tuple[str, ...] = ("*.weights",)  # as in `Translator.attend`

    @property
    def can_join(self) -> bool:
        """Whether all that is to be captured can be told from what others have."""
        return all(complete_pattern(each).rpartition(".")[2] in _BY_ROW for each in self.sites)

    def joins(self, other: BatchItem) -> bool:
        """Return whether it runs in one pass with another: both written freely or both given, of like lengths."""
        shorter, longer = sorted((len(self.source), len(other.source)))
        alike = (self.target is None, self.sites) == (other.target is None, other.sites)
        return alike and self.can_join and longer <= 2 * shorter + SPARE


def company(first: BatchItem | None, waiting: Sequence[BatchItem | None]) -> list[int]:
    """Return who of those that wait runs in one pass with the first; None is whoever runs alone."""
    if first is None:
        return []
    return [place for place, each in enumerate(waiting) if each is not None and each.joins(first)][: MOST - 1]


def can_batch(model: Model) -> TypeGuard[Translator]:
    """Return whether a model is one whose sentences can run together."""
    return isinstance(model, Translator)


def attend_together(model: Translator, sentences: Sequence[BatchItem]) -> list[AttentionTrace | None]:
    """Return the runs of sentences that join; None for one that must run alone, which then says what is wrong."""
    found: list[AttentionTrace | None] = [None] * len(sentences)
    texts = {place: read for place, each in enumerate(sentences) if (read := _read(model, each)) is not None}
    if len(texts) < 2:
        return found
    try:
        traces = _run(model, [sentences[place] for place in texts], list(texts.values()))
    except (ValueError, RuntimeError, MemoryError) as error:  # of one of them: alone, it says so in its own words
        _LOG.warning("%d sentences of %s run alone: %s", len(texts), model.key, type(error).__name__)
        return found
    for place, trace in zip(texts, traces, strict=True):
        found[place] = trace
    return found


_Read = tuple[TokenSequence, TokenSequence | None]
"""The tokens of a source, and of the target that is given."""


def _read(model: Translator, sentence: BatchItem) -> _Read | None:
    try:
        source = read_text(model.tokenizer, sentence.source, "sentence")
        target = None if sentence.target is None else read_text(model.tokenizer, sentence.target, "translation")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic of Rust among them
        return None
    return source, target


class RowSession(Session):
    """What a session of several texts holds of one of them."""

    def __init__(self, maps: dict[Site, Tensor]) -> None:
        super().__init__((), ())
        self._maps = maps

    @property
    def sites(self) -> tuple[Site, ...]:
        """What there is of it."""
        return tuple(self._maps)

    def take(self, site: Site) -> Tensor:
        """Return the values at `site`, [1, head, query, key]."""
        return self._maps.pop(site)[None]


def _run(model: Translator, sentences: Sequence[BatchItem], texts: Sequence[_Read]) -> list[AttentionTrace]:
    sources = [source for source, _target in texts]
    targets = [target for _source, target in texts if target is not None]
    lengths = torch.tensor([[len(each)] for each in sources])
    ids = _padded([each.ids for each in sources])
    there = torch.arange(ids.shape[1]) < lengths  # [text, source]
    patterns = model.patterns(sentences[0].sites)
    with torch.inference_mode(), capture(patterns, copies=False, norms=True) as session:
        memory = model.network.encode(ids, None if bool(there.all()) else there)
        rows, logits = _forced(model, memory, targets) if targets else _greedy(model, memory, lengths[:, 0].tolist())
    held = {site: session[site] for site in session.sites}
    found = []
    for place, (sentence, source, row) in enumerate(zip(sentences, sources, rows, strict=True)):
        written = targets[place] if targets else model.tokenizer.sequence(row)
        own = RecordedTexts(source, model.tokenizer.target_input(written), written)
        maps = RowSession({site: _own(values[place], site, own) for site, values in held.items()})
        said = logits[place, : len(written)]
        found.append(model.record(sentence.source, own, maps, said, forced=bool(targets), batched=True))
    return found


def _forced(model: Translator, memory: Any, targets: Sequence[TokenSequence]) -> tuple[Sequence[Sequence[int]], Tensor]:
    logits = forced_logits(model.network, memory, _padded([(BEGIN, *each.ids[:-1]) for each in targets]))
    return [each.ids for each in targets], logits  # [text, target, vocabulary]


def _greedy(model: Translator, memory: Any, lengths: Sequence[int]) -> tuple[Sequence[Sequence[int]], Tensor]:
    limits = torch.tensor([step_limit(each) for each in lengths])
    steps, done = [], torch.zeros(len(lengths), dtype=torch.bool)
    for token, logits in greedy(model.network, memory, batch=len(lengths), limit=int(limits.max())):
        steps.append((token, logits))
        done |= (token == END) | (limits <= len(steps))
        if bool(done.all()):
            break
    tokens = torch.stack([token for token, _ in steps], dim=1).tolist()
    rows = [_ended(row[:limit]) for row, limit in zip(tokens, limits.tolist(), strict=True)]
    return rows, torch.stack([logits for _, logits in steps], dim=1)  # [text, target, vocabulary]


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def _ended(row: list[int]) -> list[int]:
    return row[: row.index(END) + 1] if END in row else row


def _own(values: Tensor, site: Site, texts: RecordedTexts) -> Tensor:
    """Return a copy of the rows and columns, [head, query, key], that are a text's own."""
    queries, keys = len(texts.read_in), len(texts.source)
    if site.stack == "encoder":
        queries = keys
    elif site.kind == "self":
        keys = queries
    if site.quantity == VALUE_GRAM:  # [head, key, head * distance]
        return values[:, :keys].clone()
    return (values[:, :queries] if site.quantity == "centre" else values[:, :queries, :keys]).clone()
