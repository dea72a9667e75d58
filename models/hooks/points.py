"""The modules on the line after a computation: `HookPoint`, and `AttentionWeights` around a softmax."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from models.hooks.session import OPEN
from models.messages import Message
from models.sites import Site
from models.softmax import FullyMaskedRowError, masked_softmax
from models.vocabulary import FIRST_POSITION


class HookPoint(nn.Module):
    """An identity on the line after a quantity is computed; what an open session sees and may edit."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site

    def __call__(self, values: Tensor, first_query: int = 0) -> Tensor:
        """Return what `forward` gives; torch's own machinery, five times as dear, only where torch hooks are set."""
        if self._forward_hooks or self._forward_pre_hooks:
            return cast("Tensor", super().__call__(values, first_query))
        session = OPEN.get()
        return values if session is None else session.observe(self.site, values, first_query)

    def forward(self, values: Tensor, first_query: int = 0) -> Tensor:
        """Return `values`, or what an open session makes of them."""
        session = OPEN.get()
        return values if session is None else session.observe(self.site, values, first_query)

    def extra_repr(self) -> str:
        """Name the site in the printed module."""
        return str(self.site)


class VectorPoint(HookPoint):
    """A hook point of one vector a token, [batch, token, d]; a session sees it with an axis of one head."""

    def __call__(self, values: Tensor, first_query: int = 0) -> Tensor:
        """Return what `HookPoint` gives; the axis is made only for a session that wants the quantity."""
        session = OPEN.get()
        if session is None or not session.wants(self.site):
            return values
        return super().__call__(values[:, None], first_query)[:, 0]


class AttentionWeights(nn.Module):
    """From scores to weights, a = softmax(e), with hooks on scores, mask and weights. No parameters."""

    def __init__(self, place: Site) -> None:
        super().__init__()
        self.scores = HookPoint(place.at("scores"))
        self.mask = HookPoint(place.at("mask"))
        self.weights = HookPoint(place.at("weights"))

    def forward(self, scores: Tensor, mask: Tensor | None, first_query: int = 0) -> Tensor:
        """Return the weights of `scores` under `mask`.

        Shapes: `scores` [batch, head, query, key]; returns [batch, head, query, key].
        """
        return self.weights(self.normalise(scores, mask, first_query), first_query)

    def normalise(self, scores: Tensor, mask: Tensor | None, first_query: int) -> Tensor:
        """Return softmax(e), with hooks on scores and mask, the weights not yet shown; see `forward`.

        Shapes: `scores` [batch, head, query, key].
        """
        scores = self.scores(scores, first_query)
        session = OPEN.get()
        if session is not None and session.wants(self.mask.site):
            full = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape).clone()
            mask = self.mask(full, first_query)
        try:
            return masked_softmax(scores, mask)
        except FullyMaskedRowError as error:
            row = first_query + error.row
            message = Message(
                "{place}: query {row} has no key to attend to; leave at least one",
                place=self.weights.site.place,
                row=row + FIRST_POSITION,
            )
            raise FullyMaskedRowError(message, row) from error
