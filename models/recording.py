"""From what a session has captured to the records of a trace: what our own models and pretrained ones do alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

import torch
from numpy.typing import NDArray
from torch import Tensor

from models.edits import Edit, Patch
from models.errors import InputError
from models.hooks import Session
from models.messages import Message
from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, Provenance, Step, TokenSequence
from models.trace.tokens import RecordedTexts, hop_tokens

Likeliest = tuple[tuple[str, float], ...]


@cache
def versions(*libraries: str) -> tuple[tuple[str, str], ...]:
    """Return the versions of what the figures depend on; read once, since it means a walk through site-packages."""
    return tuple((name, version(name)) for name in libraries)


def likeliest(values: Tensor, piece: Callable[[int], str], *, most: int) -> list[Likeliest]:
    """Return the likeliest tokens of each position with their probabilities, best first.

    Shapes: `values` [position, vocabulary].
    """
    best, tokens = values.topk(min(most, values.shape[-1]), dim=-1)
    return [
        tuple((piece(token), likely) for token, likely in zip(row, probabilities, strict=True))
        for row, probabilities in zip(tokens.tolist(), best.exp().tolist(), strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Recorder:
    """Writes the runs of one model down."""

    about: Provenance  # of the model: what all its runs have in common
    places: tuple[Site, ...]  # where it attends, in the order of a trace
    causal: frozenset[Site]  # where a query reads only keys up to its own position
    rows_sum_to_one: bool  # whether rows must, while nothing is edited
    piece: Callable[[int], str]  # gives what a vocabulary index reads
    alternatives: int  # how many of the likeliest tokens a step keeps

    def maps(self, session: Session, texts: RecordedTexts, edits: tuple[Edit, ...]) -> tuple[AttentionMap, ...]:
        """Return the maps of a run, and take them from its session: both at once may not fit into memory."""
        captured = {site.place for site in session.sites}
        return tuple(self._map(session, place, texts, edits) for place in self.places if place in captured)

    def _map(self, session: Session, place: Site, texts: RecordedTexts, edits: tuple[Edit, ...]) -> AttentionMap:
        own = texts.source if place.stack == "encoder" else texts.read_in
        queries, keys = (own, own) if place.kind == "self" else (texts.written, texts.source)
        weights = session.take(place.at("weights"))[0]
        if place.kind == "hops":
            queries = hop_tokens(weights.shape[1])
        others = [site for site in session.sites if site.place == place and site.quantity != "weights"]
        acting = [edit for edit in edits if edit.applies_to(place.at(edit.quantity))]
        loose = not all(edit.keeps_row_sums for edit in acting)
        return AttentionMap(
            site=place,
            weights=_given(weights),
            query_tokens=queries,
            key_tokens=keys,
            companions={site.quantity: session.take(site)[0].numpy() for site in others},
            rows_sum_to_one=self.rows_sum_to_one and not loose,
            causal=place in self.causal and all(edit.keeps_causal for edit in acting),
        )

    def steps(self, logits: Tensor, written: TokenSequence) -> tuple[Step, ...]:
        """Return, for each token that a decoder wrote, how likely it was and what was likeliest.

        Shapes: `logits` [target, vocabulary].
        """
        values = logits.log_softmax(dim=-1)  # [target, vocabulary]
        chosen = values.gather(1, torch.tensor(written.ids)[:, None])[:, 0].tolist()
        best = likeliest(values, self.piece, most=self.alternatives)
        return tuple(Step(*row) for row in zip(written.texts, written.ids, chosen, best, strict=True))

    def provenance(
        self,
        session: Session,
        edits: tuple[Edit, ...],
        decoding: Literal["greedy", "forced", "none"],
        *,
        notes: Iterable[str] = (),
        cut: Iterable[str] = (),
    ) -> Provenance:
        """Return where a trace comes from."""
        idle = [
            Message("no effect: {edit} (no such row or word here, or nothing to change)", edit=edit.describe())
            for edit in session.idle_edits
        ]
        asked = tuple(
            Patch(e.site, e.head, e.text) if isinstance(e, Patch) else e for e in edits
        )  # not what filled them
        return replace(self.about, decoding=decoding, edits=asked, notes=(*notes, *idle, *cut))


def filled_patches(edits: tuple[Edit, ...], tokens: int, run: Callable[[str], AttentionTrace]) -> tuple[Edit, ...]:
    """Return `edits` on a text of so many `tokens`, patches with what `run` captures of the heads for their texts."""
    traces = {text: run(text) for text in dict.fromkeys(each.text for each in edits if isinstance(each, Patch))}
    for text, trace in traces.items():
        if len(trace.source) != tokens:
            message = Message(
                "Activation patching needs two texts with the same number of tokens: this one has {tokens}, "
                "“{text}” has {others}.",
                tokens=tokens,
                text=text,
                others=len(trace.source),
            )
            raise InputError(message)
    given = {
        text: {str(each.site): each.companions["context"] for each in trace if "context" in each.companions}
        for text, trace in traces.items()
    }
    return tuple(each.filled(given[each.text]) if isinstance(each, Patch) else each for each in edits)


def _given(values: Tensor) -> NDArray[Any]:
    """Return a tensor that nobody else holds as an array that a record keeps without a copy."""
    array: NDArray[Any] = values.numpy()
    array.setflags(write=False)
    return array
