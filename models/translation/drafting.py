"""Greedy translation from a draft: few parallel passes of the decoder in the place of one step a token.

The draft is what the same model wrote for the most similar source. One pass over it gives the likeliest token of every
position; up to the first that differs from the draft all are right, and the pass gives the next draft. Where none
differs, the draft is the greedy translation; after `MOST` passes what is not yet right is written step by step. Each
number is that of decoding step by step within `models.trace.provenance.BATCHED_WITHIN`. Stern et al. 2018, section 3;
Santilli et al. 2023, section 3 (Jacobi decoding).
"""

from __future__ import annotations

import logging
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Any, TypeGuard, cast

import torch
from torch import Tensor

from models.errors import InputError
from models.hooks import Session, capture
from models.model import Model
from models.networks.layered import LayeredDecoder
from models.trace import AttentionTrace
from models.trace.tokens import RecordedTexts
from models.translation.batching import BatchItem, can_batch
from models.translation.decoding import forced_logits, greedy, step_limit
from models.translation.texts import read_text
from models.translation.translator import Translator
from models.vocabulary import BEGIN, END
from models.waiting import go_on

_LOG = logging.getLogger(__name__)

MOST = 4
"""Passes before the rest is written step by step."""

KEPT = 64
"""Translations that are remembered of each model."""

SHARED = 0.5
"""Share of its tokens, from both ends, that a source has in common with that of its draft."""

CLEAR = 1e-4
"""Logits by which the likeliest token leads: ten times as far as a pass may be from steps, so that both write it."""


def can_draft(model: Model) -> TypeGuard[Translator]:
    """Return whether the decoder of a model computes all positions at once: one with recurrence gains nothing."""
    return can_batch(model) and isinstance(model.network, LayeredDecoder)


class Drafts:
    """What models wrote last, each the draft of a sentence like it."""

    def __init__(self) -> None:
        self._written: defaultdict[str, OrderedDict[tuple[int, ...], tuple[int, ...]]] = defaultdict(OrderedDict)

    def attend(self, model: Translator, sentence: BatchItem) -> AttentionTrace:
        """Return the free translation of a sentence, from a draft if there is one, and remember it."""
        try:
            trace = self._drafted(model, sentence)
        except InputError:  # the ordinary run says it in its own words
            trace = None
        except (ValueError, RuntimeError, MemoryError) as error:
            _LOG.warning("a sentence of %s is written step by step: %s", model.key, type(error).__name__)
            trace = None
        if trace is None:
            trace = model.attend(sentence.source, sites=sentence.sites)
        self.remember(trace)
        return trace

    def remember(self, trace: AttentionTrace) -> None:
        """Keep what was written freely as a draft."""
        if trace.provenance.decoding != "greedy":
            return
        known = self._written[trace.provenance.checkpoint]
        known[trace.source.ids] = trace.target.ids
        known.move_to_end(trace.source.ids)
        if len(known) > KEPT:
            known.popitem(last=False)

    def nearest(self, key: str, source: Sequence[int]) -> tuple[int, ...] | None:
        """Return what the model of `key` wrote for the source most like this one, the latest of equals."""
        known = self._written[key]
        found = max(reversed(known), key=lambda each: _shared(each, source) / max(len(each), len(source)), default=None)
        if found is None or _shared(found, source) < SHARED * max(len(found), len(source)):
            return None
        return known[found]

    def _drafted(self, model: Translator, sentence: BatchItem) -> AttentionTrace | None:
        source = read_text(model.tokenizer, sentence.source, "sentence")
        draft = self.nearest(model.key, source.ids) if sentence.can_join else None
        if draft is None:
            return None
        network, limit = cast("LayeredDecoder", model.network), step_limit(len(source))
        patterns = model.patterns(sentence.sites)
        with torch.inference_mode(), capture(patterns, copies=False, norms=True) as session:
            memory = network.encode(torch.tensor([source.ids]))
            ids, logits = _from_draft(network, memory, session, _closed(draft, limit), limit)
            first, second = logits.topk(2, dim=-1).values.unbind(dim=-1)
            clear = bool((first - second > CLEAR).all())
            if not clear:
                session.forget("decoder")
                steps = list(greedy(network, memory, batch=1, limit=limit))
                ids, logits = [int(token) for token, _ in steps], torch.cat([each for _, each in steps])
        written = model.tokenizer.sequence(ids)
        texts = RecordedTexts(source, model.tokenizer.target_input(written), written)
        return model.record(sentence.source, texts, session, logits, drafted=clear)


def _from_draft(
    network: LayeredDecoder, memory: Any, session: Session, ids: list[int], limit: int
) -> tuple[list[int], Tensor]:
    """Return the greedy translation and its logits, [target, vocabulary]."""
    for _pass in range(MOST):
        go_on()
        session.forget("decoder")
        logits = forced_logits(network, memory, torch.tensor([[BEGIN, *ids[:-1]]]))[0]
        best = logits.argmax(dim=-1).tolist()
        if best == ids:
            return ids, logits
        right = next(place for place, token in enumerate(best) if token != ids[place])
        ids = _closed(best, limit)
    session.forget("decoder")
    return _continued(network, memory, ids[:right], limit)


def _continued(network: LayeredDecoder, memory: Any, ids: list[int], limit: int) -> tuple[list[int], Tensor]:
    """Read `ids` in one pass, and write the rest step by step."""
    states, state = network.run(memory, network.start(memory), torch.tensor([[BEGIN, *ids]]), 0)
    found = [network.logits(states)[0]]
    while True:
        found[-1][:, :END] = -torch.inf
        ids = [*ids, int(found[-1][-1].argmax())]
        if ids[-1] == END or len(ids) == limit:
            return ids, torch.cat(found)
        go_on()
        logits, state = network.step(memory, state, torch.tensor(ids[-1:]), len(ids))
        found.append(logits)


def _closed(ids: Sequence[int], limit: int) -> list[int]:
    """Return `ids` up to ``</s>``, which is put behind them if they have none, or up to the step limit."""
    return [*ids, END][: min([*ids, END].index(END) + 1, limit)]


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two texts have in common, counted from both ends to the first that differs."""
    most = min(len(one), len(other))
    front = next((place for place in range(most) if one[place] != other[place]), most)
    return front + next((back for back in range(most - front) if one[-1 - back] != other[-1 - back]), most - front)
