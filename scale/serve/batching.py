"""Sentences of one length through one of our translators at once: each record as if it had run alone, within 1e-5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from models.errors import InputError
from models.hooks import Session, capture
from models.sites import VALUE_GRAM, Site
from models.trace import AttentionTrace, TokenSequence
from models.trace.tokens import RecordedTexts
from models.translation.decoding import greedy, step_limit
from models.translation.texts import read_text
from models.vocabulary import BEGIN, END, PAD
from scale.serve.wire import Request

if TYPE_CHECKING:
    from models.model import Model
    from models.translation.translator import Translator

MOST = 16
"""Sentences that run at once."""

WEIGHTS = ("*.weights",)


def can_join(request: Request) -> bool:
    """Return whether a request may be answered together with others: nothing edited, the weights alone."""
    asked = (request.asked, request.pair, request.edits, request.sites, request.write)
    return asked == ("attend", None, (), WEIGHTS, None)


class RowSession(Session):
    """What a session of several texts holds of one of them."""

    def __init__(self, maps: dict[Site, Tensor]) -> None:
        super().__init__(WEIGHTS, ())
        self._maps = maps

    @property
    def sites(self) -> tuple[Site, ...]:
        """What there is of it."""
        return tuple(self._maps)

    def take(self, site: Site) -> Tensor:
        """Return the weights at `site`, [1, head, query, key]."""
        return self._maps.pop(site)[None]


def attend_together(model: Translator, requests: Sequence[Request]) -> list[AttentionTrace | InputError]:
    """Return the run, or what is wrong with its text, of each request."""
    found: dict[int, AttentionTrace | InputError] = {}
    alike: dict[tuple[int, bool], list[tuple[int, TokenSequence, TokenSequence | None]]] = {}
    for place, request in enumerate(requests):
        try:
            source = read_text(model.tokenizer, request.source, "sentence")
            target = None if request.target is None else read_text(model.tokenizer, request.target, "translation")
        except InputError as error:
            found[place] = error
            continue
        alike.setdefault((len(source), target is None), []).append((place, source, target))
    for texts in alike.values():
        if len(texts) == 1:  # as it runs alone, to the last bit
            request = requests[texts[0][0]]
            found[texts[0][0]] = model.attend(request.source, request.target)
            continue
        targets = [target for _place, _source, target in texts if target is not None]
        traces = _run(model, [requests[place] for place, *_ in texts], [source for _, source, _ in texts], targets)
        found |= dict(zip((place for place, *_ in texts), traces, strict=True))
    return [found[place] for place in range(len(requests))]


def _run(
    model: Translator, requests: Sequence[Request], sources: Sequence[TokenSequence], targets: Sequence[TokenSequence]
) -> list[AttentionTrace]:
    """Run sources of one length, either all with their targets or all without."""
    patterns = WEIGHTS if model.heads else ()
    with torch.inference_mode(), capture(patterns, copies=False, norms=True) as session:
        memory = model.network.encode(torch.tensor([each.ids for each in sources]))
        if targets:
            rows = [list(each.ids) for each in targets]
            logits = model.network.decode(memory, _inputs(rows))
            logits[..., :END] = -torch.inf
        else:
            steps = list(greedy(model.network, memory, batch=len(sources), limit=step_limit(len(sources[0]))))
            logits = torch.stack([each for _token, each in steps], dim=1)  # [text, target, vocabulary]
            rows = [_ended(each) for each in torch.stack([token for token, _ in steps], dim=1).tolist()]
    held = {site: session[site] for site in session.sites}
    found = []
    for place, request in enumerate(requests):
        written = targets[place] if targets else model.tokenizer.sequence(rows[place])
        texts = RecordedTexts(sources[place], model.tokenizer.target_input(written), written)
        maps = RowSession({site: _own(values[place], site, texts) for site, values in held.items()})
        own = logits[place, : len(written)]
        found.append(model.record(request.source, texts, maps, own, forced=bool(targets)))
    return found


def _inputs(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[BEGIN, *row[:-1], *[PAD] * (longest - len(row))] for row in rows])


def _ended(row: list[int]) -> list[int]:
    return row[: row.index(END) + 1] if END in row else row


def _own(values: Tensor, site: Site, texts: RecordedTexts) -> Tensor:
    """Return a copy of the rows and columns, [head, query, key], that are a text's own."""
    if site.stack == "encoder":
        return values.clone()
    count = len(texts.read_in)
    if site.quantity == VALUE_GRAM:  # [head, key, head * distance]
        return (values if site.kind == "cross" else values[:, :count]).clone()
    return (values[:, :count] if site.kind == "cross" else values[:, :count, :count]).clone()


def is_ours(model: Model) -> bool:
    """Return whether a model is one whose sentences can run together."""
    return model.kind == "translator"
